/* SPDX-License-Identifier: BSD-2-Clause */
/* libstops-at-its-end.so, to be preloaded: profil stops before it ends, with all behind it that
 * takes memory, so that /proc/PID/status has its peak whoever looks how late. */

#include <errno.h>
#include <signal.h>
#include <string.h>

__attribute__((destructor)) static void stop(void)
{
	if (!strcmp(program_invocation_short_name, "profil"))
		(void)raise(SIGSTOP);
}
