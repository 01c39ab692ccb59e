// SPDX-License-Identifier: BSD-2-Clause
/* full-cell HOW RATE: 70,000 ticks at one address, for a cell of 16 or 32 bits.  HOW is a system
 * (its profil(), at the rate of PROFIL_HZ), "libc" (the C library's profil, whose own clock is too
 * slow: its signal comes from a timer here) or ENGINE-wrap, ENGINE-saturate, ENGINE-wide for each
 * engine of libprofil.  Prints "CELL COUNTED": what the cell has, and what should have come to it,
 * by the account where there is one, else by the CPU time. */
#include "call.h"
#include "libc-profil.h"

#include <profil.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TICKS 70000
#define SCALE 256 /* 512 bytes of text a cell of 16 bits: copy 0 of the work, and another */

int profil_bsd(char *, size_t, unsigned long, unsigned);
int profil_hpux(unsigned short *, size_t, size_t, unsigned);
int profil_linux(unsigned short *, size_t, size_t, unsigned);

static _Alignas(65536) union {
	uint16_t narrow[32768];
	uint32_t wide[16384];
} cells;

/* Work for so many ticks; the CPU time that it took, in ticks. */
static uint64_t work(unsigned long rate, uint64_t (*ticks)(unsigned long))
{
	uint64_t began = ticks(rate), now = began;

	while (now - began < TICKS) {
		work_run(0, 10);
		now = ticks(rate);
	}
	return now - began;
}

static uint64_t cpu_ticks(unsigned long rate)
{
	return work_cpu_ns() * rate / 1000000000;
}

static uint64_t wall_ticks(unsigned long rate)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * rate + (uint64_t)time.tv_nsec * rate / 1000000000;
}

static void by_system(const char *system, unsigned long rate)
{
	uint64_t due;
	int code;

	if (!strcmp(system, "bsd"))
		code = profil_bsd((char *)&cells, 2, work_text(), SCALE);
	else if (!strcmp(system, "hpux"))
		code = profil_hpux(cells.narrow, 2, work_text(), SCALE);
	else
		code = profil_linux(cells.narrow, 2, work_text(), SCALE);
	if (code)
		call_refuse(system, "profil() fails");
	due = work(rate, cpu_ticks);
	profil_linux(NULL, 0, 0, 0);
	profil_bsd(NULL, 0, 0, 0);
	profil_hpux(NULL, 0, 0, 0);
	printf("%u %ju\n", *cells.narrow, (uintmax_t)due);
}

static void by_libc(unsigned long rate)
{
	struct timespec tick = {.tv_nsec = (long)(1000000000 / rate)};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
	uint64_t due;
	timer_t timer;

	if (libc_profil()(cells.narrow, 2, work_text(), SCALE) ||
	    timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &(struct itimerspec){tick, tick}, NULL))
		call_refuse("libc", "profil() or its timer fails");
	due = work(rate, wall_ticks);
	timer_delete(timer);
	libc_profil()(NULL, 0, 0, 0);
	printf("%u %ju\n", *cells.narrow, (uintmax_t)due);
}

static struct profil_measurement *measurement;

static uint64_t counted(unsigned long rate)
{
	struct profil_account account = {.size = sizeof(account)};

	if (profil_read(measurement, &account))
		call_refuse("profil_read", "fails");
	return account.counted + account.saturated;
}

static void by_engine(const char *engine, const char *how, unsigned long rate)
{
	unsigned bits = strcmp(how, "wide") ? 16 : 32;
	struct profil_options options = {
		.size = sizeof(options),
		.period_ns = 1000000000 / rate,
		.engine = engine,
		.flags = strcmp(how, "saturate") ? 0 : PROFIL_SATURATE,
	};
	struct profil_region region = {
		.offset = work_text(),
		.granule = 512,
		.cells = &cells,
		.count = sizeof(cells) * 8 / bits,
		.bits = bits,
	};

	measurement = profil_open(&options, &region, 1);
	if (!measurement || profil_start(measurement))
		call_refuse(engine, profil_why(measurement));
	work(rate, counted);
	if (profil_stop(measurement))
		call_refuse("profil_stop", "fails");
	printf("%u %ju\n", bits == 16 ? *cells.narrow : *cells.wide, (uintmax_t)counted(rate));
	profil_close(measurement);
}

int main(int argc, char **argv)
{
	unsigned long rate = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	char *dash;

	if (!rate) {
		fprintf(stderr, "usage: full-cell HOW RATE\n");
		return 2;
	}
	dash = strchr(argv[1], '-');
	if (dash) {
		*dash = 0;
		by_engine(argv[1], dash + 1, rate);
	} else if (!strcmp(argv[1], "libc")) {
		by_libc(rate);
	} else {
		by_system(argv[1], rate);
	}
	return 0;
}
