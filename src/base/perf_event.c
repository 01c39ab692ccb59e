// SPDX-License-Identifier: BSD-2-Clause
#include "base/perf_event.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int perf_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu)
{
	long fd =
		syscall(SYS_perf_event_open, attr, tid, cpu, /* group= */ -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

int perf_event_try(const struct perf_event_attr *attr, pid_t tid, int cpu)
{
	int fd = perf_event_open(attr, tid, cpu);

	if (fd < 0)
		return fd;
	(void)close(fd);
	return 0;
}

/* Ask for less after CODE.  False: there is no less. */
static bool relax(struct perf_event_attr *attr, int code)
{
	if ((code == -EACCES || code == -EPERM) && !attr->exclude_kernel) {
		attr->exclude_kernel = 1;
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
		return true;
	}
	if (code != -EINVAL && code != -E2BIG)
		return false;
	if (attr->sample_type & PERF_SAMPLE_READ) /* before 6.12 not of inherited events */
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_READ;
	else if (attr->read_format) /* PERF_FORMAT_LOST: from 6.0 on */
		attr->read_format = 0;
	else if (attr->inherit_thread) /* from 5.13 on */
		attr->inherit_thread = 0;
	else
		return false;
	return true;
}

int perf_event_settle(struct perf_event_attr *attr, const char *who, struct error *reterr)
{
	int ret = perf_event_try(attr, /* tid: this */ 0, /* cpu: any */ -1);

	while (ret && relax(attr, ret))
		ret = perf_event_try(attr, 0, -1);
	return ret ? perf_event_refuse(ret, who, reterr) : 0;
}

int perf_event_refuse(int code, const char *who, struct error *reterr)
{
	const char *what_to_do = "see 'profil doctor'";

	if (code == -EACCES || code == -EPERM)
		what_to_do = "'sudo sysctl kernel.perf_event_paranoid=2', and in a container allow "
			     "perf_event_open in its seccomp profile";
	else if (code == -ENOSYS)
		what_to_do = "in a container allow perf_event_open in its seccomp profile";
	else if (code == -EMFILE)
		what_to_do = "raise 'ulimit -n' to twice threads times CPUs";
	return error_set(reterr, code, "%sperf_event_open: %s: %s", who, strerror(-code),
			 what_to_do);
}
