/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_TARGETS_TRUTH_H
#define PROFIL_TESTS_TARGETS_TRUTH_H

/* What the targets share: work that says itself how much CPU time it took.
 *
 * A target prints one line per name, "NAME SECONDS RUNS": so much CPU time went into the function
 * or file of that name, by the thread's own clock, in so many uninterrupted runs.  The truth thus
 * depends on no machine's speed, and RUNS bounds what any clock may be off: a run of length L
 * under a clock of period P holds floor(L / P) ticks or one more.  Equal names add up. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* How long most targets work where nothing else is asked for: 1,000 samples at the usual rate. */
#define TRUTH_SECONDS 0.2

struct truth {
	const char *name;
	double seconds;
	long runs;
};

/* A function NAME(turns), static or extern, that does nothing but count TURNS down: no call, no
 * memory, one branch.  The last line takes the semicolon. */
#define SPIN(storage, name)                                      \
	storage void name(unsigned long turns);                  \
	__attribute__((noinline)) void name(unsigned long turns) \
	{                                                        \
		do                                               \
			__asm__ volatile("" : "+r"(turns));      \
		while (--turns);                                 \
	}                                                        \
	struct truth

typedef void spin(unsigned long turns);

static unsigned long truth_turns_per_ms;

SPIN(static __attribute__((unused)), calibrate);

/* Seconds of CPU time the calling thread has used. */
static inline double truth_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Find out how fast this machine spins; call it before any thread starts.  It need not be exact:
 * the work is measured when it is done.  The fastest of some tries counts: while one runs, a
 * virtual machine may stand still, and its work would be a hundredth of what was asked for. */
static inline void truth_begin(void)
{
	const unsigned long turns = 60000;
	double least = 1;

	for (int i = 0; i < 8; i++) {
		double start = truth_clock(), took;

		calibrate(turns);
		took = truth_clock() - start;
		if (took > 0 && took < least)
			least = took;
	}
	truth_turns_per_ms = (unsigned long)((double)turns * 1e-3 / least);
}

/* A factor between 0.5 and 1.5: work of random length cannot fall in step with a clock. */
static inline double truth_jitter(void)
{
	static __thread unsigned int state;

	if (!state)
		state = (unsigned int)time(NULL) ^ ((unsigned int)getpid() << 10) ^
			(unsigned int)(1e9 * truth_clock());
	state = state * 1103515245 + 12345;
	return 0.5 + (double)(state >> 16) / 65536;
}

static inline long truth_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* Spend about SECONDS in WORK, in one call, and add what it really took to TRUTH. */
static inline void truth_spin(struct truth *truth, spin *work, double seconds)
{
	long switches = truth_switches();
	double start = truth_clock();

	work((unsigned long)(seconds * 1e3 * (double)truth_turns_per_ms) + 1);
	truth->seconds += truth_clock() - start;
	truth->runs += 1 + truth_switches() - switches;
}

/* One write a line, so that the lines of threads and children do not mix. */
static inline void truth_print(const struct truth *truth)
{
	char line[256];
	int length = snprintf(line, sizeof(line), "%s %.6f %ld\n", truth->name, truth->seconds,
			      truth->runs);

	if (write(STDOUT_FILENO, line, (size_t)length) != length)
		abort();
}

/* The whole life of most targets: THREE and ONE by turns, 3:1, SECONDS in all. */
static inline void truth_split(struct truth *three, spin *do_three, struct truth *one, spin *do_one,
			       double seconds)
{
	const int turns = 100;

	for (int turn = 0; turn < turns; turn++) {
		double unit = seconds / turns / 4 * truth_jitter();

		truth_spin(three, do_three, 3 * unit);
		truth_spin(one, do_one, unit);
	}
	truth_print(three);
	truth_print(one);
}

/* A target that cannot do its oddity says so and fails: a truth must not be guessed. */
static inline __attribute__((noreturn)) void truth_fail(const char *what)
{
	perror(what);
	exit(1);
}

#endif
