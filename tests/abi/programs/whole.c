// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "profil.h"
#include "truth.h"

/* Measure all text, write it as a profile to argv[1], say how many ticks there were and how many
 * were counted. */
int main(int argc, char **argv)
{
	const struct profil_options options = {.size = sizeof(options), .period_ns = 1003009};
	struct profil_measurement *measurement = profil_whole(&options);
	struct profil_account account = {.size = sizeof(account)};
	double seconds;

	check(measurement && argc > 1, "profil_whole");
	check(profil_start(measurement) == 0, "profil_start");
	seconds = spin(0.5);
	check(profil_stop(measurement) == 0, "profil_stop");
	check(profil_read(measurement, &account) == 0, "profil_read");
	check_ticks(account.counted, seconds);
	check(account.ticks == account.counted + account.outside + account.saturated + account.lost,
	      "the account adds up");
	check(profil_save(measurement, "/nowhere/at/all") == -1 && errno == ENOENT, "ENOENT");
	check(profil_save(measurement, argv[1]) == 0, "profil_save");
	(void)printf("%" PRIu64 " %" PRIu64 "\n", account.ticks, account.counted);
	profil_close(measurement);
	return 0;
}
