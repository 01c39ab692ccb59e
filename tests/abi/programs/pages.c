// SPDX-License-Identifier: BSD-2-Clause
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profil.h"
#include "truth.h"

/* A buffer of whole pages, which each engine takes: counts move while they are read, a child goes
 * on in its own copy, several measurements are on at once, and reset begins anew. */

#define PAGES 65536

static uint32_t *cells_new(void)
{
	void *cells = mmap(NULL, PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(cells != MAP_FAILED, "mmap");
	return cells;
}

static struct profil_measurement *open_on(uint32_t *cells)
{
	const struct profil_options options = {.size = sizeof(options), .period_ns = 1003009};
	const struct profil_region region = {(uintptr_t)spin_start, 4, cells,
					     PAGES / sizeof(*cells), 32};
	struct profil_measurement *measurement = profil_open(&options, &region, 1);

	check(measurement != NULL, "profil_open");
	return measurement;
}

static unsigned long sum_of(const uint32_t *cells)
{
	unsigned long sum = 0;

	for (size_t i = 0; i < PAGES / sizeof(*cells); i++)
		sum += __atomic_load_n(&cells[i], __ATOMIC_RELAXED);
	return sum;
}

static unsigned long counted_by(struct profil_measurement *measurement)
{
	struct profil_account account = {.size = sizeof(account)};

	check(profil_read(measurement, &account) == 0, "profil_read");
	check(account.ticks == account.counted + account.outside + account.saturated + account.lost,
	      "the account adds up");
	return account.counted;
}

static void in_child(struct profil_measurement *measurement, const uint32_t *cells)
{
	unsigned long before = sum_of(cells);
	double seconds = spin(0.3);

	check(profil_stop(measurement) == 0, "profil_stop in the child");
	check(before > 0, "the child has what was counted");
	check_ticks(sum_of(cells) - before, seconds);
	profil_close(measurement);
	_exit(0);
}

static void try_fork(struct profil_measurement *measurement, const uint32_t *cells)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		in_child(measurement, cells);
	check(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0, "the child");
}

int main(void)
{
	uint32_t *first = cells_new(), *second = cells_new();
	struct profil_measurement *one = open_on(first), *two = open_on(second);
	double seconds, later;

	check(profil_start(one) == 0, "profil_start");
	seconds = spin(0.3);
	check(sum_of(first) > 100, "counts move while it is on");
	check(profil_start(two) == 0, "profil_start");
	later = spin(0.3);
	try_fork(one, first);
	check(profil_stop(two) == 0, "profil_stop");
	check(profil_stop(one) == 0, "profil_stop");
	check_ticks(sum_of(first), seconds + later);
	check_ticks(sum_of(second), later);
	check(counted_by(one) == sum_of(first), "what is counted is in a cell");
	check(counted_by(two) == sum_of(second), "what is counted is in a cell");

	check(profil_start(one) == 0, "profil_start again");
	check(profil_reset(one) == 0, "profil_reset");
	seconds = spin(0.3);
	check(profil_stop(one) == 0, "profil_stop");
	check_ticks(sum_of(first), seconds);
	profil_close(two);
	profil_close(one);
	check(sum_of(first) > 0, "the cells stay the caller's");
	return 0;
}
