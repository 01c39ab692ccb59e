// SPDX-License-Identifier: BSD-2-Clause
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profil.h"
#include "truth.h"

/* Cells on the stack, and whole pages of it: the kernel's own mapping of the first thread's stack
 * is nothing to put a map's pages in, so the next engine counts, and it is said why.  Another
 * thread's stack is memory like any other. */

#define PAGE 65536 /* a page, of whatever size, or some */

static int kernel_can(void)
{
	static uint32_t cells[PAGE / 4] __attribute__((aligned(PAGE)));
	const struct profil_options options = {.size = sizeof(options), .engine = "kernel"};
	const struct profil_region region = {(uintptr_t)spin_start, spin_size, cells, PAGE / 4, 32};
	struct profil_measurement *measurement = profil_open(&options, &region, 1);

	if (!measurement)
		(void)fprintf(stderr, "# SKIPPED: the kernel engine's part: %s\n",
			      profil_why(NULL));
	profil_close(measurement);
	return measurement != NULL;
}

static void count(uint32_t *cells, const char *engine, const char *why)
{
	const struct profil_region region = {(uintptr_t)spin_start, spin_size, cells, PAGE / 4, 32};
	struct profil_measurement *measurement;
	double seconds;

	memset(cells, 0, PAGE);
	measurement = profil_open(NULL, &region, 1);
	check(measurement != NULL, "profil_open");
	check(profil_start(measurement) == 0, "profil_start");
	(void)fprintf(stderr, "# %s; %s\n", profil_engine(measurement), profil_why(measurement));
	if (engine)
		check(!strcmp(profil_engine(measurement), engine), engine);
	check(strstr(profil_why(measurement), why) != NULL, why);
	seconds = spin(0.4);
	check(profil_stop(measurement) == 0, "profil_stop");
	check_ticks(cells[0], seconds);
	profil_close(measurement);
}

static void *count_in_thread(void *unused)
{
	uint32_t cells[PAGE / 4] __attribute__((aligned(PAGE)));

	count(cells, "kernel", "");
	return unused;
}

/* What PROFIL_DEBUG makes profil_open() say. */
static void is_said(const uint32_t *cells)
{
	const struct profil_region region = {(uintptr_t)spin_start, spin_size, (void *)cells,
					     PAGE / 4, 32};
	int ends[2], before = dup(STDERR_FILENO);
	char said[2048];
	ssize_t length;

	check(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0, "pipe");
	(void)setenv("PROFIL_DEBUG", "1", 1);
	profil_close(profil_open(NULL, &region, 1));
	(void)unsetenv("PROFIL_DEBUG");
	check(dup2(before, STDERR_FILENO) >= 0, "dup2");
	length = read(ends[0], said, sizeof(said) - 1);
	check(length > 0, "something is said");
	said[length] = '\0';
	check(strstr(said, "the stack: take private anonymous memory") != NULL, said);
	check(strstr(said, "libprofil: profil_open: kernel engine") == NULL, said);
}

int main(void)
{
	uint32_t cells[PAGE / 4] __attribute__((aligned(PAGE)));
	pthread_t thread;

	if (!kernel_can()) {
		count(cells, NULL, "kernel");
		return 0;
	}
	count(cells, NULL, "the stack");
	is_said(cells);
	check(!pthread_create(&thread, NULL, count_in_thread, NULL), "pthread_create");
	check(!pthread_join(thread, NULL), "pthread_join");
	return 0;
}
