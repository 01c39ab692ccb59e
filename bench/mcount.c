/* SPDX-License-Identifier: BSD-2-Clause */
/* mcount THREADS ARCS ROUNDS: what a call of mcount costs, in ns of the wall clock of a thread that
 * has a processor, which is CPU time here: functions with mcount in them, without it, and the
 * difference is printed.  ARCS is 10, 1000 or 100000 different calls, again and again.
 *
 * Each call has 16 bytes to itself, but for 99999 that stand one after the other, and there are 4
 * MiB of text besides: so glibc tells all arcs apart and has room for them. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FUNCTIONS(name, call)                                            \
	__asm__(".text\n.p2align 5\n" name ":\n.rept 1000\n.p2align 5\n" \
		"push %rbp\nmov %rsp, %rbp\n" call "pop %rbp\nret\n.endr\n")

/* Function number i % 1000 in turn. */
#define CALLS(name, functions, count, align)                                                 \
	__asm__(".text\n.globl " name "\n.type " name ", @function\n.p2align 4\n" name ":\n" \
		".set turn, 0\n.rept " count "\n.p2align " align "\ncall " functions         \
		" + turn\n.set turn, (turn + 32) % 32000\n.endr\nret\n")

FUNCTIONS("counted", "call *mcount@GOTPCREL(%rip)\n");
FUNCTIONS("plain", "");
CALLS("counted_10", "counted", "10", "4");
CALLS("counted_1000", "counted", "1000", "4");
CALLS("counted_100000", "counted", "100000", "4");
CALLS("counted_99999", "counted", "99999", "0");
CALLS("plain_99999", "plain", "99999", "0");
CALLS("plain_10", "plain", "10", "4");
CALLS("plain_1000", "plain", "1000", "4");
CALLS("plain_100000", "plain", "100000", "4");
__asm__(".text\n.skip 0x400000\n");

void counted_10(void), counted_1000(void), counted_99999(void), counted_100000(void);
void plain_10(void), plain_1000(void), plain_99999(void), plain_100000(void);

static const struct set {
	long arcs;
	void (*counted)(void), (*plain)(void);
} sets[] = {{10, counted_10, plain_10},
	    {1000, counted_1000, plain_1000},
	    {99999, counted_99999, plain_99999},
	    {100000, counted_100000, plain_100000}};

static long rounds;

static double cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double time_of(void (*calls)(void))
{
	double began = cpu();

	for (long i = 0; i < rounds; i++)
		calls();
	return cpu() - began;
}

static double results[64];
static const struct set *set;

static void *run(void *result)
{
	set->counted();
	*(double *)result = (time_of(set->counted) - time_of(set->plain)) /
			    ((double)rounds * (double)set->arcs);
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = atoi(argv[1]);
	long arcs = atol(argv[2]);
	pthread_t all[64];
	double sum = 0;

	rounds = atol(argv[3]);
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++)
		if (sets[i].arcs == arcs)
			set = &sets[i];
	if (!set || threads < 1 || threads > 64)
		return 2;
	for (int i = 1; i < threads; i++)
		if (pthread_create(&all[i], NULL, run, &results[i]))
			return 1;
	run(&results[0]);
	for (int i = 1; i < threads; i++)
		pthread_join(all[i], NULL);
	for (int i = 0; i < threads; i++)
		sum += results[i];
	printf("%.3f\n", sum / threads);
	return 0;
}
