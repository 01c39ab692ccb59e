/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_UNIT_BURN_H
#define PROFIL_TESTS_UNIT_BURN_H

/* CPU time with a known address: two functions, each alone in a section whose ends the linker
 * knows. */

#include "../stolen.h"
#include "engine/inside/inside.h"

#include <pthread.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS 1000003

extern const char __start_burn_left[], __stop_burn_left[];
extern const char __start_burn_right[], __stop_burn_right[];

#define BURN(name)                                                                               \
	__attribute__((noinline, used, section("burn_" #name))) static void name(unsigned turns) \
	{                                                                                        \
		while (turns--)                                                                  \
			__asm__ volatile("" ::: "memory");                                       \
	}
BURN(left)
BURN(right)

typedef void burner(unsigned turns);

static inline uint64_t now_by(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline uint64_t cpu_now(void)
{
	return now_by(CLOCK_THREAD_CPUTIME_ID);
}

/* Until the calling thread has had MS more of CPU time; returns what it had, in ns. */
static inline uint64_t burn(burner *function, unsigned ms)
{
	uint64_t began = cpu_now(), now;

	do {
		function(100000);
		now = cpu_now();
	} while (now - began < ms * (uint64_t)1000000);
	return now - began;
}

static inline void *burn_left_thread(void *ms)
{
	burn(left, *(unsigned *)ms);
	return NULL;
}

/* One cell for each function, each region being exactly one of the two. */
static inline struct region burn_region(burner *function, void *cell, unsigned width,
					enum cell_full full)
{
	const char *start = function == left ? __start_burn_left : __start_burn_right;
	const char *stop = function == left ? __stop_burn_left : __stop_burn_right;

	return (struct region){.offset = (uintptr_t)start,
			       .cells = cell,
			       .count = 1,
			       .granule = (uint64_t)(stop - start),
			       .width = (uint8_t)width,
			       .full = full};
}

/* A measurement with what it needs. */
struct burning {
	const struct inside_ops *ops;
	uint64_t began; /* by the wall's clock */
	uint64_t stolen_before;
	struct region_table *table;
	struct inside *inside;
};

static inline struct burning start_regions(const struct inside_ops *ops,
					   const struct region *regions, size_t count,
					   bool this_thread)
{
	struct burning burning = {
		.ops = ops, .began = now_by(CLOCK_MONOTONIC), .stolen_before = stolen_so_far()};
	struct inside_options options = {.period_ns = PERIOD_NS, .this_thread = this_thread};
	struct error error = {.text = ""};

	assert_int_equal(region_table_new(regions, count, &burning.table), 0);
	options.table = burning.table;
	assert_int_equal(ops->start(&options, &burning.inside, &error), 0);
	assert_string_equal(error.text, "");
	return burning;
}

/* CELLS: left's, right's. */
static inline struct burning start(const struct inside_ops *ops, uint64_t cells[2],
				   bool this_thread)
{
	struct region regions[] = {burn_region(left, &cells[0], 8, CELL_WRAPS),
				   burn_region(right, &cells[1], 8, CELL_WRAPS)};

	cells[0] = cells[1] = 0;
	return start_regions(ops, regions, 2, this_thread);
}

static inline struct inside_account account(const struct burning *burning)
{
	struct inside_account account;

	assert_int_equal(burning->ops->account(burning->inside, &account), 0);
	assert_int_equal(account.ticks,
			 account.counted + account.outside + account.saturated + account.lost);
	return account;
}

static inline struct inside_account stop(struct burning *burning)
{
	struct inside_account account;

	burning->ops->stop(burning->inside, &account);
	region_table_free(burning->table);
	return account;
}

/* Whether THREADS had the CPUs for themselves.  On a machine with more to run than CPUs the
 * kernel's tick may for long come only while the others run, and timer sees none of a thread: then
 * nothing can be said of how many it must see at least. */
static inline bool was_alone(const struct burning *burning, const struct inside_account *last,
			     unsigned threads)
{
	unsigned cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t wall = now_by(CLOCK_MONOTONIC) - burning->began;

	return last->cpu_ns >= wall / 100 * 85 * (threads < cpus ? threads : cpus);
}

/* In ticks there are LEAST to MOST ns of CPU time, and what the host took (stolen.h). */
static inline void assert_within(const struct burning *burning, const struct inside_account *last,
				 uint64_t least, uint64_t most)
{
	uint64_t seen = last->ticks * PERIOD_NS, stolen;

	if (seen >= least && seen <= most)
		return;
	stolen = stolen_since(burning->stolen_before);
	if (seen + stolen < least || seen > most + stolen)
		fail_msg("off limits: %lu ns in ticks, not %lu to %lu, %lu stolen",
			 (unsigned long)seen, (unsigned long)least, (unsigned long)most,
			 (unsigned long)stolen);
}

/* Burn until there have been TICKS, or ten seconds; whether there were. */
static inline bool burn_until(struct burning *burning, burner *function, uint64_t ticks)
{
	uint64_t spent = 0;

	while (account(burning).ticks < ticks && spent < 10000000000)
		spent += burn(function, 5);
	return spent < 10000000000;
}

/* TEST by each engine that works here. */
static inline void each(void (*test)(const struct inside_ops *ops))
{
	for (size_t i = 0; inside_list[i]; i++) {
		struct inside_options options = {.period_ns = PERIOD_NS};
		struct error error;

		if (inside_list[i]->probe(&options, &error))
			print_message("# %s: %s\n", inside_list[i]->name, error.text);
		else
			test(inside_list[i]);
	}
}

/* The test NAME out of NAME_by. */
#define EACH(name)                     \
	static void name(void **state) \
	{                              \
		each(name##_by);       \
	}

#endif
