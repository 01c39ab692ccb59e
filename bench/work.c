// SPDX-License-Identifier: BSD-2-Clause
#include "work.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct worker {
	pthread_t thread;
	size_t copy;
	uint64_t millions, cpu_ns;
};

/* The number in the empty instruction keeps the compiler from folding the copies into one. */
#define COPY(i)                                                                               \
	__attribute__((noinline, aligned(256), section("work_copies"))) static void work_##i( \
		uint64_t steps)                                                               \
	{                                                                                     \
		uint64_t state = steps;                                                       \
                                                                                              \
		while (steps--) {                                                             \
			state = state * 6364136223846793005 + 1442695040888963407;            \
			__asm__ volatile("" : "+r"(state) : "i"(i));                          \
		}                                                                             \
	}

#define ROW(of, i) of(i##0) of(i##1) of(i##2) of(i##3) of(i##4) of(i##5) of(i##6) of(i##7)
#define ALL(of)     \
	ROW(of, 00) \
	ROW(of, 01) ROW(of, 02) ROW(of, 03) ROW(of, 04) ROW(of, 05) ROW(of, 06) ROW(of, 07)
#define NAME(i) work_##i,

ALL(COPY)

static void (*const copies[])(uint64_t) = {ALL(NAME)};

_Static_assert(sizeof(copies) / sizeof(*copies) == WORK_COPIES, "a copy for each thread");

/* The linker's own names for the section. */
extern const char __start_work_copies[];

uintptr_t work_text(void)
{
	return (uintptr_t)__start_work_copies;
}

/* The compiler may have laid the copies in any order: COPY is the place, not the name. */
void work_run(size_t copy, uint64_t millions)
{
	for (size_t i = 0; i < WORK_COPIES; i++) {
		if ((uintptr_t)copies[i] == work_text() + copy * WORK_COPY_SIZE)
			copies[i](millions * 1000000);
	}
}

uint64_t work_cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void *run(void *data)
{
	struct worker *worker = data;

	work_run(worker->copy, worker->millions);
	worker->cpu_ns = work_cpu_ns();
	return NULL;
}

void work_threads(size_t count, uint64_t millions, uint64_t *ret_cpu_ns)
{
	struct worker workers[WORK_COPIES];

	for (size_t i = 0; i < count; i++) {
		int code;

		workers[i] = (struct worker){.copy = i, .millions = millions};
		code = pthread_create(&workers[i].thread, NULL, run, &workers[i]);
		if (code) {
			fprintf(stderr, "bench: thread: %s\n", strerror(code));
			exit(1);
		}
	}
	for (size_t i = 0; i < count; i++) {
		pthread_join(workers[i].thread, NULL);
		ret_cpu_ns[i] = workers[i].cpu_ns;
	}
}
