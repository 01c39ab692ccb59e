// SPDX-License-Identifier: BSD-2-Clause
#include "histogram/histogram.h"

#include "base/array.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
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
	[UNRESOLVED_HIDDEN] = "in the kernel, whose samples perf_event_paranoid 2 hides, or late",
	[UNRESOLVED_GUARDED] =
		"in a program with rights of its own or unreadable to its user: not looked into",
};

const char *unresolved_reason_text(enum unresolved_reason reason)
{
	return reason < UNRESOLVED_REASONS ? reason_texts[reason] : "unknown";
}

static const struct {
	const char *name, *text;
} stack_ends[STACK_ENDS] = {
	[STACK_NONE] = {"none", "call stacks were not asked for"},
	[STACK_WHOLE] = {"whole", "up to the thread's first function"},
	[STACK_NO_TABLE] = {"no table", "in a file that has no unwind table, or not yet"},
	[STACK_NO_RULE] = {"no rule", "at an address from which no unwind rule leads to a caller"},
	[STACK_NOT_READABLE] = {"unreadable", "the stack could not be read"},
	[STACK_TOO_DEEP] = {"too deep", "more frames than --max-stack"},
	[STACK_TREE_FULL] = {"tree full", "more calling contexts than --contexts"},
	[STACK_TREE_GROWING] = {"tree growing",
				"more new contexts at one sample than are added at once"},
	[STACK_BUSY] = {"busy", "another CPU held the table of contexts"},
	[STACK_EXITING] = {"exiting", "the process was starting a program or ending"},
	[STACK_GUARDED] = {"guarded", "in a program that this user may not look into"},
	[STACK_BEYOND_PIECE] = {"stack size", "higher up the stack than --stack-size"},
	[STACK_CROWDED] = {"crowded",
			   "more threads of a process at once than there was memory to unwind in"},
	[STACK_INTERPRETED] = {"interpreted",
			       "whole, but for Python's functions, which changed just then"},
	[STACK_TABLES_FULL] = {"tables full", "more unwind tables than --tables has room for"},
	[STACK_NOT_SAMPLED] = {"not sampled",
			       "more waits than --wall-budget walks a second, or begun before"},
	[STACK_WAITS_FULL] = {"waits full", "more different waits than --cells"},
};

const char *stack_end_text(enum stack_end end)
{
	return end < STACK_ENDS ? stack_ends[end].text : "unknown";
}

const char *stack_end_name(enum stack_end end)
{
	return end < STACK_ENDS ? stack_ends[end].name : "unknown";
}

#define VALUE_ROW(value, type, unit) {type, unit},

static const struct {
	const char *type, *unit;
} values[HISTOGRAM_VALUES] = {HISTOGRAM_VALUES_EACH(VALUE_ROW)};

const char *histogram_value_type(enum histogram_value value)
{
	return values[value].type;
}

const char *histogram_value_unit(enum histogram_value value)
{
	return values[value].unit;
}

bool histogram_value_is_time(enum histogram_value value)
{
	return !strcmp(values[value].unit, "nanoseconds");
}

enum histogram_value histogram_value_called(const char *type)
{
	int value = 0;

	while (value < HISTOGRAM_VALUES && strcmp(values[value].type, type) != 0)
		value++;
	return (enum histogram_value)value;
}

int histogram_add_function(struct histogram *histogram, const char *name, uint32_t line,
			   uint32_t *ret_index)
{
	struct histogram_function function = {.name = strdup(name), .file = strdup("")};

	function.line = line;
	if (!function.name || !function.file ||
	    ARRAY_RESERVE(histogram->functions, histogram->function_capacity,
			  histogram->function_count + 1)) {
		free(function.name);
		free(function.file);
		return -ENOMEM;
	}
	*ret_index = (uint32_t)histogram->function_count;
	histogram->functions[histogram->function_count++] = function;
	return 0;
}

int histogram_add_amount(struct histogram *histogram, const struct histogram_cell *cell,
			 enum histogram_value value, uint64_t amount)
{
	struct histogram_amount *to;

	if (!amount)
		return 0;
	if (ARRAY_RESERVE(histogram->amounts, histogram->amount_capacity,
			  histogram->amount_count + 1))
		return -ENOMEM;
	to = &histogram->amounts[histogram->amount_count++];
	*to = (struct histogram_amount){*cell, value};
	to->cell.ticks = amount;
	return 0;
}

int histogram_add_elapsed(struct histogram *histogram, uint32_t at_once, uint64_t ns)
{
	struct histogram_cell cell = {.space = CELL_LIVES};
	char name[32];
	int ret;

	if (!ns)
		return 0;
	(void)snprintf(name, sizeof(name), "%" PRIu32 " on CPU", at_once);
	ret = histogram_add_function(histogram, name, at_once, &cell.file);
	return ret ? ret : histogram_add_amount(histogram, &cell, VALUE_ELAPSED, ns);
}

void histogram_done(struct histogram *histogram)
{
	for (size_t i = 0; i < histogram->file_count; i++)
		free(histogram->files[i].path);
	for (size_t i = 0; i < histogram->cgroup_count; i++)
		free(histogram->cgroups[i]);
	free(histogram->cgroups);
	for (size_t i = 0; i < histogram->function_count; i++) {
		free(histogram->functions[i].name);
		free(histogram->functions[i].file);
	}
	free(histogram->functions);
	free(histogram->unknown_python);
	free(histogram->program);
	free(histogram->files);
	free(histogram->cells);
	free(histogram->amounts);
	free(histogram->contexts);
	for (size_t i = 0; i < histogram->task_count; i++)
		free(histogram->tasks[i].title);
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
