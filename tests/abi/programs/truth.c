// SPDX-License-Identifier: BSD-2-Clause
#include "truth.h"

#include "../../stolen.h"
#include "profil.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define SKIPPED 77

/* Half a kilobyte of its own, so that no other function's ticks fall into its cells. */
__attribute__((noinline, aligned(512), section(".text.spin"))) static void
spin_code(unsigned long turns)
{
	while (turns--)
		__asm__ volatile("" ::: "memory");
}

__attribute__((used, aligned(512), section(".text.spin"))) static void spin_end(void)
{
}

char *const spin_start = (char *)spin_code;
const size_t spin_size = 512;

static double cpu_seconds(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* What the host had taken when the program began. */
static uint64_t stolen_before;

/* How many times all that spun was put on a processor since check_ticks() last looked. */
static unsigned long turns_on_cpu;

static unsigned long switches(void)
{
	struct rusage usage;

	(void)getrusage(RUSAGE_THREAD, &usage);
	return (unsigned long)(usage.ru_nivcsw + usage.ru_nvcsw);
}

double spin(double seconds)
{
	/* No constant to clone spin_code() for.  Tens of milliseconds: where more threads run than
	 * processors, the kernel puts one off the processor where it leaves a system call, and the
	 * timer engine's signal finds it there with all that it is due; so calls must be rare. */
	static volatile unsigned long turns = 100000000;
	double start = cpu_seconds(), now;
	unsigned long before = switches();

	do {
		spin_code(turns);
		now = cpu_seconds();
	} while (now - start < seconds);
	(void)__atomic_add_fetch(&turns_on_cpu, switches() - before + 1, __ATOMIC_RELAXED);
	return now - start;
}

void check(int truth, const char *what)
{
	if (truth)
		return;
	(void)fprintf(stderr, "%s: not so\n", what);
	exit(1);
}

/* The kernel engine's clock is the processor's: a turn on it has the ticks that fall into it, which
 * are the due ones rounded up or down by chance.  By Hoeffding's bound a sum of N such errors, each
 * in a range of 1, is beyond the root of N x ln(2 / 1e-6) / 2 with a chance of 1e-6 at most. */
static int is_chance(double error)
{
	const char *engine = getenv("PROFIL_ENGINE");
	unsigned long turns = __atomic_exchange_n(&turns_on_cpu, 0, __ATOMIC_RELAXED);

	return engine && !strcmp(engine, "kernel") && error * error <= (double)turns * 7.26;
}

/* ThreadSanitizer hands a signal over at the program's next call, with the place where it came.
 * What is due is charged there: where that is in the sanitizer's own code, a whole loop of
 * spin_code(), 40 to 80 ticks, is outside.  At a load of 6 that were 2 loops of 600.  It would take
 * 7 of the at least 15 of a program to be beyond these limits: a chance below 1e-12. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FEWER 0.5
#endif
#endif
#ifndef FEWER
#define FEWER 0.05
#endif

void check_ticks(unsigned long ticks, double seconds)
{
	double due = seconds * strtod(getenv("PROFIL_HZ"), NULL);
	double apart = (double)ticks > due ? (double)ticks - due : due - (double)ticks;
	double error = apart - due * ((double)ticks > due ? 0.05 : FEWER) - 4;

	(void)fprintf(stderr, "# %lu ticks of %.1f\n", ticks, due);
	if (error > 0)
		error -= due / seconds * (double)stolen_since(stolen_before) / 1e9;
	check(error <= 0 || is_chance(error), "off limits: ticks x period");
}

/* An engine that cannot work on this machine is not tried.  The cells are whole pages of any size:
 * the kernel engine takes no others. */
__attribute__((constructor)) static void begin(void)
{
	static uint32_t cells[65536 / 4] __attribute__((aligned(65536)));
	const struct profil_region region = {(uintptr_t)spin_start, 512, cells, 65536 / 4, 32};
	struct profil_measurement *measurement;

	stolen_before = stolen_so_far();
	(void)setenv("PROFIL_HZ", "997", 0);
	measurement = profil_open(NULL, &region, 1);
	if (!measurement && (errno == EPERM || errno == ENOSYS)) {
		(void)fprintf(stderr, "# skipped: %s\n", profil_why(NULL));
		exit(SKIPPED);
	}
	check(measurement != NULL, "profil_open");
	profil_close(measurement);
}
