// SPDX-License-Identifier: BSD-2-Clause
#include "base/capability.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

struct sets {
	struct __user_cap_header_struct header;
	struct __user_cap_data_struct halves[2];
};

static int read_sets(struct sets *sets)
{
	*sets = (struct sets){.header.version = _LINUX_CAPABILITY_VERSION_3};
	return syscall(SYS_capget, &sets->header, sets->halves) ? -errno : 0;
}

uint64_t capability_effective(void)
{
	struct sets sets;

	if (read_sets(&sets))
		return 0;
	return (uint64_t)sets.halves[1].effective << 32 | sets.halves[0].effective;
}

uint64_t capability_permitted(void)
{
	struct sets sets;

	if (read_sets(&sets))
		return 0;
	return (uint64_t)sets.halves[1].permitted << 32 | sets.halves[0].permitted;
}

int capability_set_effective(uint64_t set)
{
	struct sets sets;
	int ret = read_sets(&sets);

	if (ret)
		return ret;
	sets.halves[0].effective = (uint32_t)set;
	sets.halves[1].effective = (uint32_t)(set >> 32);
	return syscall(SYS_capset, &sets.header, sets.halves) ? -errno : 0;
}

int capability_keep(uint64_t keep)
{
	const uint32_t halves[] = {(uint32_t)keep, (uint32_t)(keep >> 32)};
	struct sets sets;
	int ret = read_sets(&sets);

	if (ret)
		return ret;
	for (int i = 0; i < 2; i++) {
		sets.halves[i].permitted &= halves[i];
		sets.halves[i].effective &= halves[i];
	}
	return syscall(SYS_capset, &sets.header, sets.halves) ? -errno : 0;
}
