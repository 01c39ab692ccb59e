// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <profil.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../refuse.h"
#include "truth.h"

/* An engine that is chosen and then cannot start leaves it to the next one, and PROFIL_DEBUG says
 * so; one that is refused before is not chosen; and the one that was asked for fails. */

#define PAGE 65536 /* a page, of whatever size, or some */

static uint32_t cells[PAGE / 4] __attribute__((aligned(PAGE)));
static unsigned short counters[PAGE / 2] __attribute__((aligned(PAGE)));

static struct profil_measurement *open_one(void)
{
	const struct profil_region region = {(uintptr_t)spin_start, spin_size, cells, PAGE / 4, 32};

	return profil_open(NULL, &region, 1);
}

/* What is said on stderr from here to listen_end(). */
static int ends[2], before;

static void listen_begin(void)
{
	before = dup(STDERR_FILENO);
	check(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0, "pipe");
}

static const char *listen_end(void)
{
	static char said[4096];
	ssize_t length;

	check(write(ends[1], "\n", 1) == 1, "write");
	length = read(ends[0], said, sizeof(said) - 1);
	said[length > 0 ? length : 0] = '\0';
	check(dup2(before, STDERR_FILENO) >= 0, "dup2");
	(void)close(ends[0]);
	(void)close(ends[1]);
	(void)close(before);
	(void)fprintf(stderr, "%s", said);
	return said;
}

static int is_chosen(const char *engine)
{
	struct profil_measurement *measurement = open_one();
	int is = measurement && !strcmp(profil_engine(measurement), engine);

	profil_close(measurement);
	return is;
}

static void modern_calls_go_on(void)
{
	struct profil_measurement *measurement = open_one();
	const char *said;
	double seconds;

	check(!strcmp(profil_engine(measurement), "kernel"), "the kernel engine is chosen");
	check(refuse_events() == 0, "seccomp");
	listen_begin();
	check(profil_start(measurement) == 0, "profil_start");
	said = listen_end();
	check(strstr(said, "libprofil: profil_start: timer engine") != NULL, "timer is named");
	check(strstr(said, "kernel: ") && strstr(said, "; perf: "), "and why no better one");
	check(!strcmp(profil_engine(measurement), "timer"), "the timer engine counts");
	seconds = spin(0.4);
	check(profil_stop(measurement) == 0, "profil_stop");
	check_ticks(cells[0], seconds);
	profil_close(measurement);
}

static void historical_calls_go_on(void)
{
	unsigned long sum = 0;
	const char *said;
	double seconds;

	listen_begin();
	check(profil(counters, sizeof(counters), (size_t)spin_start, 65536) == 0, "profil");
	said = listen_end();
	check(strstr(said, "libprofil: profil: timer engine") != NULL, "timer is named");
	seconds = spin(0.4);
	check(profil(NULL, 0, 0, 0) == 0, "off");
	for (size_t i = 0; i < spin_size / 2; i++)
		sum += counters[i];
	check_ticks(sum, seconds);
}

static void the_one_that_is_named_fails(void)
{
	const char *said;

	check(setenv("PROFIL_ENGINE", "kernel", 1) == 0, "setenv");
	listen_begin();
	errno = 0;
	check(profil(counters, sizeof(counters), (size_t)spin_start, 65536) == -1, "it fails");
	check(errno == EPERM, "EPERM");
	said = listen_end();
	check(strstr(said, "perf_event_open") && !strstr(said, "perf:"), "and nobody else");
}

int main(void)
{
	check(setenv("PROFIL_DEBUG", "1", 1) == 0, "setenv");
	if (!is_chosen("kernel")) {
		(void)fprintf(stderr, "# SKIPPED: the kernel engine cannot count here\n");
		return 77;
	}
	modern_calls_go_on();
	historical_calls_go_on();
	the_one_that_is_named_fails();
	return 0;
}
