// SPDX-License-Identifier: BSD-2-Clause
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/profil.h>
#include <sys/time.h>
#include <unistd.h>

#include "profil.h"

/* Says with what rights it runs, what its calls came to, and where its profile is: PATH. */

static unsigned short counters[256];

static const char *save(const char *path)
{
	struct profil_measurement *measurement = profil_whole(NULL);
	int ret = measurement ? profil_save(measurement, path) : -1;

	profil_close(measurement);
	return ret ? "no" : "yes";
}

int main(int argc, char **argv)
{
	struct prof prof = {counters, sizeof(counters), (size_t)main, 65536};
	struct timeval tick = {0, 0};
	int ret = sprofil(&prof, 1, &tick, PROF_USHORT);

	if (argc < 2)
		return 2;
	(void)sprofil(NULL, 0, NULL, 0);
	(void)printf("euid %d, secure %lu, sprofil %d, tick %ld us, saved %s\n", (int)geteuid(),
		     getauxval(AT_SECURE), ret, (long)tick.tv_usec, save(argv[1]));
	return 0;
}
