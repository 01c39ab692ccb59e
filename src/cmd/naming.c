// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/naming.h"

#include "analysis/names.h"
#include "base/lent.h"
#include "base/progress.h"
#include "cmd/command.h"
#include "symbol/fetch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define AGAIN "'profil report' will try again"

void naming_say(uint64_t server_ns, const char *advice)
{
	if (fetch_gave_up())
		(void)cmd_fail("names: debuginfod has not answered in %.3g s: files stay without "
			       "their debug information: %s",
			       (double)server_ns / 1e9, advice);
}

int naming_open(const struct naming_options *options, int stop, struct symbols **ret_symbols)
{
	const struct fetch_limits limits = {
		.timeout_ns = options->server_ns,
		.stop = stop,
	};
	struct symbols_options all = {};
	struct error why;
	int ret = lent_keep(0);

	fetch_limit(&limits);
	if (options->is_shown)
		progress_open(STDERR_FILENO);
	return ret ? ret : symbols_open(&all, ret_symbols, &why);
}

int naming_find(struct profile *profile, const struct naming_options *options, int stop)
{
	struct symbols *symbols;
	int ret = naming_open(options, stop, &symbols);

	if (ret)
		return ret;
	ret = names_resolve(profile, symbols);
	(void)symbols_close(symbols);
	return ret;
}

struct job {
	struct profile *profile;
	const struct naming_options *options;
	int (*go_on)(void *context);
	void *context;
	int turn;
};

static bool take_turn(int turn)
{
	uint64_t count;

	return read(turn, &count, sizeof(count)) == sizeof(count);
}

/* In the process of its own, whose profile is its own, too. */
static int name_and_go_on(void *context, int stop)
{
	const struct job *job = context;
	int ret = naming_find(job->profile, job->options, stop);

	if ((ret && ret != -ECANCELED) || !take_turn(job->turn))
		return -ret;
	naming_say(job->options->server_ns, "--names-timeout waits longer");
	if (ret)
		(void)cmd_fail("names: the search was ended by a signal: 'profil report' will "
			       "go on with it");
	return job->go_on(job->context);
}

static int refuse(int code, struct error *reterr)
{
	return error_set(reterr, code,
			 "names: no process for them: %s: free some memory or descriptors",
			 strerror(-code));
}

int naming_begin(struct naming *naming, struct profile *profile,
		 const struct naming_options *options, int (*go_on)(void *context), void *context,
		 struct error *reterr)
{
	struct job job = {profile, options, go_on, context, eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)};
	int ret;

	if (job.turn < 0)
		return refuse(-errno, reterr);
	ret = apart_begin(&naming->apart, name_and_go_on, &job);
	if (ret) {
		close(job.turn);
		return refuse(ret, reterr);
	}
	naming->turn = job.turn;
	naming->has_turn = false;
	naming->is_shown = options->is_shown && progress_is_possible(STDERR_FILENO);
	return 0;
}

bool naming_take_turn(struct naming *naming)
{
	naming->has_turn = naming->has_turn || take_turn(naming->turn);
	return naming->has_turn;
}

/* What the process ended with that has not gone on.  Returns -errno with a sentence. */
static int refused(int status, struct error *reterr)
{
	int code;

	if (status < 0)
		return error_set(reterr, status, "names: lost the process: %s: try again",
				 strerror(-status));
	if (WIFSIGNALED(status))
		return error_set(reterr, -ECHILD,
				 "names: reading debug information ended with signal %d: " AGAIN,
				 WTERMSIG(status));
	code = WEXITSTATUS(status) ? WEXITSTATUS(status) : ECANCELED; /* it came too late */
	if (code == EXIT_FAILURE) /* libdw has ended it, which does so where memory is short */
		code = ENOMEM;
	return error_set(reterr, -code, "names: %s: " AGAIN, strerror(code));
}

int naming_end(struct naming *naming, struct error *reterr)
{
	bool is_refused = naming_take_turn(naming);
	int status = apart_end(&naming->apart);

	close(naming->turn);
	if (naming->is_shown && is_refused)
		(void)progress_line(STDERR_FILENO, "");
	if (is_refused || status < 0)
		return refused(status, reterr);
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	(void)cmd_fail("ended with signal %d before all was written and reported",
		       WTERMSIG(status));
	return 128 + WTERMSIG(status);
}
