// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/snapshot.h"

#include "cmd/command.h"
#include "profile/pprof.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#define END_MS 1000

struct job {
	struct profile *profile;
	const struct snapshot_options *options;
};

/* Returns the exit status, of a process that ends then.  The counts are on disk before a name is
 * sought. */
static int work(void *context, int stop)
{
	const struct job *job = context;
	const struct snapshot_options *options = job->options;
	bool once = !options->raw && pprof_in_place(options->destination->path);
	int ret = once ? 0 : destination_write(options->destination, job->profile);

	if (options->raw || ret)
		return ret;
	ret = naming_find(job->profile, &options->naming, stop);
	if (ret == -ECANCELED)
		return 0;
	naming_say(options->naming.server_ns, "--names-timeout waits longer");
	if (ret)
		(void)cmd_fail("names: %s: 'profil report' will try again", strerror(-ret));
	return destination_write(options->destination, job->profile);
}

/* What stands there without names, where its file was written, is all there is of it. */
static void end(struct snapshot *snapshot)
{
	int status = apart_end(&snapshot->apart);

	if (status > 0 && WIFSIGNALED(status))
		(void)cmd_fail("snapshot: ended with signal %d before it had names",
			       WTERMSIG(status));
}

bool snapshot_is_busy(struct snapshot *snapshot)
{
	if (!snapshot->apart.pid)
		return false;
	if (!apart_wait(&snapshot->apart, /* ms= */ 0, /* watched= */ -1))
		return true;
	end(snapshot);
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
