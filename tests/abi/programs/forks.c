// SPDX-License-Identifier: BSD-2-Clause
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profil.h"
#include "truth.h"

/* forks [alone]: forks while ticks come in other threads, and (but for "alone") while one starts
 * and stops measurements of its own: what a child finds in its cells is what its account says of
 * them, to the tick, and so it stays while it goes on. */

#define PAGES 65536
#define CELLS (PAGES / 4)
#define FORKS 50
#define SPINNERS 3

static uint32_t cells[CELLS] __attribute__((aligned(PAGES)));
static uint32_t others[CELLS] __attribute__((aligned(PAGES)));
static int go_on = 1; /* atomic */

static unsigned long sum_of(const uint32_t *all)
{
	unsigned long sum = 0;

	for (size_t i = 0; i < CELLS; i++)
		sum += __atomic_load_n(&all[i], __ATOMIC_RELAXED);
	return sum;
}

/* Quick, so that a tick is nearly always under way: a fork takes several periods. */
static struct profil_measurement *open_on(uint32_t *all)
{
	const struct profil_options options = {.size = sizeof(options), .period_ns = 100003};
	const struct profil_region region = {(uintptr_t)spin_start, 4, all, CELLS, 32};
	struct profil_measurement *measurement = profil_open(&options, &region, 1);

	check(measurement != NULL, "profil_open");
	return measurement;
}

static void *spin_on(void *unused)
{
	(void)unused;
	while (__atomic_load_n(&go_on, __ATOMIC_RELAXED))
		(void)spin(0.001);
	return NULL;
}

static void *start_and_stop(void *unused)
{
	(void)unused;
	while (__atomic_load_n(&go_on, __ATOMIC_RELAXED)) {
		struct profil_measurement *measurement = open_on(others);

		check(profil_start(measurement) == 0, "profil_start");
		(void)spin(0.001);
		profil_close(measurement);
	}
	return NULL;
}

static void check_account(struct profil_measurement *measurement, const char *what)
{
	struct profil_account account = {.size = sizeof(account)};

	check(profil_stop(measurement) == 0, "profil_stop");
	check(profil_read(measurement, &account) == 0, "profil_read");
	check(account.ticks == account.counted + account.outside + account.saturated + account.lost,
	      "the account adds up");
	check(account.counted == sum_of(cells), what);
}

/* Every other one goes on for a while: timer sees a thread only when the kernel's tick finds it,
 * which on a machine with more to run than CPUs may be long in coming. */
static void in_child(struct profil_measurement *measurement, int turn)
{
	unsigned long before = sum_of(cells);

	for (int i = 0; turn % 2 && i < 100 && sum_of(cells) == before; i++)
		(void)spin(0.02);
	check_account(measurement, "the child's account is its cells'");
	if (turn % 2)
		check(sum_of(cells) > before, "the child goes on counting");
	profil_close(measurement);
	_exit(0);
}

static void fork_once(struct profil_measurement *measurement, int turn)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		in_child(measurement, turn);
	check(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0, "the child");
}

int main(int argc, char **argv)
{
	struct profil_measurement *measurement = open_on(cells);
	bool alone = argc > 1 && !strcmp(argv[1], "alone");
	pthread_t threads[SPINNERS + 1];

	check(profil_start(measurement) == 0, "profil_start");
	for (int i = 0; i <= SPINNERS; i++)
		check(pthread_create(&threads[i], NULL, i || alone ? spin_on : start_and_stop,
				     NULL) == 0,
		      "a thread");
	for (int turn = 0; turn < FORKS; turn++)
		fork_once(measurement, turn);
	__atomic_store_n(&go_on, 0, __ATOMIC_RELAXED);
	for (int i = 0; i <= SPINNERS; i++)
		check(pthread_join(threads[i], NULL) == 0, "its end");
	check_account(measurement, "the parent's account is its cells'");
	profil_close(measurement);
	return 0;
}
