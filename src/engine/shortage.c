// SPDX-License-Identifier: BSD-2-Clause
#include "engine/shortage.h"

#include "target/cgroups.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

bool shortage_is(int code)
{
	return code == -EMFILE || code == -ENFILE || code == -ENOMEM || code == -ENOBUFS;
}

/* They are taken, and given back: a limit says nothing of those that are in use. */
int shortage_of_descriptors(size_t count)
{
	int *taken = calloc(count + 1, sizeof(*taken)), ret = taken ? 0 : -ENOMEM;
	size_t got = 0;

	while (!ret && got < count) {
		taken[got] = open("/", O_PATH | O_CLOEXEC);
		if (taken[got] < 0)
			ret = -errno;
		else
			got++;
	}
	while (got)
		close(taken[--got]);
	free(taken);
	return ret;
}

static int memory_error(struct error *reterr, const char *who)
{
	uint64_t limit = cgroups_memory_limit();

	if (!limit)
		return error_set(reterr, -ENOMEM,
				 "%s: out of memory: free some, or take fewer --cells", who);
	return error_set(reterr, -ENOMEM,
			 "%s: out of memory: the control group's limit is %.1f MiB: raise it, or "
			 "take fewer --cells",
			 who, (double)limit / (1 << 20));
}

int shortage_error(struct error *reterr, int code, const char *who)
{
	if (code == -EMFILE)
		return error_set(reterr, code,
				 "%s: too few file descriptors: raise their limit with 'ulimit -n'",
				 who);
	if (code == -ENFILE)
		return error_set(reterr, code,
				 "%s: too few file descriptors: all of the machine's are in use: "
				 "raise fs.file-max",
				 who);
	return code == -ENOMEM ? memory_error(reterr, who) : code;
}
