/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/perf/files.h"
#include "histogram/histogram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What lies where in each measured process, as the kernel's records tell it: a mapping is told when
 * it is made, not when it goes, so one that is made over others cuts what it covers off them. */

struct perf_mapping {
	uint64_t start, end;
	uint64_t offset; /* of start: in the file, from the vdso's start, or start itself */
	enum cell_space space;
	uint32_t file; /* for CELL_FILE */
};

struct perf_process {
	pid_t pid;
	uint32_t threads;
	uint32_t execs;	  /* programs that it has executed */
	bool had_threads; /* since it has executed: more than one */
	char name[16];
	bool executing;		   /* it has executed, and its program is not mapped yet */
	uint64_t maps_read;	   /* how many records had been lost when /proc was asked */
	struct perf_mapping *maps; /* heap, by address, none over another */
	size_t count, capacity;
};

struct perf_processes {
	struct perf_process **all; /* heap, by pid; each of its own */
	size_t count, capacity;
	struct perf_files files;
	uint64_t lost; /* records, of which each may have told a mapping */
};

/* The process PID, or NULL. */
struct perf_process *perf_process_find(const struct perf_processes *processes, pid_t pid);

/* A new process, nothing mapped; one that went by the same number goes.  NULL: no memory. */
struct perf_process *perf_process_add(struct perf_processes *processes, pid_t pid);

void perf_process_remove(struct perf_processes *processes, struct perf_process *process);

/* PROCESS gets what PARENT has mapped.  Without memory it stays without some. */
void perf_process_copy(struct perf_process *process, const struct perf_process *parent);

/* PROCESS executes a program: nothing of what was mapped is left. */
void perf_process_exec(struct perf_process *process);

/* SIZE bytes from START on are mapped from OFFSET of MAPPED (inode 0: no file; its path says what
 * it is, such as "[vdso]").  Without memory they stay unknown. */
void perf_process_map(struct perf_processes *processes, struct perf_process *process,
		      uint64_t start, uint64_t size, uint64_t offset,
		      const struct perf_mapped *mapped);

/* Ask /proc what is mapped; without effect when the process has gone or may not be asked. */
void perf_process_read(struct perf_processes *processes, struct perf_process *process);

/* What is mapped at ADDRESS, or NULL. */
const struct perf_mapping *perf_process_at(const struct perf_process *process, uint64_t address);

/* The same; where a mapping may be missing because records were lost, /proc is asked once. */
const struct perf_mapping *perf_process_find_at(struct perf_processes *processes,
						struct perf_process *process, uint64_t address);

void perf_processes_done(struct perf_processes *processes);
