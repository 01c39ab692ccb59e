// SPDX-License-Identifier: BSD-2-Clause
#include "target/proc.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* The caller's own number there, 0 where it has none. */
static long own_number(void)
{
	char number[16];
	ssize_t length = readlink("/proc/self", number, sizeof(number) - 1);

	number[length > 0 ? length : 0] = '\0';
	return strtol(number, NULL, 10);
}

bool proc_is_own(void)
{
	return own_number() == getpid();
}

int proc_check(struct error *reterr)
{
	if (proc_is_own())
		return 0;
	if (access("/proc/self", F_OK))
		return error_set(reterr, -ENOENT, "/proc: not mounted: 'mount -t proc proc /proc'");
	return error_set(reterr, -EXDEV,
			 "/proc: another pid namespace's: 'mount -t proc proc /proc' in this one");
}
