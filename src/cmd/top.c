// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/top.h"

#include "cmd/command.h"
#include "cmd/whom.h"
#include "engine/clock.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define REFRESH_NS SECOND_NS
/* Where screens take long to make (a profile of 100,000 cells), there are fewer, so that they and
 * the profiles for them take a hundredth of a CPU; who will not wait has a key. */
#define SHARE 100

struct terminal {
	struct whom whom; /* the options begin with it */
	int fd;
	struct termios before;
};

const struct option_row top_options[] = {
	OPTION_PID_ROW("Instead of a program"),
	OPTION_COMM_ROW,
	OPTION_ALL_ROW(NULL, "the whole machine"),
	OPTION_FOR_ROW(NULL),
	{.more = measuring_options},
};

static void set_style(struct top *top)
{
	top->style.width = screen_columns(top->screen);
	top->style.color = screen_has_color(top->screen);
}

/* What has come since the profile before. */
static void take_facts(struct top *top, const struct profile *profile)
{
	const struct profile_facts *facts = &profile->facts;

	top->seconds = top->duration_ns && facts->duration_ns > top->duration_ns
			       ? (double)(facts->duration_ns - top->duration_ns) / 1e9
			       : 0;
	top->last_samples = facts->samples - top->samples;
	top->last_cpu_ns = facts->cpu_ns > top->cpu_ns ? facts->cpu_ns - top->cpu_ns : 0;
	top->samples = facts->samples;
	top->cpu_ns = facts->cpu_ns;
	top->duration_ns = facts->duration_ns;
}

static void take_profile(struct top *top)
{
	struct error why = {};
	const struct profile *profile = moving_take(top->moving, &why);

	if (*why.text)
		(void)snprintf(top->message, sizeof(top->message), "%s", why.text);
	if (!profile)
		return;
	top->profile = profile;
	take_facts(top, profile);
	if (top_list_fill(&top->list, profile, /* is_new= */ true))
		(void)snprintf(top->message, sizeof(top->message), "out of memory");
	if (top->mode != TOP_LIST)
		top_make_page(top);
}

/* Returns whether all is to end. */
static bool take_signals(struct top *top, int signals)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGWINCH) {
			screen_resize(top->screen);
			set_style(top);
			if (top->mode != TOP_LIST)
				top_make_page(top);
		} else if (info.ssi_signo == SIGTSTP) {
			screen_suspend(top->screen);
		} else if (info.ssi_signo != SIGUSR1) {
			return true;
		}
	}
	return false;
}

static void take_keys(struct top *top)
{
	int key;

	while ((key = screen_key(top->screen)) != SCREEN_NONE && !top->quits)
		top_take_key(top, key);
	set_style(top);
}

/* How long what was used for the last screen, or if that was less for the one before, is to last: a
 * single one may have had many names to find. */
static uint64_t interval(struct top *top, uint64_t *used, uint64_t *before)
{
	uint64_t now = moving_used_ns(top->moving), cost = now - *used,
		 least = cost < *before ? cost : *before;

	*used = now;
	*before = cost;
	return least * SHARE < REFRESH_NS ? REFRESH_NS : least * SHARE;
}

/* Until somebody wants it to end. */
static void follow(struct top *top, int terminal, int signals)
{
	uint64_t due = 0, now, used = 0, before = 0;
	struct pollfd all[] = {
		{.fd = terminal, .events = POLLIN},
		{.fd = signals, .events = POLLIN},
		{.fd = moving_news(top->moving), .events = POLLIN},
		{.fd = moving_end(top->moving), .events = POLLIN},
	};

	while (!top->quits && !all[3].revents && !(all[0].revents & (POLLHUP | POLLERR))) {
		now = monotonic_ns();
		if ((now >= due || top->hurries) && !top->paused) {
			moving_ask(top->moving);
			top->hurries = false;
			top->refresh_ns = interval(top, &used, &before);
			due = now + top->refresh_ns;
		}
		top_draw(top);
		/* What was asked for before a pause and comes behind it waits for its end. */
		all[2].fd = top->paused && top->profile ? -1 : moving_news(top->moving);
		(void)poll(all, 4, top->paused ? -1 : (int)((due - now) / 1000000 + 1));
		if (all[1].revents && take_signals(top, signals))
			break;
		if (all[0].revents & POLLIN)
			take_keys(top);
		if (all[2].revents)
			take_profile(top);
	}
}

/* A terminal's keys and the signals that would end or stop others come here alone. */
static int take_signals_here(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGTSTP, SIGWINCH};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int top_show(struct moving *moving, int fd, const struct top_list *list)
{
	struct top top = {.moving = moving, .list = *list, .paused = list->is_still};
	struct error why = {};
	int signals = take_signals_here(), ret;

	ret = screen_open(fd, &top.screen, &why);
	if (ret)
		return cmd_fail_error(ret, &why);
	report_style_detect(stdout, &top.style);
	set_style(&top);
	follow(&top, fd, signals);
	screen_close(top.screen);
	close(signals);
	top_list_done(&top.list);
	free(top.page);
	free(top.function);
	free(top.object);
	return 0;
}

static int show(void *context, struct moving *moving)
{
	struct terminal *terminal = context;
	const struct top_list list = {
		.view = top_view_by(terminal->whom.options.keeping.by),
	};

	/* Whoever kills profil itself leaves a terminal to be given back. */
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	return top_show(moving, terminal->fd, &list);
}

static void rescue(void *context)
{
	struct terminal *terminal = context;

	screen_rescue(terminal->fd, &terminal->before);
}

static int measure(struct terminal *terminal, char **argv)
{
	struct measure_options *options = &terminal->whom.options;
	struct error why;
	int status;

	if (screen_find(&terminal->fd, &why))
		return cmd_fail("%s", why.text);
	(void)tcgetattr(terminal->fd, &terminal->before);
	options->show = (struct moving_show){.show = show, .context = terminal, .rescue = rescue};
	options->quiet = true;
	options->engine.by_thread = true;
	options->engine.by_cpu |= options->engine.everyone;
	options->engine.by_cgroup |= options->engine.everyone;
	status = whom_measure(&terminal->whom, "top", argv);
	close(terminal->fd);
	return status;
}

int command_top(int argc, char **argv)
{
	struct terminal terminal = {};
	int first, status = 0;

	measuring_defaults(&terminal.whom.options);
	terminal.whom.options.keeping.output = NULL;
	first = options_read(command_find("top"), argc, argv, &terminal);
	if (first > 0)
		status = measure(&terminal, argv + first);
	whom_done(&terminal.whom);
	return first < 0 ? EXIT_PROFIL : status;
}
