// SPDX-License-Identifier: BSD-2-Clause
/* counted CALL RATE THREADS MILLIONS: the same work in each of THREADS threads, counted by CALL at
 * RATE.  Prints "TICKS CPU PROCESS" - all ticks, the CPU time of the threads that they are due to,
 * and that of the whole process meanwhile - and for each thread "ADDRESS COUNT CPU". */
#include "call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct call *const calls[] = {
	&call_none, &call_kernel, &call_perf, &call_timer, &call_libc,
#ifdef HAVE_PAPI
	&call_papi,
#endif
};

static const struct call *find(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		if (!strcmp(calls[i]->name, name))
			return calls[i];
	}
	call_refuse(name, "not in this build");
}

static uint64_t process_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

int main(int argc, char **argv)
{
	unsigned long rate = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	size_t threads = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	uint64_t millions = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
	uint64_t cpu[WORK_COPIES], counts[WORK_COPIES], ticks, process, all;
	const struct call *call;

	if (!rate || !threads || threads > WORK_COPIES || !millions) {
		fprintf(stderr, "usage: counted CALL RATE THREADS MILLIONS\n");
		return 2;
	}
	call = find(argv[1]);
	call->start(rate);
	process = process_ns();
	all = work_cpu_ns();
	work_threads(threads, millions, cpu);
	all = work_cpu_ns() - all;
	process = process_ns() - process;
	ticks = call->stop(counts);
	for (size_t i = 0; i < threads; i++)
		all += cpu[i];
	printf("%ju %ju %ju\n", (uintmax_t)ticks, (uintmax_t)all, (uintmax_t)process);
	for (size_t i = 0; i < threads; i++)
		printf("%ju %ju %ju\n", (uintmax_t)(work_text() + i * WORK_COPY_SIZE),
		       (uintmax_t)counts[i], (uintmax_t)cpu[i]);
	return 0;
}
