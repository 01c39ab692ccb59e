// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "profil.h"
#include "truth.h"

/* A static or 32-bit program measures all its text, and is told what it cannot load: the kernel
 * engine and what writes a profile. */

#if defined(__i386__)
#define WHY "not in the 32-bit libprofil"
#else
#define WHY "a static program cannot load it"
#endif

int main(void)
{
	const struct profil_options kernel = {.size = sizeof(kernel), .engine = "kernel"};
	struct profil_measurement *measurement;
	struct profil_account account = {.size = sizeof(account)};
	double seconds;

	check(profil_whole(&kernel) == NULL && errno == EPERM, "the kernel engine is refused");
	check(strstr(profil_why(NULL), WHY) != NULL, "it says why");
	measurement = profil_whole(NULL);
	check(measurement && profil_start(measurement) == 0, "profil_whole");
	seconds = spin(0.4);
	check(profil_stop(measurement) == 0, "profil_stop");
	check(profil_read(measurement, &account) == 0, "profil_read");
	check_ticks(account.counted, seconds);
	check(profil_save(measurement, "never.pb.gz") == -1 && errno == EOPNOTSUPP, "EOPNOTSUPP");
	profil_close(measurement);
	return 0;
}
