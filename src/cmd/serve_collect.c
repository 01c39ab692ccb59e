// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/serve_collect.h"

#include "cmd/command.h"
#include "format/format.h"
#include "profile/merge.h"
#include "profile/pprof.h"
#include "view/metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define BEFORE 3

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static int read_profile(int fd, struct profile **ret_profile, struct error *reterr)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return format_read(path, NULL, ret_profile, reterr);
}

static int add_profiles(struct merge *merge, struct error *reterr)
{
	int ret = 0;

	for (int fd = BEFORE + 1; !ret && is_open(fd); fd++) {
		struct profile *profile;

		ret = read_profile(fd, &profile, reterr);
		if (ret)
			return ret;
		ret = merge_add(merge, profile, "what was measured", reterr);
		(void)profile_free(profile);
	}
	return ret;
}

int collect_print_difference(const void *unused)
{
	struct merge *merge = merge_new();
	struct profile *before, *difference;
	struct error why = {""};
	int ret = merge ? add_profiles(merge, &why) : -ENOMEM;

	ret = ret ? ret : read_profile(BEFORE, &before, &why);
	ret = ret ? ret : merge_take_off(merge, before, &why);
	ret = ret ? ret : merge_sum(merge, &difference);
	ret = ret ? ret : pprof_write(difference, "/dev/stdout", &why);
	return ret ? cmd_fail_error(ret, &why) : 0;
}

static int read_metrics(struct metrics *metrics)
{
	FILE *in = fopen("/proc/self/fd/3", "re");
	int ret = in ? metrics_read(metrics, in) : -errno;

	if (in)
		(void)fclose(in);
	return ret;
}

int collect_print_metrics(const void *top)
{
	struct metrics *metrics = metrics_new();
	struct error why = {""};
	int ret = !metrics ? -ENOMEM : is_open(BEFORE) ? read_metrics(metrics) : 0;

	if (ret)
		return cmd_fail("metrics: what was added up: %s: free some memory", strerror(-ret));
	for (int fd = BEFORE + 1; !ret && is_open(fd); fd++) {
		struct profile *profile;

		ret = read_profile(fd, &profile, &why);
		if (ret)
			break;
		ret = metrics_add(metrics, profile, &why);
		(void)profile_free(profile);
	}
	if (!ret)
		metrics_print(stdout, metrics, *(const size_t *)top);
	(void)metrics_free(metrics);
	return ret ? cmd_fail_error(ret, &why) : 0;
}
