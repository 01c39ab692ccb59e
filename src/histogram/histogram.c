// SPDX-License-Identifier: BSD-2-Clause
#include "histogram/histogram.h"

#include <stdlib.h>
#include <string.h>

static const char *const reason_texts[UNRESOLVED_REASONS] = {
	[UNRESOLVED_NO_MAPPING] = "no mapping at the program counter",
	[UNRESOLVED_MAP_BUSY] = "the memory map was being changed",
	[UNRESOLVED_NO_MEMORY_MAP] = "a task without user memory",
	[UNRESOLVED_FILES_FULL] = "more files than the file table holds",
	[UNRESOLVED_CELLS_FULL] = "cell table full, address of no file",
	[UNRESOLVED_NO_REGION] = "outside of the text that was measured",
	[UNRESOLVED_CELL_FULL] = "the cell was full",
	[UNRESOLVED_LOST] = "lost before it was counted",
	[UNRESOLVED_OVERFLOW_BIN] = "in the overflow bin",
	[UNRESOLVED_THROTTLED] = "the kernel slowed the clock down",
	[UNRESOLVED_HIDDEN] = "in the kernel, whose ticks perf_event_paranoid 2 hides, or late",
	[UNRESOLVED_GUARDED] =
		"in a program with rights of its own or unreadable to its user: not looked into",
};

const char *unresolved_reason_text(enum unresolved_reason reason)
{
	return reason < UNRESOLVED_REASONS ? reason_texts[reason] : "unknown";
}

void histogram_done(struct histogram *histogram)
{
	for (size_t i = 0; i < histogram->file_count; i++)
		free(histogram->files[i].path);
	for (size_t i = 0; i < histogram->cgroup_count; i++)
		free(histogram->cgroups[i]);
	free(histogram->cgroups);
	free(histogram->program);
	free(histogram->files);
	free(histogram->cells);
	free(histogram->tasks);
	free(histogram->calls);
	memset(histogram, 0, sizeof(*histogram));
}

uint64_t histogram_charged(const struct histogram *histogram)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < histogram->cell_count; i++)
		sum += histogram->cells[i].ticks;
	for (size_t i = 0; i < histogram->file_count; i++)
		sum += histogram->files[i].overflow;
	for (size_t i = 0; i < UNRESOLVED_REASONS; i++)
		sum += histogram->unresolved[i];
	return sum;
}
