// SPDX-License-Identifier: BSD-2-Clause
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "truth.h"

/* A well-known test of profil(): scale 2 * 65536, a buffer of 64 KiB on the stack, spin until a
 * counter moves; here with alarms and a profiling timer of the program's own beside it. */

static volatile sig_atomic_t alarms, prof_signals;

static void on_alarm(int number)
{
	alarms += number == SIGALRM;
	prof_signals += number == SIGPROF;
}

static int moved(const unsigned short *buffer, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (buffer[i])
			return 1;
	}
	return 0;
}

int main(void)
{
	const struct itimerval often = {{0, 20000}, {0, 20000}};
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	unsigned short buffer[32768];
	int turns = 0;

	memset(buffer, 0, sizeof(buffer));
	check(sigaction(SIGALRM, &action, NULL) == 0, "sigaction");
	check(sigaction(SIGPROF, &action, NULL) == 0, "sigaction");
	check(setitimer(ITIMER_REAL, &often, NULL) == 0, "setitimer");
	check(setitimer(ITIMER_PROF, &often, NULL) == 0, "setitimer");
	check(profil(buffer, sizeof(buffer), (size_t)spin_start, 2 * 65536) == 0, "profil");
	while (!moved(buffer, 32768) && turns++ < 100)
		(void)spin(0.05);
	(void)spin(0.2);
	check(profil(NULL, 0, 0, 0) == 0, "off");
	check(moved(buffer, 32768), "a counter moves");
	check(alarms > 0 && prof_signals > 0, "the program's own timers");
	return 0;
}
