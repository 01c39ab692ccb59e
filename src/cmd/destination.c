// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/destination.h"

#include "base/capability.h"
#include "cmd/command.h"
#include "profile/pprof.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/mman.h>

int destination_open(struct destination *destination, const char *path)
{
	void *common = mmap(NULL, sizeof(*destination->has_written), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (common == MAP_FAILED)
		return -ENOMEM;
	*destination = (struct destination){path, common};
	return 0;
}

void destination_close(struct destination *destination)
{
	if (destination->has_written)
		(void)munmap(destination->has_written, sizeof(*destination->has_written));
	*destination = (struct destination){0};
}

/* Who may look into others has a profile for himself. */
bool destination_is_private(void)
{
	uint64_t rights = 1ull << CAP_BPF | 1ull << CAP_PERFMON | 1ull << CAP_SYS_ADMIN |
			  1ull << CAP_SYS_PTRACE;

	return capability_effective() & rights;
}

int destination_write(const struct destination *destination, struct profile *profile)
{
	struct error why = {};
	int ret;

	profile->is_private = destination_is_private();
	ret = *destination->has_written ? pprof_write(profile, destination->path, &why)
					: pprof_write_keeping(profile, destination->path, &why);
	*destination->has_written |= !ret;
	return ret ? cmd_fail_error(ret, &why) : 0;
}
