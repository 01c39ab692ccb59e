// SPDX-License-Identifier: BSD-2-Clause
#include "engine/privilege.h"

#include "base/capability.h"

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

static int probe_version(struct error *reterr)
{
	struct utsname name;
	int major = 0, minor = 0;

	if (uname(&name) || sscanf(name.release, "%d.%d", &major, &minor) != 2)
		return 0; /* let the load itself decide */
	if (major > 5 || (major == 5 && minor >= 17))
		return 0;
	return error_set(
		reterr, -ENOSYS,
		"kernel engine: Linux %s is older than 5.17: upgrade the kernel, on Debian "
		"with 'apt-get install linux-image-amd64'",
		name.release);
}

static int probe_capabilities(struct error *reterr)
{
	uint64_t set = capability_effective();
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
			 "cap_bpf,cap_perfmon,cap_syslog+ep %.512s'",
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
