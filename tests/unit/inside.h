/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_INSIDE_H
#define PROFIL_TESTS_INSIDE_H

/* One measurement of this very program by the kernel engine; include it behind cmocka.h. */

#include "../targets/truth.h"
#include "../stolen.h"
#include "engine/clock.h"
#include "engine/inside/inside.h"

#include <errno.h>
#include <math.h>
#include <sys/mman.h>

#define PAGE 4096

/* ------------------------------------------------------------------ what is measured */

/* Each has a kilobyte of text of its own. */
#define SPINS __attribute__((section(".text.spins"), aligned(1024)))
SPINS SPIN(static, spin_one);

/* CPU time in which the machine stood still, as far as was seen: a virtual one may, and its
 * interrupts are not made up, while the kernel's CPU time goes on. */
static uint64_t paused_ns;

/* truth_spin(), watching every millisecond for a pause. */
static inline void watched_spin(struct truth *truth, spin *work, double seconds)
{
	const long turns = (long)(seconds * 1e3) + 1;
	const double asked = seconds / (double)turns;

	for (long turn = 0; turn < turns; turn++) {
		double before = truth->seconds, took;

		truth_spin(truth, work, asked);
		took = truth->seconds - before;
		if (took > 3 * asked)
			__atomic_fetch_add(&paused_ns, (uint64_t)(1e9 * (took - asked)),
					   __ATOMIC_RELAXED);
	}
	truth->runs -= turns - 1;
}

static inline void spin_for(double seconds)
{
	struct truth truth = {};

	watched_spin(&truth, spin_one, seconds);
}

/* ------------------------------------------------------------------ how */

struct run {
	struct region_table *table;
	struct inside *inside;
	struct inside_account account;
	uint64_t stolen_before, paused;
};

/* A period within an eighth of 1 / RATE, to keep step with no other clock of the machine, not even
 * that of another test. */
static inline uint64_t period_near(unsigned rate)
{
	return clock_odd_period((uint64_t)(1e9 / rate * (0.875 + (truth_jitter() - 0.5) / 4)));
}

static inline void *pages(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	return memory;
}

/* A byte of text a cell. */
static inline struct region region_of(spin *function, uint32_t *cells)
{
	return (struct region){
		.offset = (uintptr_t)function,
		.cells = cells,
		.count = 1024,
		.granule = 1,
		.width = 4,
		.full = CELL_SATURATES,
	};
}

static inline struct region catch_all(void *cells, unsigned width, enum cell_full full)
{
	return (struct region){
		.cells = cells,
		.count = PAGE / width,
		.width = (uint8_t)width,
		.full = full,
		.catch_all = true,
	};
}

static inline void begin(struct run *run, const struct region *regions, size_t count,
			 uint64_t period_ns, bool this_thread)
{
	struct inside_options options = {.period_ns = period_ns, .this_thread = this_thread};
	struct error error = {};

	memset(run, 0, sizeof(*run));
	assert_int_equal(region_table_new(regions, count, &run->table), 0);
	options.table = run->table;
	if (inside_kernel.probe(&options, &error) ||
	    inside_kernel.start(&options, &run->inside, &error))
		fail_msg("%s", error.text);
	run->stolen_before = stolen_so_far();
	paused_ns = 0;
}

static inline void stop(struct run *run)
{
	inside_kernel.stop(run->inside, &run->account);
	region_table_free(run->table);
	run->paused = paused_ns;
	assert_int_equal(run->account.ticks, run->account.counted + run->account.outside +
						     run->account.saturated + run->account.lost);
}

static inline void end(struct run *run)
{
	stop(run);
	assert_int_equal(run->account.lost, 0);
}

static inline struct inside_account account_now(const struct run *run)
{
	struct inside_account account;

	assert_int_equal(inside_kernel.account(run->inside, &account), 0);
	return account;
}

static inline uint64_t sum(const uint32_t *cells, size_t count)
{
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += cells[i];
	return total;
}

/* Every run of length L holds floor(L / P) ticks or one more, at random: over N runs the deviation
 * is within 6 * sqrt(N) / 2 but for 2e-9 of the cases.  Ticks go on in stolen time (stolen.h); and
 * an hour on the clock of a virtual machine is not exactly one on the other, hence one in 200. */
static inline void assert_ticks(uint64_t ticks, double seconds, long runs, uint64_t period_ns,
				const struct run *run)
{
	double due = seconds * 1e9 / (double)period_ns;
	double play = 3 * sqrt((double)runs + 1) + due / 200 + 2;
	double lacking = (double)run->paused / (double)period_ns;
	double extra;

	if ((double)ticks >= due - play - lacking && (double)ticks <= due + play)
		return;
	extra = (double)stolen_since(run->stolen_before) / (double)period_ns;
	if ((double)ticks < due - play - lacking - extra || (double)ticks > due + play + extra)
		fail_msg("off limits: %lu ticks, %.1f are due, play %.1f, stolen %.1f, paused %.1f",
			 (unsigned long)ticks, due, play, extra, lacking);
}

static inline void assert_refused(void *cells, size_t count, int code, const char *word)
{
	struct region region = {.cells = cells, .count = count, .granule = 1, .width = 2};
	struct inside_options options = {.period_ns = 1000000};
	struct region_table *table;
	struct error error = {};

	assert_int_equal(region_table_new(&region, 1, &table), 0);
	options.table = table;
	assert_int_equal(inside_kernel.probe(&options, &error), code);
	if (!strstr(error.text, word))
		fail_msg("'%s' does not say '%s'", error.text, word);
	region_table_free(table);
}

static inline int find_privilege(void **state)
{
	struct region region = {.granule = 1, .width = 2};
	struct inside_options options = {.period_ns = 1000000};
	struct region_table *table;
	struct error error = {};
	const char *ci = getenv("CI");
	int r;

	assert_int_equal(region_table_new(&region, 1, &table), 0);
	options.table = table;
	r = inside_kernel.probe(&options, &error);
	region_table_free(table);
	truth_begin();
	if (r && ci && !strcmp(ci, "true"))
		fail_msg("%s", error.text);
	if (r) {
		(void)printf("1..0 # SKIP %s\n", error.text);
		exit(0);
	}
	return 0;
}

#endif
