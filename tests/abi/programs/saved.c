// SPDX-License-Identifier: BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "profil.h"
#include "truth.h"

/* Measure the program's own text alone, in cells that are too narrow for it, and something else
 * besides; write that to argv[1], say what the account is.  With argv[2] cells stay full, else they
 * wrap. */

#define CELLS 65536

/* Whole pages of any size, for the kernel engine. */
static uint8_t cells[CELLS] __attribute__((aligned(65536)));

/* In the C library, which lies far from here: where the program has no cell. */
static void work_elsewhere(void)
{
	static char text[1 << 16];
	clock_t start = clock();

	for (int i = 0; clock() - start < CLOCKS_PER_SEC / 10; i++)
		memset(text, i, sizeof(text));
}

int main(int argc, char **argv)
{
	const struct profil_options options = {.size = sizeof(options),
					       .flags = argc > 2 ? PROFIL_SATURATE : 0};
	const struct profil_region region = {(uintptr_t)spin_start, spin_size, cells, CELLS, 8};
	struct profil_measurement *measurement = profil_open(&options, &region, 1);
	struct profil_account account = {.size = sizeof(account)};
	uint64_t held = 0;

	check(measurement && argc > 1, "profil_open");
	check(profil_start(measurement) == 0, "profil_start");
	(void)spin(0.8);
	work_elsewhere();
	check(profil_stop(measurement) == 0, "profil_stop");
	check(profil_read(measurement, &account) == 0, "profil_read");
	for (int i = 0; i < CELLS; i++)
		held += cells[i];
	check(profil_save(measurement, argv[1]) == 0, "profil_save");
	(void)printf("{\"engine\": \"%s\", \"samples\": %" PRIu64 ", \"counted\": %" PRIu64
		     ", \"outside\": %" PRIu64 ", \"saturated\": %" PRIu64 ", \"lost\": %" PRIu64
		     ", \"held\": %" PRIu64 "}\n",
		     profil_engine(measurement), account.ticks, account.counted, account.outside,
		     account.saturated, account.lost, held);
	profil_close(measurement);
	return 0;
}
