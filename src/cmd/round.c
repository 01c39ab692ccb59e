// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/round.h"

#include "base/pass_fd.h"
#include "cmd/command.h"
#include "cmd/thin.h"
#include "profile/pprof.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- in its processes ---- */

struct job {
	struct whom *whom;
	const char *name;
	int64_t second;
	int begin, over, channel;
};

static void hand_over(int channel, const struct profile *profile, const struct error *why)
{
	struct round_news news = {-1, profile && !profile->facts.partial, *why};

	if (profile)
		news.fd = moving_file(profile, &news.why);
	pass_fd(channel, &news, sizeof(news), news.fd);
	if (news.fd >= 0)
		close(news.fd);
}

static int write_last(const struct measure_options *options, const struct profile *profile)
{
	struct error why = {""};
	int ret = options->raw ? 0 : pprof_write(profile, options->keeping.output, &why);

	naming_say(options->names_timeout_ns, "--names-timeout waits longer");
	return ret ? cmd_fail_error(ret, &why) : 0;
}

/* Where names are found. */
static int show(void *context, struct moving *moving)
{
	const struct job *job = context;
	const struct profile *profile = NULL;
	struct pollfd fds[] = {
		{.fd = job->channel, .events = POLLIN},
		{.fd = moving_news(moving), .events = POLLIN},
		{.fd = moving_end(moving), .events = POLLIN},
	};

	while (!profile || profile->facts.partial) {
		struct error why;
		char byte;

		(void)poll(fds, 3, -1);
		if (recv(job->channel, &byte, 1, MSG_DONTWAIT) == 1)
			moving_ask(moving);
		profile = moving_take(moving, &why);
		if (profile || *why.text)
			hand_over(job->channel, profile, &why);
		else if (fds[2].revents)
			return 0; /* names are not waited for, or there is no last one */
	}
	return write_last(&job->whom->options, profile);
}

/* Where is counted. */
static int measure(void *context, int stop)
{
	struct job *job = context;
	struct measure_options *options = &job->whom->options;
	char name[THIN_NAME_SIZE];

	(void)stop; /* signals say it, as to every measurement */
	thin_name(job->second, name);
	options->keeping.output = name;
	options->show = (struct moving_show){show, job, .keeps = true};
	options->begin = job->begin;
	options->over = job->over;
	return whom_measure(job->whom, job->name, (char *[]){NULL});
}

/* ---- in the one that begins it ---- */

int round_begin(struct round *round, struct whom *whom, const char *name, int64_t second,
		const struct round *before)
{
	struct job job = {whom, name, second, .begin = before ? before->over : 0};
	int over[2], channel[2], ret;

	*round = (struct round){0};
	if (pipe2(over, O_CLOEXEC))
		return -errno;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel)) {
		ret = -errno;
		close(over[0]);
		close(over[1]);
		return ret;
	}
	job.over = over[1];
	job.channel = channel[1];
	ret = apart_begin(&round->apart, measure, &job);
	close(over[1]);
	close(channel[1]);
	round->over = over[0];
	round->channel = channel[0];
	if (ret) {
		close(over[0]);
		close(channel[0]);
	}
	return ret;
}

bool round_has_said(struct round *round, char what)
{
	struct pollfd says = {.fd = round->over, .events = POLLIN};

	while (round->said != what && poll(&says, 1, 0) > 0 &&
	       read(round->over, &round->said, 1) == 1)
		;
	return round->said == what;
}

void round_ask(struct round *round)
{
	if (!round->is_asked)
		(void)send(round->channel, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	round->is_asked = true;
}

bool round_take(struct round *round, struct round_news *ret_news)
{
	if (!take_fd(round->channel, MSG_DONTWAIT, ret_news, sizeof(*ret_news), &ret_news->fd))
		return false;
	round->is_asked = false;
	round->has_last = ret_news->is_last;
	return true;
}

int round_end(struct round *round)
{
	int status = apart_end(&round->apart);

	close(round->over);
	close(round->channel);
	return status;
}
