// SPDX-License-Identifier: BSD-2-Clause
#include "engine/privilege.h"

#include "base/capability.h"
#include "base/lent.h"

#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define BTF_PATH "/sys/kernel/btf/vmlinux"

static bool capable(uint64_t set, int capability)
{
	return set >> capability & 1 || set >> CAP_SYS_ADMIN & 1;
}

/* Of a kernel that does not say so, the load itself decides. */
static bool is_older(const struct utsname *name, int than_major, int than_minor)
{
	int major, minor;

	if (sscanf(name->release, "%d.%d", &major, &minor) != 2)
		return false;
	return major < than_major || (major == than_major && minor < than_minor);
}

static int probe_version(struct error *reterr)
{
	struct utsname name;

	if (uname(&name) || !is_older(&name, 5, 17))
		return 0;
	return error_set(
		reterr, -ENOSYS,
		"kernel engine: Linux %s is older than 5.17: upgrade the kernel, on Debian "
		"with 'apt-get install linux-image-amd64'",
		name.release);
}

static int probe_capabilities(struct error *reterr)
{
	uint64_t set = capability_effective() | lent_held();
	bool bpf = capable(set, CAP_BPF), perfmon = capable(set, CAP_PERFMON);
	char self[PATH_MAX] = "profil";
	ssize_t length;

	if (bpf && perfmon)
		return 0;
	length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (length > 0)
		self[length] = '\0';
	return error_set(reterr, -EPERM,
			 "kernel engine: needs %s%s%s: run as root, or once 'sudo setcap "
			 "cap_bpf,cap_perfmon+ep %.512s'",
			 bpf ? "" : "CAP_BPF", bpf || perfmon ? "" : " and ",
			 perfmon ? "" : "CAP_PERFMON", self);
}

int privilege_probe_kernel(struct error *reterr)
{
	int r = probe_version(reterr);

	if (r)
		return r;
	if (access(BTF_PATH, F_OK))
		return error_set(
			reterr, -ENOSYS,
			"kernel engine: the kernel has no BTF (%s): boot one built with "
			"CONFIG_DEBUG_INFO_BTF=y, on Debian 'apt-get install linux-image-amd64'",
			BTF_PATH);
	return probe_capabilities(reterr);
}

int privilege_finish(struct error *reterr)
{
	struct utsname name;
	uint64_t keep = 0;
	int r;

	/* Until 5.19 nobody without it reads a map, were it his own. */
	if (!uname(&name) && is_older(&name, 5, 19))
		keep = 1ull << CAP_BPF;
	r = lent_keep(keep);
	if (r)
		return error_set(reterr, r, "capabilities: %s: cannot be given up: run as root",
				 strerror(-r));
	return lent_raise(reterr);
}

bool privilege_is_lent(void)
{
	return lent_held() != 0;
}

bool privilege_kernel_shown(void)
{
	FILE *list = getuid() ? fopen("/proc/kallsyms", "re") : NULL;
	unsigned long long address = 0;
	char type = '\0';

	if (!getuid())
		return true;
	/* What stands before the first function may be at 0 in any case (variables of a CPU). */
	while (list && type != 'T' && type != 't')
		if (fscanf(list, "%llx %c %*[^\n]", &address, &type) != 2)
			break;
	if (list)
		(void)fclose(list);
	return (type == 'T' || type == 't') && address;
}
