// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/maps.h"

#include "base/array.h"
#include "base/maps_line.h"
#include "engine/clock.h"
#include "target/proc.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define FOLDER_MAX 64 /* of "/proc/1/task/2" */

/* ---- processes ---- */

/* Where PID is, or would be. */
static size_t place_of(const struct perf_processes *processes, pid_t pid)
{
	return ARRAY_FIRST_NOT(i, processes->count, processes->all[i]->pid < pid);
}

struct perf_process *perf_process_find(const struct perf_processes *processes, pid_t pid)
{
	size_t at = place_of(processes, pid);

	if (at < processes->count && processes->all[at]->pid == pid)
		return processes->all[at];
	return NULL;
}

static void free_process(struct perf_process *process)
{
	free(process->maps);
	free(process);
}

void perf_process_remove(struct perf_processes *processes, struct perf_process *process)
{
	size_t at = place_of(processes, process->pid);

	processes->count--;
	memmove(&processes->all[at], &processes->all[at + 1],
		(processes->count - at) * sizeof(struct perf_process *));
	free_process(process);
}

struct perf_process *perf_process_add(struct perf_processes *processes, pid_t pid)
{
	struct perf_process *process = perf_process_find(processes, pid);
	size_t at;

	if (process)
		perf_process_remove(processes, process);
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	if (ARRAY_RESERVE(processes->all, processes->capacity, processes->count + 1)) {
		free(process);
		return NULL;
	}
	process->pid = pid;
	process->maps_read = processes->lost;
	at = place_of(processes, pid);
	memmove(&processes->all[at + 1], &processes->all[at],
		(processes->count - at) * sizeof(struct perf_process *));
	processes->all[at] = process;
	processes->count++;
	return process;
}

void perf_processes_done(struct perf_processes *processes)
{
	for (size_t i = 0; i < processes->count; i++)
		free_process(processes->all[i]);
	free(processes->all);
	perf_files_done(&processes->files);
	*processes = (struct perf_processes){0};
}

/* ---- what they have mapped ---- */

/* The first mapping that ends behind ADDRESS. */
static size_t first_behind(const struct perf_process *process, uint64_t address)
{
	return ARRAY_FIRST_NOT(i, process->count, process->maps[i].end <= address);
}

const struct perf_mapping *perf_process_at(const struct perf_process *process, uint64_t address)
{
	size_t at = first_behind(process, address);

	if (at < process->count && process->maps[at].start <= address)
		return &process->maps[at];
	return NULL;
}

static void cut_start(struct perf_mapping *mapping, uint64_t start)
{
	mapping->offset += start - mapping->start;
	mapping->start = start;
}

/* Put MAPPING in the place of those from FIRST up to LAST.  There is room. */
static void put(struct perf_process *process, size_t first, size_t last,
		const struct perf_mapping *mapping)
{
	memmove(&process->maps[first + 1], &process->maps[last],
		(process->count - last) * sizeof(*process->maps));
	process->maps[first] = *mapping;
	process->count = process->count - (last - first) + 1;
}

/* Cut the mapping at AT in two before ADDRESS, which lies in it.  There is room. */
static void split(struct perf_process *process, size_t at, uint64_t address)
{
	struct perf_mapping left = process->maps[at];

	left.end = address;
	cut_start(&process->maps[at], address);
	put(process, at, at, &left);
}

static void insert(struct perf_process *process, const struct perf_mapping *mapping)
{
	size_t first, last;

	if (ARRAY_RESERVE(process->maps, process->capacity, process->count + 2))
		return;
	first = first_behind(process, mapping->start);
	if (first < process->count && process->maps[first].start < mapping->start)
		split(process, first++, mapping->start);
	last = first_behind(process, mapping->end);
	if (last < process->count && process->maps[last].start < mapping->end)
		cut_start(&process->maps[last], mapping->end);
	put(process, first, last, mapping);
}

void perf_process_copy(struct perf_process *process, const struct perf_process *parent)
{
	memcpy(process->name, parent->name, sizeof(process->name));
	process->maps_read = parent->maps_read;
	process->executing = parent->executing;
	if (ARRAY_RESERVE(process->maps, process->capacity, parent->count))
		return;
	if (parent->count)
		memcpy(process->maps, parent->maps, parent->count * sizeof(*parent->maps));
	process->count = parent->count;
}

void perf_process_exec(struct perf_process *process)
{
	process->count = 0;
	process->execs++;
	process->executing = true;
}

static enum cell_space space_of(const struct perf_mapped *mapped, uint64_t start)
{
	if (mapped->inode)
		return CELL_FILE;
	if (strcmp(mapped->path, "[vdso]"))
		return CELL_ANONYMOUS;
	return start > UINT32_MAX ? CELL_VDSO : CELL_VDSO32;
}

void perf_process_map(struct perf_processes *processes, struct perf_process *process,
		      uint64_t start, uint64_t size, uint64_t offset,
		      const struct perf_mapped *mapped)
{
	struct perf_mapping mapping = {
		.start = start,
		.end = start + size,
		.offset = offset,
		.space = space_of(mapped, start),
	};

	if (mapping.end <= start)
		return;
	if (mapping.space == CELL_ANONYMOUS)
		mapping.offset = start;
	else if (mapping.space != CELL_FILE)
		mapping.offset = 0;
	else if (perf_files_find(&processes->files, mapped, &mapping.file))
		return;
	/* The kernel maps a program before anything that the program maps. */
	if (mapping.space == CELL_FILE && process->executing) {
		processes->files.files[mapping.file].is_program = true;
		process->executing = false;
	}
	insert(process, &mapping);
}

/* ---- what is mapped already ---- */

/* FOLDER is that of a process, or of a thread of it, in /proc. */
static void mark_program(struct perf_processes *processes, const char *folder)
{
	char path[FOLDER_MAX + sizeof("/exe")];
	struct stat status;

	(void)snprintf(path, sizeof(path), "%s/exe", folder);
	if (stat(path, &status))
		return;
	for (size_t i = 0; i < processes->files.count; i++)
		if (processes->files.files[i].identity.inode == status.st_ino)
			processes->files.files[i].is_program = true;
}

/* Returns whether anything is mapped there. */
static bool read_maps(struct perf_processes *processes, struct perf_process *process,
		      const char *folder)
{
	char path[FOLDER_MAX + sizeof("/maps")], line[PATH_MAX + 128];
	bool is_any = false;
	FILE *maps;

	(void)snprintf(path, sizeof(path), "%s/maps", folder);
	maps = fopen(path, "re");
	if (!maps)
		return false;
	for (; fgets(line, sizeof(line), maps); is_any = true) {
		struct perf_mapped mapped = {.pid = process->pid, .time_ns = monotonic_ns()};
		struct maps_line at;

		line[strcspn(line, "\n")] = '\0';
		if (!maps_line_parse(line, &at) || at.rights[2] != 'x')
			continue;
		mapped.device = makedev(at.major, at.minor);
		mapped.inode = at.inode;
		mapped.path = at.path;
		perf_process_map(processes, process, at.start, at.end - at.start, at.offset,
				 &mapped);
	}
	fclose(maps);
	if (is_any)
		mark_program(processes, folder);
	return is_any;
}

/* Of a process whose first thread has ended, only the others tell. */
static void read_other_threads(struct perf_processes *processes, struct perf_process *process)
{
	char folder[FOLDER_MAX];
	struct dirent *entry;
	bool is_read = false;
	DIR *tasks;

	(void)snprintf(folder, sizeof(folder), "/proc/%d/task", (int)process->pid);
	tasks = opendir(folder);
	while (tasks && !is_read && (entry = readdir(tasks))) {
		int tid = (int)strtol(entry->d_name, NULL, 10);

		(void)snprintf(folder, sizeof(folder), "/proc/%d/task/%d", (int)process->pid, tid);
		is_read = tid > 0 && read_maps(processes, process, folder);
	}
	if (tasks)
		closedir(tasks);
}

void perf_process_read(struct perf_processes *processes, struct perf_process *process)
{
	char folder[FOLDER_MAX];

	process->maps_read = processes->lost;
	if (!proc_is_own()) /* another's that has this number there */
		return;
	(void)snprintf(folder, sizeof(folder), "/proc/%d", (int)process->pid);
	if (!read_maps(processes, process, folder))
		read_other_threads(processes, process);
}

const struct perf_mapping *perf_process_find_at(struct perf_processes *processes,
						struct perf_process *process, uint64_t address)
{
	const struct perf_mapping *mapping = perf_process_at(process, address);

	if (mapping || process->maps_read == processes->lost)
		return mapping;
	perf_process_read(processes, process);
	return perf_process_at(process, address);
}
