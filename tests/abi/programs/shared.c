// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

#include "profil.h"
#include "truth.h"

/* Threads that start, stop, reset and read one measurement at once, while each opens and closes one
 * of its own: each call returns what profil.h says, and each account adds up. */

#define PAGES 65536
#define THREADS 4
#define ROUNDS 6

static uint32_t cells[PAGES / 4] __attribute__((aligned(PAGES)));

static struct profil_measurement *open_on(uint32_t *mine)
{
	const struct profil_options options = {.size = sizeof(options), .period_ns = 1003009};
	const struct profil_region region = {(uintptr_t)spin_start, 4, mine, PAGES / 4, 32};
	struct profil_measurement *measurement = profil_open(&options, &region, 1);

	check(measurement != NULL, "profil_open");
	return measurement;
}

static uint64_t read_account(struct profil_measurement *measurement)
{
	struct profil_account account = {.size = sizeof(account)};

	check(profil_read(measurement, &account) == 0, "profil_read");
	check(account.ticks == account.counted + account.outside + account.saturated + account.lost,
	      "the account adds up");
	return account.counted;
}

static void start(struct profil_measurement *measurement)
{
	errno = 0;
	check(profil_start(measurement) == 0 || errno == EALREADY, "profil_start");
}

static void *use(void *shared)
{
	uint32_t *mine =
		mmap(NULL, PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(mine != MAP_FAILED, "mmap");
	for (int i = 0; i < ROUNDS; i++) {
		struct profil_measurement *own = open_on(mine);

		start(shared);
		check(profil_start(own) == 0, "profil_start of its own");
		(void)spin(0.005);
		(void)read_account(shared);
		for (int turn = 0; turn < 1000; turn++)
			check(*profil_engine(shared) != '\0', "profil_engine");
		check(i % 4 != 3 || profil_reset(shared) == 0, "profil_reset");
		check(profil_stop(shared) == 0, "profil_stop");
		(void)read_account(own);
		profil_close(own);
	}
	check(munmap(mine, PAGES) == 0, "munmap");
	return NULL;
}

int main(void)
{
	struct profil_measurement *shared = open_on(cells);
	pthread_t threads[THREADS];
	uint64_t sum = 0;

	for (int i = 0; i < THREADS; i++)
		check(pthread_create(&threads[i], NULL, use, shared) == 0, "a thread");
	for (int i = 0; i < THREADS; i++)
		check(pthread_join(threads[i], NULL) == 0, "its end");
	check(profil_stop(shared) == 0, "profil_stop");
	for (size_t i = 0; i < PAGES / 4; i++)
		sum += cells[i];
	check(read_account(shared) == sum, "what is counted is in a cell");
	profil_close(shared);
	return 0;
}
