// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/snapshot.h"

#include "cmd/command.h"
#include "profile/pprof.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#define NAMED_MS                                                                        \
	1000 /* names that take longer are not waited for before the counts are written \
	      */
#define END_MS 1000

struct job {
	struct profile *profile;
	const struct snapshot_options *options;
};

static bool is_stopped(int stop)
{
	struct pollfd end = {.fd = stop, .events = POLLIN};

	return poll(&end, 1, 0) > 0;
}

/* Returns the exit status, of a process that ends then. */
static int name_and_write(struct job *job, int stop)
{
	struct naming naming;
	struct error why = {};
	int ret = naming_begin(&naming, job->profile, &job->options->naming, &why);

	if (!ret && !apart_wait(&naming.apart, NAMED_MS, stop)) {
		if (!is_stopped(stop) && !pprof_in_place(job->options->destination->path))
			(void)destination_write(job->options->destination, job->profile);
		(void)apart_wait(&naming.apart, /* ms= */ -1, stop);
	}
	if (is_stopped(stop))
		return 0; /* which ends the search, too */
	ret = ret ? ret : naming_end(&naming, &job->profile, &why);
	if (ret)
		(void)cmd_fail_error(ret, &why);
	return destination_write(job->options->destination, job->profile);
}

static int work(void *context, int stop)
{
	struct job *job = context;

	return job->options->raw ? destination_write(job->options->destination, job->profile)
				 : name_and_write(job, stop);
}

bool snapshot_is_busy(struct snapshot *snapshot)
{
	if (!snapshot->apart.pid)
		return false;
	if (!apart_wait(&snapshot->apart, /* ms= */ 0, /* watched= */ -1))
		return true;
	(void)apart_end(&snapshot->apart);
	return false;
}

int snapshot_begin(struct snapshot *snapshot, struct profile *profile,
		   const struct snapshot_options *options, struct error *reterr)
{
	struct job job = {profile, options};
	int ret = apart_begin(&snapshot->apart, work, &job);

	if (!ret)
		return 0;
	return error_set(reterr, ret, "snapshot: no process for it: %s: free some memory",
			 strerror(-ret));
}

void snapshot_end(struct snapshot *snapshot)
{
	if (!snapshot->apart.pid)
		return;
	apart_stop(&snapshot->apart);
	(void)apart_wait(&snapshot->apart, END_MS, /* watched= */ -1);
	(void)apart_end(&snapshot->apart);
}
