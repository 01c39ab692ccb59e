// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/naming.h"

#include "analysis/names.h"
#include "base/lent.h"
#include "cmd/command.h"
#include "profile/pprof.h"
#include "symbol/fetch.h"
#include "symbol/symbol.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define AGAIN "'profil report' will try again"

/* On a line that the next words cover, and that clear_progress() takes away. */
static void show_progress(long done, long all)
{
	if (all > 0)
		(void)fprintf(stderr, "\r\033[Kprofil: debuginfod: %.1f of %.1f MB\r",
			      (double)done / 1e6, (double)all / 1e6);
	else
		(void)fprintf(stderr, "\r\033[Kprofil: debuginfod: asked\r");
	(void)fflush(stderr);
}

static void clear_progress(void)
{
	(void)fputs("\r\033[K", stderr);
	(void)fflush(stderr);
}

void naming_say(uint64_t server_ns, const char *advice)
{
	if (fetch_gave_up())
		(void)cmd_fail("names: debuginfod has not answered in %.3g s: files stay without "
			       "their debug information: %s",
			       (double)server_ns / 1e9, advice);
}

struct job {
	struct profile *profile;
	const struct naming_options *options;
	int names;
};

/* In the process of its own, whose profile is its own, too. */
static int name_and_send(void *context, int stop)
{
	const struct job *job = context;
	const struct fetch_limits limits = {
		.timeout_ns = job->options->server_ns,
		.stop = stop,
		.progress = job->options->is_shown ? show_progress : NULL,
	};
	struct symbols_options all = {};
	struct symbols *symbols;
	struct error why;
	int ret = lent_keep(0), sent;

	fetch_limit(&limits);
	if (!ret)
		ret = symbols_open(&all, &symbols, &why);
	if (!ret)
		ret = names_resolve(job->profile, symbols);
	if (job->options->is_shown && fetch_has_server())
		clear_progress();
	if (ret && ret != -ECANCELED)
		return -ret;
	naming_say(job->options->server_ns, "--names-timeout waits longer");
	sent = pprof_send(job->profile, job->names);
	return -(sent ? sent : ret);
}

static int refuse(int code, struct error *reterr)
{
	return error_set(reterr, code,
			 "names: no process for them: %s: free some memory or descriptors",
			 strerror(-code));
}

int naming_begin(struct naming *naming, struct profile *profile,
		 const struct naming_options *options, struct error *reterr)
{
	struct job job = {profile, options, memfd_create("profil-names", MFD_CLOEXEC)};
	int ret;

	if (job.names < 0)
		return refuse(-errno, reterr);
	ret = apart_begin(&naming->apart, name_and_send, &job);
	if (ret) {
		close(job.names);
		return refuse(ret, reterr);
	}
	naming->names = job.names;
	return 0;
}

/* What the process ended with.  Returns 0, -ECANCELED, or another -errno with a sentence. */
static int judge(int status, struct error *reterr)
{
	if (status < 0)
		return error_set(reterr, status, "names: lost the process: %s: try again",
				 strerror(-status));
	if (WIFSIGNALED(status))
		return error_set(reterr, -ECHILD,
				 "names: reading debug information ended with signal %d: " AGAIN,
				 WTERMSIG(status));
	if (WEXITSTATUS(status) == ECANCELED)
		return -ECANCELED;
	if (WEXITSTATUS(status))
		return error_set(reterr, -WEXITSTATUS(status), "names: %s: " AGAIN,
				 strerror(WEXITSTATUS(status)));
	return 0;
}

/* By its descriptor alone: there need be no /proc to give it a name. */
static int receive(int fd, struct profile **profile, struct error *reterr)
{
	struct profile *named;
	off_t size = lseek(fd, 0, SEEK_END);
	void *bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	int ret;

	if (bytes == MAP_FAILED)
		return error_set(reterr, -errno, "names: %s: " AGAIN, strerror(errno));
	ret = pprof_parse("names", bytes, (size_t)size, &named, reterr);
	(void)munmap(bytes, (size_t)size);
	if (ret)
		return ret;
	profile_free(*profile);
	*profile = named;
	return 0;
}

int naming_end(struct naming *naming, struct profile **profile, struct error *reterr)
{
	int ret = judge(apart_end(&naming->apart), reterr), received = 0;

	if (!ret || ret == -ECANCELED)
		received = receive(naming->names, profile, reterr);
	close(naming->names);
	return received ? received : ret;
}
