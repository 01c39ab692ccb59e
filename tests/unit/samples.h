/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_SAMPLES_H
#define PROFIL_TESTS_SAMPLES_H

#include "profile/pprof.h"
#include "profile/profile.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Profiles for tests, and what it means that two are equal; include it behind cmocka.h. */

static inline uint32_t samples_text(struct profile *profile, const char *text)
{
	uint32_t id;

	assert_int_equal(profile_string(profile, text, &id), 0);
	return id;
}

static inline void samples_cell(struct profile *profile, enum location_kind kind, uint32_t mapping,
				uint64_t address, uint32_t lines, uint32_t task, uint64_t ticks)
{
	struct profile_location location = {
		.kind = kind,
		.mapping = mapping,
		.address = address,
		.first_line = lines ? (uint32_t)profile->line_count : 0,
		.line_count = lines,
	};
	struct profile_cell cell = {.task = task, .ticks = ticks};
	uint32_t index;

	for (uint32_t i = 0; i < lines; i++) {
		struct profile_line line = {.function = i, .line = 40 + i};

		assert_int_equal(profile_add_line(profile, &line, &index), 0);
	}
	assert_int_equal(profile_add_location(profile, &location, &cell.location), 0);
	assert_int_equal(profile_add_cell(profile, &cell), 0);
}

static inline void samples_mapping(struct profile *profile, enum profile_class class,
				   const char *path, const char *build_id, const char *note,
				   const struct file_identity *identity)
{
	struct profile_mapping mapping = {
		.class = class,
		.path = samples_text(profile, path),
		.build_id = samples_text(profile, build_id),
		.note = samples_text(profile, note),
		.start = 0x1000 * (class + 1),
		.limit = UINT64_MAX - class,
		.offset = 0x2000 * class,
		.identity = *identity,
	};
	uint32_t index;

	assert_int_equal(profile_add_mapping(profile, &mapping, &index), 0);
}

static inline void samples_names(struct profile *profile)
{
	struct profile_function functions[] = {
		{samples_text(profile, "ns::f(int)"), samples_text(profile, "_ZN2ns1fEi"),
		 samples_text(profile, "/src/f \xff.cc"), 12},
		{samples_text(profile, "main"), samples_text(profile, "main"), 0, 0},
	};
	uint32_t index;

	for (size_t i = 0; i < 2; i++)
		assert_int_equal(profile_add_function(profile, &functions[i], &index), 0);
}

static inline void samples_facts(struct profile *profile)
{
	profile->facts = (struct profile_facts){
		.producer = samples_text(profile, "profil 0.1.0"),
		.command = samples_text(profile, "xz -9k 'a: b'\nsecond line"),
		.engine = samples_text(profile, "kernel"),
		.event = samples_text(profile, "cpu-clock"),
		.clock = samples_text(profile, "task"),
		.system = samples_text(profile, "Linux 6.18.0 x86_64"),
		.time_ns = 1790000000123456789,
		.duration_ns = 5000000001,
		.period_ns = 1003009,
		.samples = 1023 + 1024 + 2048,
		.cpu_ns = 4999999999,
		.remainder_ns = 77,
		.task_total = 3,
		.not_followed = 2,
		.untold = 5,
		.cpus_joined = 4,
		.unclocked_ns = 1500000,
		.left_running = 6,
		.runs = 7,
		.cpu_at_least = true,
		.machine_ns = 10000000002,
		.idle_ns = 4000000000,
		.cell_limit = 65536,
		.partial = true,
	};
}

static inline void samples_call(struct profile *profile, uint32_t caller, uint32_t callee,
				uint64_t count)
{
	struct profile_call call = {.caller = caller, .callee = callee, .count = count};

	assert_int_equal(profile_add_call(profile, &call), 0);
}

/* One of everything. */
static inline struct profile *samples_full(void)
{
	static const struct file_identity here = {2049, 77, 0xfffffff0, 1663687647123456789};
	static const struct file_identity none;
	struct profile *profile = profile_new();
	struct profile_task tasks[] = {{100, 0, 0}, {100, 101, 0}, {100, 0, 0},
				       {7, 9, 0},   {.cpu = 1},	   {7, 0, 0, 3}};
	uint32_t index;

	assert_non_null(profile);
	samples_mapping(profile, CLASS_PROGRAM, "/usr/bin/a b", "00ff", "", &here);
	samples_mapping(profile, CLASS_LIBRARIES, "/lib/x.so", "", "changed: on disk", &here);
	samples_mapping(profile, CLASS_KERNEL, "[kernel]", "", "", &none);
	samples_mapping(profile, CLASS_VDSO, "[vdso]", "", "", &none);
	samples_mapping(profile, CLASS_ANONYMOUS, "[anon] node (100)", "", "", &none);
	samples_mapping(profile, CLASS_UNRESOLVED, "[unresolved]", "", "", &none);
	samples_mapping(profile, CLASS_IDLE, "[idle]", "", "", &none);
	tasks[0].name = samples_text(profile, "node");
	tasks[1].name = samples_text(profile, "worker 1");
	tasks[2].name = samples_text(profile, "other");
	tasks[5].cgroup = samples_text(profile, "/a.slice/b");
	tasks[2].title = samples_text(profile, "other: worker process");
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(profile_add_task(profile, &tasks[i], &index), 0);
	samples_names(profile);
	samples_cell(profile, LOCATION_ADDRESS, 0, 0x1234, 2, PROFILE_NO_TASK, 1);
	samples_cell(profile, LOCATION_OVERFLOW, 0, 0x1000, 1, PROFILE_NO_TASK, 2);
	samples_cell(profile, LOCATION_ADDRESS, 1, 0, 0, 0, 4);
	samples_cell(profile, LOCATION_OVERFLOW, 1, 0, 0, PROFILE_NO_TASK, 8);
	samples_cell(profile, LOCATION_ADDRESS, 2, UINT64_MAX, 0, 1, 16);
	samples_cell(profile, LOCATION_ADDRESS, 3, 0x900, 0, 2, 32);
	samples_cell(profile, LOCATION_ADDRESS, 4, 0x7f0000001000, 0, 3, 64);
	samples_cell(profile, LOCATION_UNRESOLVED, 5, UNRESOLVED_NO_MAPPING, 1, PROFILE_NO_TASK,
		     128);
	samples_cell(profile, LOCATION_UNRESOLVED, 5, UNRESOLVED_FILES_FULL, 0, PROFILE_NO_TASK,
		     768);
	samples_cell(profile, LOCATION_ADDRESS, 6, 0, 0, 4, 1024);
	samples_cell(profile, LOCATION_ADDRESS, 2, 0xffffffff81000000, 0, 5, 2048);
	samples_call(profile, PROFILE_NO_CALLER, 0, 1);
	samples_call(profile, 2, 0, TICKS_MAX);
	samples_call(profile, 0, 2, 3);
	samples_facts(profile);
	return profile;
}

static inline void samples_texts_equal(const struct profile *a, uint32_t in_a,
				       const struct profile *b, uint32_t in_b)
{
	assert_string_equal(profile_text(a, in_a), profile_text(b, in_b));
}

static inline void samples_facts_equal(const struct profile *a, const struct profile *b)
{
	const struct profile_facts *x = &a->facts, *y = &b->facts;

	samples_texts_equal(a, x->producer, b, y->producer);
	samples_texts_equal(a, x->command, b, y->command);
	samples_texts_equal(a, x->engine, b, y->engine);
	samples_texts_equal(a, x->event, b, y->event);
	samples_texts_equal(a, x->clock, b, y->clock);
	samples_texts_equal(a, x->system, b, y->system);
	assert_int_equal(x->time_ns, y->time_ns);
	assert_int_equal(x->duration_ns, y->duration_ns);
	assert_int_equal(x->period_ns, y->period_ns);
	assert_int_equal(x->samples, y->samples);
	assert_int_equal(x->cpu_ns, y->cpu_ns);
	assert_int_equal(x->remainder_ns, y->remainder_ns);
	assert_int_equal(x->task_total, y->task_total);
	assert_int_equal(x->not_followed, y->not_followed);
	assert_int_equal(x->untold, y->untold);
	assert_int_equal(x->cpus_joined, y->cpus_joined);
	assert_int_equal(x->unclocked_ns, y->unclocked_ns);
	assert_int_equal(x->left_running, y->left_running);
	assert_int_equal(x->runs, y->runs);
	assert_int_equal(x->cpu_at_least, y->cpu_at_least);
	assert_int_equal(x->cell_limit, y->cell_limit);
	assert_int_equal(x->partial, y->partial);
	assert_int_equal(x->foreign, y->foreign);
}

static inline void samples_mappings_equal(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->mapping_count, b->mapping_count);
	for (size_t i = 0; i < a->mapping_count; i++) {
		const struct profile_mapping *x = &a->mappings[i], *y = &b->mappings[i];

		assert_int_equal(x->class, y->class);
		samples_texts_equal(a, x->path, b, y->path);
		samples_texts_equal(a, x->build_id, b, y->build_id);
		samples_texts_equal(a, x->note, b, y->note);
		assert_int_equal(x->start, y->start);
		assert_int_equal(x->limit, y->limit);
		assert_int_equal(x->offset, y->offset);
		assert_int_equal(x->identity.device, y->identity.device);
		assert_int_equal(x->identity.inode, y->identity.inode);
		assert_int_equal(x->identity.generation, y->identity.generation);
		assert_int_equal(x->identity.mtime_ns, y->identity.mtime_ns);
	}
}

static inline void samples_lines_equal(const struct profile *a, const struct profile_location *x,
				       const struct profile *b, const struct profile_location *y)
{
	assert_int_equal(x->line_count, y->line_count);
	for (uint32_t i = 0; i < x->line_count; i++) {
		const struct profile_line *p = &a->lines[x->first_line + i];
		const struct profile_line *q = &b->lines[y->first_line + i];
		const struct profile_function *f = &a->functions[p->function];
		const struct profile_function *g = &b->functions[q->function];

		assert_int_equal(p->line, q->line);
		samples_texts_equal(a, f->name, b, g->name);
		samples_texts_equal(a, f->system_name, b, g->system_name);
		samples_texts_equal(a, f->file, b, g->file);
		assert_int_equal(f->start_line, g->start_line);
	}
}

/* The same calls, however contexts are numbered. */
static inline void samples_stacks_equal(const struct profile *a, const struct profile_cell *p,
					const struct profile *b, const struct profile_cell *q)
{
	uint32_t i = p->context, j = q->context;

	assert_int_equal(p->stack_end, q->stack_end);
	while (i && j) {
		const struct profile_context *x = &a->contexts[i - 1], *y = &b->contexts[j - 1];

		assert_int_equal(x->location, y->location);
		assert_int_equal(x->interrupted, y->interrupted);
		assert_int_equal(x->folded, y->folded);
		i = x->parent;
		j = y->parent;
	}
	assert_int_equal(i, j);
}

static inline void samples_cells_equal(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->location_count, b->location_count);
	assert_int_equal(a->function_count, b->function_count);
	assert_int_equal(a->cell_count, b->cell_count);
	assert_int_equal(a->context_count, b->context_count);
	for (size_t i = 0; i < a->cell_count; i++) {
		const struct profile_cell *p = &a->cells[i], *q = &b->cells[i];
		const struct profile_location *x = &a->locations[p->location];
		const struct profile_location *y = &b->locations[q->location];

		assert_int_equal(p->location, q->location);
		assert_int_equal(p->ticks, q->ticks);
		assert_int_equal(x->kind, y->kind);
		assert_int_equal(x->mapping, y->mapping);
		assert_int_equal(x->address, y->address);
		samples_lines_equal(a, x, b, y);
		samples_stacks_equal(a, p, b, q);
		assert_int_equal(p->task == PROFILE_NO_TASK, q->task == PROFILE_NO_TASK);
		if (p->task == PROFILE_NO_TASK)
			continue;
		assert_int_equal(a->tasks[p->task].pid, b->tasks[q->task].pid);
		assert_int_equal(a->tasks[p->task].tid, b->tasks[q->task].tid);
		samples_texts_equal(a, a->tasks[p->task].name, b, b->tasks[q->task].name);
		assert_int_equal(a->tasks[p->task].cpu, b->tasks[q->task].cpu);
		samples_texts_equal(a, a->tasks[p->task].cgroup, b, b->tasks[q->task].cgroup);
		samples_texts_equal(a, a->tasks[p->task].title, b, b->tasks[q->task].title);
	}
}

static inline void samples_calls_equal(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->call_count, b->call_count);
	for (size_t i = 0; i < a->call_count; i++) {
		assert_int_equal(a->calls[i].caller, b->calls[i].caller);
		assert_int_equal(a->calls[i].callee, b->calls[i].callee);
		assert_int_equal(a->calls[i].count, b->calls[i].count);
	}
}

/* Every field, texts by what they say. */
static inline void samples_equal(const struct profile *a, const struct profile *b)
{
	samples_facts_equal(a, b);
	samples_mappings_equal(a, b);
	samples_cells_equal(a, b);
	samples_calls_equal(a, b);
}

/* Written and read again; a disk takes its time. */
static inline struct profile *samples_through_a_file(const struct profile *profile)
{
	int fd = memfd_create("profil-test", 0);
	struct profile *back;
	struct error error;
	char path[64];

	assert_true(fd >= 0);
	assert_int_equal(pprof_send(profile, fd), 0);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(pprof_read(path, &back, &error), 0);
	assert_int_equal(close(fd), 0);
	return back;
}

#endif
