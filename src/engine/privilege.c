// SPDX-License-Identifier: BSD-2-Clause
#include "engine/privilege.h"

#include "base/capability.h"
#include "base/lent.h"
#include "base/perf_event.h"

#include <errno.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

bool privilege_kernel_is_older(int major, int minor)
{
	struct utsname name;
	int own_major, own_minor;

	if (uname(&name) || sscanf(name.release, "%d.%d", &own_major, &own_minor) != 2)
		return false;
	return own_major < major || (own_major == major && own_minor < minor);
}

const char *privilege_missing(void)
{
	uint64_t set = capability_effective() | lent_held();
	bool all = set >> CAP_SYS_ADMIN & 1;
	bool bpf = all || set >> CAP_BPF & 1, perfmon = all || set >> CAP_PERFMON & 1;

	if (bpf)
		return perfmon ? "" : "CAP_PERFMON";
	return perfmon ? "CAP_BPF" : "CAP_BPF and CAP_PERFMON";
}

long privilege_paranoid(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	long level;

	if (!file || fscanf(file, "%ld", &level) != 1)
		level = 2;
	if (file)
		(void)fclose(file);
	return level;
}

static int probe_version(struct error *reterr)
{
	struct utsname name;

	if (!privilege_kernel_is_older(PRIVILEGE_MAJOR, PRIVILEGE_MINOR) || uname(&name))
		return 0;
	return error_set(
		reterr, -ENOSYS,
		"kernel engine: Linux %s is older than %d.%d: upgrade the kernel, on Debian "
		"with 'apt-get install linux-image-amd64'",
		name.release, PRIVILEGE_MAJOR, PRIVILEGE_MINOR);
}

static int probe_capabilities(struct error *reterr)
{
	const char *missing = privilege_missing();
	char self[PATH_MAX] = "profil";
	ssize_t length;

	if (!*missing)
		return 0;
	length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (length > 0)
		self[length] = '\0';
	return error_set(
		reterr, -EPERM,
		"kernel engine: needs %s: run as root, or once 'sudo setcap "
		"cap_bpf,cap_perfmon+ep %.512s'%s",
		missing, self,
		privilege_paranoid() > 2 ? " and 'sudo sysctl kernel.perf_event_paranoid=2'" : "");
}

int privilege_try_bpf(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = 8,
		.max_entries = 1,
	};
	long fd;
	int ret;

	(void)lent_raise(NULL);
	fd = syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
	ret = fd < 0 ? -errno : 0;
	(void)lent_lower(NULL);
	if (fd >= 0)
		close((int)fd);
	return ret;
}

int privilege_try_clock(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
		.disabled = 1,
	};
	int ret;

	(void)lent_raise(NULL);
	ret = perf_event_try(&attr, /* tid: all */ -1, /* cpu= */ 0);
	(void)lent_lower(NULL);
	return ret;
}

static int probe_calls(struct error *reterr)
{
	const char *call = "bpf";
	int ret = privilege_try_bpf();

	if (!ret) {
		call = "perf_event_open";
		ret = privilege_try_clock();
	}
	if (!ret)
		return 0;
	if (ret == -EACCES && privilege_paranoid() > 2)
		return error_set(reterr, ret,
				 "kernel engine: kernel.perf_event_paranoid is %ld, by which this "
				 "kernel asks for CAP_SYS_ADMIN: 'sudo sysctl "
				 "kernel.perf_event_paranoid=2'",
				 privilege_paranoid());
	return error_set(reterr, ret,
			 "kernel engine: %s: %s, in spite of the capabilities: allow bpf and "
			 "perf_event_open in the container's seccomp profile, and use no user "
			 "namespace",
			 call, strerror(-ret));
}

int privilege_probe_kernel(struct error *reterr)
{
	int ret = probe_version(reterr);

	if (ret)
		return ret;
	if (access("/sys/kernel", F_OK))
		return error_set(reterr, -ENOENT,
				 "kernel engine: /sys: not mounted: 'mount -t sysfs sysfs /sys'");
	if (access(PRIVILEGE_BTF, R_OK))
		return error_set(
			reterr, -ENOSYS,
			"kernel engine: the kernel has no BTF (%s): boot one built with "
			"CONFIG_DEBUG_INFO_BTF=y, on Debian 'apt-get install linux-image-amd64'",
			PRIVILEGE_BTF);
	ret = probe_capabilities(reterr);
	if (!ret)
		ret = probe_calls(reterr);
	return ret;
}

int privilege_finish(struct error *reterr)
{
	/* Until 5.19 nobody without it reads a map, were it his own. */
	int ret = lent_keep(privilege_kernel_is_older(5, 19) ? 1ull << CAP_BPF : 0);

	if (ret)
		return error_set(reterr, ret, "capabilities: %s: cannot be given up: run as root",
				 strerror(-ret));
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
