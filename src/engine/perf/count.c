// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/count.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* Records as perf_event_open(2) has them, up to their trailer. */

struct mmap2_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t address, length, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char path[];
};

struct lost_record {
	struct perf_event_header header;
	uint64_t id, lost;
};

/* ---- ticks ---- */

static void unresolve(struct perf_count *count, enum unresolved_reason reason, uint64_t ticks)
{
	count->fired += ticks;
	count->unresolved[reason] += ticks;
}

/* The process that the kernel speaks of.  One whose beginning was lost is asked after in /proc. */
static struct perf_process *process_of(struct perf_count *count, pid_t pid)
{
	struct perf_process *process = perf_process_find(&count->processes, pid);

	if (process)
		return process;
	process = perf_process_add(&count->processes, pid);
	if (!process)
		return NULL;
	process->threads = 1;
	perf_process_read(&count->processes, process);
	return process;
}

/* What code of no file that PROCESS runs now goes by. */
static uint32_t exec_of(const struct perf_process *process)
{
	return 1 + (process ? process->execs % PERF_EXECS : 0);
}

/* The number that the cells of a task go by; it has a name from its first cell on. */
static uint32_t task_number(struct perf_count *count, const struct perf_sample *sample,
			    const struct perf_process *process, enum cell_space space)
{
	struct histogram_task task = {.pid = sample->pid,
				      .tid = count->by_thread ? sample->tid : 0,
				      .exec = space == CELL_ANONYMOUS ? exec_of(process) : 0};
	uint32_t id = task.tid ? task.tid : task.pid, number = perf_task_number(id, task.exec);
	const struct histogram_task *plain;
	char name[sizeof(task.name)];

	if (!count->by_thread && !count->by_process && space != CELL_ANONYMOUS)
		return HISTOGRAM_NO_TASK;
	if (process && !perf_tasks_find(&count->tasks, number)) {
		plain = perf_tasks_find(&count->tasks, id);
		memcpy(name, plain ? plain->name : process->name, sizeof(name));
		perf_tasks_name(&count->tasks, &task, name);
	}
	return number;
}

static void add(struct perf_count *count, const struct histogram_cell *cell, uint64_t ticks)
{
	if (perf_cells_add(&count->cells, cell, ticks))
		count->fired += ticks;
	else if (cell->space != CELL_FILE)
		unresolve(count, UNRESOLVED_CELLS_FULL, ticks);
	else {
		count->processes.files.files[cell->file].overflow += ticks;
		count->fired += ticks;
	}
}

static bool is_in_kernel(const struct perf_sample *sample)
{
	return (sample->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

static void walk(struct perf_count *count, const struct perf_sample *sample,
		 struct perf_process *process, struct histogram_cell *cell)
{
	struct perf_stack stack =
		perf_stack_of(&sample->header, count->sample_size, count->stacks.has_callers);
	struct perf_stack_owner owner = {
		.processes = &count->processes,
		.process = process,
		.task = task_number(count, sample, process, CELL_ANONYMOUS),
		.in_kernel = is_in_kernel(sample),
		.hide_kernel = count->hide_kernel,
	};

	perf_stacks_walk(&count->stacks, &stack, &owner, cell);
}

static void charge(struct perf_count *count, const struct perf_sample *sample, uint64_t ticks)
{
	struct perf_process *process = process_of(count, (pid_t)sample->pid);
	const struct perf_mapping *mapping = NULL;
	struct histogram_cell cell = {.space = CELL_KERNEL};

	if (is_in_kernel(sample)) {
		cell.address = count->hide_kernel ? 0 : sample->pc;
	} else {
		if (process)
			mapping = perf_process_find_at(&count->processes, process, sample->pc);
		if (!mapping) {
			unresolve(count, UNRESOLVED_NO_MAPPING, ticks);
			return;
		}
		cell.space = mapping->space;
		cell.file = mapping->file;
		cell.address = sample->pc - mapping->start + mapping->offset;
	}
	cell.task = task_number(count, sample, process, cell.space);
	if (count->stacks.frames)
		walk(count, sample, process, &cell);
	add(count, &cell, ticks);
}

/* TICKS of thread TID were due that no sample showed.  Returns those that no reason is known for:
 * their interrupt came late. */
static uint64_t explain(struct perf_count *count, struct perf_trouble *trouble, uint32_t tid,
			uint64_t ticks)
{
	uint64_t lost = ticks < trouble->lost ? ticks : trouble->lost;

	trouble->lost -= lost;
	unresolve(count, UNRESOLVED_LOST, lost);
	ticks -= lost;
	if (!ticks)
		return 0;
	if (trouble->throttled == tid) {
		trouble->throttled = 0;
		unresolve(count, UNRESOLVED_THROTTLED, ticks);
		return 0;
	}
	if (!count->hidden)
		return ticks;
	unresolve(count, UNRESOLVED_HIDDEN, ticks);
	return 0;
}

static void take_sample(struct perf_count *count, uint32_t cpu, const struct perf_sample *sample)
{
	struct perf_trouble *trouble = &count->troubles[cpu];
	uint64_t due = 1;

	if (count->have_counts) {
		due = perf_due_take(&count->due,
				    (struct perf_due_key){sample->pid, sample->tid, cpu},
				    sample->counted);
		if (due > 1)
			due = 1 + explain(count, trouble, sample->tid, due - 1);
	}
	if (due)
		charge(count, sample, due);
}

/* ---- what else is told ---- */

static void take_lost(struct perf_count *count, size_t ring, uint64_t lost)
{
	count->troubles[ring / RING_KINDS].told[ring % RING_KINDS] += lost;
	if (ring % RING_KINDS == RING_TELLING)
		count->processes.lost += lost;
	else if (count->have_counts)
		/* The next counts tell what they were worth. */
		count->troubles[ring / RING_KINDS].lost += lost;
	else
		unresolve(count, UNRESOLVED_LOST, lost);
}

static void take_map(struct perf_count *count, const struct mmap2_record *record)
{
	struct perf_mapped mapped = {
		.device = makedev(record->major, record->minor),
		.inode = record->inode,
		.generation = (uint32_t)record->generation,
		.path = record->path,
		.pid = (pid_t)record->pid,
		.time_ns = perf_trailer_of(&record->header).time,
	};
	struct perf_process *process = process_of(count, (pid_t)record->pid);

	if (process)
		perf_process_map(&count->processes, process, record->address, record->length,
				 record->offset, &mapped);
}

static void name_thread(struct perf_count *count, uint32_t pid, uint32_t tid, const char *name)
{
	const struct histogram_task task = {.pid = pid, .tid = tid};

	perf_tasks_name(&count->tasks, &task, name);
}

static void take_name(struct perf_count *count, const struct comm_record *record)
{
	struct perf_process *process = process_of(count, (pid_t)record->pid);
	uint32_t id = count->by_thread ? record->tid : record->pid;

	if (!process)
		return;
	if (record->header.misc & PERF_RECORD_MISC_COMM_EXEC) {
		perf_process_exec(process);
		if (process->had_threads)
			perf_due_execute(&count->due, record->pid);
		process->had_threads = false;
	}
	if (record->pid == record->tid) {
		memcpy(process->name, record->name, sizeof(process->name));
		process->name[sizeof(process->name) - 1] = '\0';
	}
	if (count->by_thread)
		name_thread(count, record->pid, record->tid, record->name);
	else if (record->pid != record->tid)
		return;
	perf_tasks_rename(&count->tasks, id, record->name);
	perf_tasks_rename(&count->tasks, perf_task_number(id, exec_of(process)), record->name);
}

/* A thread has ended, or a new one has the number of one whose end was lost. */
static void forget_counts(struct perf_count *count, const struct task_record *record)
{
	if (!count->have_counts)
		return;
	for (uint32_t cpu = 0; cpu < count->cpus; cpu++)
		perf_due_forget(&count->due, (struct perf_due_key){record->pid, record->tid, cpu});
}

static void take_fork(struct perf_count *count, const struct task_record *record)
{
	struct perf_process *parent = process_of(count, (pid_t)record->parent_pid), *child = parent;

	count->task_total++;
	forget_counts(count, record);
	if (record->pid != record->parent_pid) {
		child = perf_process_add(&count->processes, (pid_t)record->pid);
		/* The list has moved, its members have not. */
		if (child && parent)
			perf_process_copy(child, parent);
	}
	if (!child)
		return;
	child->threads++;
	child->had_threads |= child == parent;
	if (count->by_thread) {
		const struct histogram_task *maker =
			perf_tasks_find(&count->tasks, record->parent_tid);
		char name[sizeof(child->name)];

		memcpy(name, maker ? maker->name : child->name, sizeof(name));
		name_thread(count, record->pid, record->tid, name);
	}
}

/* A process that ends before anything of what it executes was mapped has not ended: the kernel has
 * taken the clocks away from a program with other rights. */
static void take_exit(struct perf_count *count, const struct task_record *record)
{
	struct perf_process *process = perf_process_find(&count->processes, (pid_t)record->pid);

	count->task_ends++;
	forget_counts(count, record);
	if (!process)
		return;
	if (process->executing && record->pid == record->tid)
		count->not_followed++;
	if (process->threads)
		process->threads--;
	if (!process->threads)
		perf_process_remove(&count->processes, process);
}

void perf_count_take(void *owner, size_t ring, const struct perf_event_header *record)
{
	struct perf_count *count = owner;
	uint32_t cpu = (uint32_t)(ring / RING_KINDS);

	count->lives.lost = count->processes.lost;
	if (count->lives.is_on)
		perf_switches_take(&count->lives, record);
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		take_sample(count, cpu, (const struct perf_sample *)record);
		break;
	case PERF_RECORD_MMAP2:
		take_map(count, (const struct mmap2_record *)record);
		break;
	case PERF_RECORD_COMM:
		take_name(count, (const struct comm_record *)record);
		break;
	case PERF_RECORD_FORK:
		take_fork(count, (const struct task_record *)record);
		break;
	case PERF_RECORD_EXIT:
		take_exit(count, (const struct task_record *)record);
		break;
	case PERF_RECORD_LOST:
		take_lost(count, ring, ((const struct lost_record *)record)->lost);
		break;
	case PERF_RECORD_THROTTLE:
		count->troubles[cpu].throttled = perf_trailer_of(record).tid;
		break;
	default:
		break;
	}
}

void perf_count_lost(struct perf_count *count, size_t ring, uint64_t lost)
{
	uint64_t told = count->troubles[ring / RING_KINDS].told[ring % RING_KINDS];

	if (lost > told)
		take_lost(count, ring, lost - told);
}

void perf_count_adopt(struct perf_count *count, pid_t pid, pid_t tid, const char *name)
{
	struct perf_process *process = perf_process_find(&count->processes, pid);

	count->task_total++;
	if (process) {
		process->threads++;
		process->had_threads = true;
	} else {
		process = process_of(count, pid);
		if (process)
			strncpy(process->name, name, sizeof(process->name) - 1);
	}
	if (count->by_thread)
		name_thread(count, (uint32_t)pid, (uint32_t)tid, name);
}

/* Ticks behind a thread's last sample are known by their sum alone, in which each thread may lack
 * less than a period on each CPU: what is beyond that was in kernel mode, surely. */
static void settle_hidden(struct perf_count *count, uint64_t due)
{
	uint64_t other = count->fired + count->task_total * count->cpus;

	if (due > other)
		unresolve(count, UNRESOLVED_HIDDEN, due - other);
}

void perf_count_settle(struct perf_count *count, uint64_t cpu_ns)
{
	uint64_t most = cpu_ns / count->due.period;

	for (size_t i = 0; i < count->cpus; i++) {
		uint64_t lost = count->troubles[i].lost;
		uint64_t room = most > count->fired ? most - count->fired : 0;

		unresolve(count, UNRESOLVED_LOST, lost < room ? lost : room);
		count->troubles[i].lost = 0;
	}
	if (count->hidden && count->have_counts && !count->processes.lost && !count->not_followed)
		settle_hidden(count, most);
}

void perf_count_done(struct perf_count *count)
{
	perf_processes_done(&count->processes);
	perf_tasks_done(&count->tasks);
	perf_cells_done(&count->cells);
	perf_due_done(&count->due);
	perf_stacks_done(&count->stacks);
	lives_done(&count->lives);
	free(count->troubles);
	count->troubles = NULL;
}
