// SPDX-License-Identifier: BSD-2-Clause
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profil.h"
#include "truth.h"

/* A child that was made without fork's handlers: there nothing is measured, and every call works as
 * in a program that has measured nothing yet. */

#define CELLS 1024

static uint32_t cells[CELLS], others[CELLS];

static unsigned long sum_of(const uint32_t *all)
{
	unsigned long sum = 0;

	for (size_t i = 0; i < CELLS; i++)
		sum += all[i];
	return sum;
}

static struct profil_measurement *start_on(uint32_t *all)
{
	const struct profil_options options = {.size = sizeof(options), .period_ns = 1003009};
	const struct profil_region region = {(uintptr_t)spin_start, 4, all, CELLS, 32};
	struct profil_measurement *measurement = profil_open(&options, &region, 1);

	check(measurement != NULL, "profil_open");
	check(profil_start(measurement) == 0, "profil_start");
	return measurement;
}

static void in_child(struct profil_measurement *measurement)
{
	unsigned long before = sum_of(cells);
	struct profil_measurement *other;
	double seconds;

	(void)spin(0.1);
	check(sum_of(cells) == before, "the child is not measured");
	check(profil_stop(measurement) == 0, "profil_stop");
	other = start_on(others);
	seconds = spin(0.3);
	check(profil_stop(other) == 0, "profil_stop of its own");
	check_ticks(sum_of(others), seconds);
	profil_close(other);
	profil_close(measurement);
	_exit(0);
}

int main(void)
{
	struct profil_measurement *measurement = start_on(cells);
	double seconds = spin(0.2);
	int status;
	pid_t pid = _Fork();

	if (!pid)
		in_child(measurement);
	check(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0, "the child");
	seconds += spin(0.2);
	check(profil_stop(measurement) == 0, "profil_stop");
	check_ticks(sum_of(cells), seconds);
	profil_close(measurement);
	return 0;
}
