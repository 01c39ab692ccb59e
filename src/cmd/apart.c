// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/apart.h"

#include "base/reap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* STOP is a pipe.  Returns 0 or -errno. */
static int start(struct apart *apart, apart_work *work, void *context, const int stop[2])
{
	int ret;

	apart->pid = fork();
	if (!apart->pid) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(stop[1]);
		_exit(work(context, stop[0]));
	}
	if (apart->pid < 0)
		return -errno;
	apart->end = pidfd_open(apart->pid, 0);
	if (apart->end >= 0)
		return 0;
	ret = -errno;
	kill(apart->pid, SIGKILL);
	(void)reap(apart->pid);
	return ret;
}

int apart_begin(struct apart *apart, apart_work *work, void *context)
{
	int stop[2], ret;

	if (pipe2(stop, O_CLOEXEC))
		return -errno;
	ret = start(apart, work, context, stop);
	close(stop[0]);
	if (ret) {
		close(stop[1]);
		*apart = (struct apart){0};
		return ret;
	}
	apart->stop = stop[1];
	return 0;
}

bool apart_wait(const struct apart *apart, int ms, int watched)
{
	struct pollfd ends[] = {{.fd = apart->end, .events = POLLIN},
				{.fd = watched, .events = POLLIN}};

	return poll(ends, 2, ms) > 0 && ends[0].revents;
}

void apart_stop(struct apart *apart)
{
	if (apart->stop >= 0)
		close(apart->stop);
	apart->stop = -1;
}

int apart_end(struct apart *apart)
{
	int status;

	if (!apart_wait(apart, /* ms= */ 0, /* watched= */ -1))
		kill(apart->pid, SIGKILL);
	status = reap(apart->pid);
	close(apart->end);
	apart_stop(apart);
	*apart = (struct apart){0};
	return status;
}
