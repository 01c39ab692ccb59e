// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/measure.h"

#include "base/reap.h"
#include "cmd/command.h"
#include "cmd/engines.h"
#include "cmd/keep.h"
#include "cmd/live.h"
#include "cmd/measuring.h"
#include "cmd/signals.h"
#include "cmd/subject.h"
#include "engine/clock.h"
#include "engine/privilege.h"
#include "engine/shortage.h"
#include "profile/pprof.h"
#include "target/spawn.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DITHER_NS (SECOND_NS / 4)
#define LIVE_NS SECOND_NS
#define DRAIN_NS (SECOND_NS / 10)
#define LATE_NS (SECOND_NS / 10)

struct measurement {
	const struct measure_options *options;
	struct engines engines;
	struct processes *processes;
	struct spawned *child; /* the only one of them, if profil has started it; or NULL */
	struct keeper *keeper;
	struct mover mover;
	struct live live;
	int signals;	   /* a signalfd */
	uint64_t began_ns; /* CLOCK_MONOTONIC */
	/* The same; UINT64_MAX: never. */
	uint64_t next_snapshot, next_dither, next_live, next_drain, end;
};

/* Everything that can happen while processes run arrives in one place: signals as a signalfd, their
 * ends as pidfds.  There are no handlers, and nothing to wake up for unless asked. */
static uint64_t soonest(const struct measurement *m)
{
	uint64_t at = m->next_snapshot;

	if (m->next_dither < at)
		at = m->next_dither;
	if (m->next_live < at)
		at = m->next_live;
	if (m->next_drain < at)
		at = m->next_drain;
	return m->end < at ? m->end : at;
}

/* Returns a signal, or 0 when something is due or a process has ended. */
static int wait_for_signal(struct measurement *m, struct signalfd_siginfo *info)
{
	uint64_t at = soonest(m), now = monotonic_ns();
	uint64_t left = at > now ? at - now : 0;
	struct timespec timeout = {
		.tv_sec = (time_t)(left / SECOND_NS),
		.tv_nsec = (long)(left % SECOND_NS),
	};
	struct pollfd more[] = {
		{.fd = m->signals, .events = POLLIN},
		{.fd = m->engines.ops->wakeup ? m->engines.ops->wakeup(m->engines.engine) : -1,
		 .events = POLLIN},
		{.fd = mover_fd(&m->mover), .events = POLLIN},
	};

	if (processes_wait(m->processes, more, 3, at == UINT64_MAX ? NULL : &timeout))
		return 0;
	if (more[1].revents)
		m->engines.ops->drain(m->engines.engine);
	/* Who has ended what is shown, has asked for an end of all. */
	if (more[2].revents &&
	    !keeper_show(m->keeper, m->engines.engine, monotonic_ns() - m->began_ns, &m->mover)) {
		*info = (struct signalfd_siginfo){.ssi_signo = SIGTERM};
		return SIGTERM;
	}
	return more[0].revents ? signals_next(m->signals, info) : 0;
}

/* What a terminal sends, the program has got as well: it is in the same process group.  What
 * somebody sends to profil alone, is meant for the program. */
static void forward(const struct measurement *m, const struct signalfd_siginfo *info)
{
	if (info->ssi_code != SI_KERNEL)
		kill(m->child->pid, (int)info->ssi_signo);
}

/* One at a time: where the one before takes long, the next one comes late. */
static void take_snapshot(struct measurement *m, uint64_t now)
{
	uint64_t every = m->options->every_ns;

	if (!keeper_snapshot(m->keeper, m->engines.engine, now - m->began_ns))
		m->next_snapshot = now + LATE_NS;
	else
		m->next_snapshot = every ? now + every : UINT64_MAX;
}

static void do_due(struct measurement *m)
{
	uint64_t now = monotonic_ns();

	if (now >= m->next_snapshot)
		take_snapshot(m, now);
	if (now >= m->next_dither) {
		m->next_dither = now + DITHER_NS;
		m->engines.ops->redraw(m->engines.engine);
	}
	if (now >= m->next_drain) {
		m->next_drain = now + DRAIN_NS;
		m->engines.ops->drain(m->engines.engine);
	}
	if (now >= m->next_live) {
		m->next_live = now + LIVE_NS;
		live_show(&m->live, m->engines.ops, m->engines.engine, now - m->began_ns);
	}
}

/* Returns whether the measurement is to end. */
static bool take_signal(struct measurement *m)
{
	struct signalfd_siginfo info;

	switch (wait_for_signal(m, &info)) {
	case SIGINT:
	case SIGTERM:
	case SIGHUP:
	case SIGQUIT:
		if (!m->options->show.keeps)
			mover_stop(&m->mover);
		if (!m->child)
			return true;
		forward(m, &info);
		break;
	case SIGUSR1:
		take_snapshot(m, monotonic_ns());
		break;
	case 0:
		do_due(m);
		break;
	}
	return monotonic_ns() >= m->end;
}

static bool anybody_left(struct measurement *m)
{
	return m->options->engine.everyone || processes_left(m->processes);
}

static void watch(struct measurement *m)
{
	while (anybody_left(m) && !take_signal(m))
		;
	live_clear(&m->live);
}

static int exit_status(pid_t pid)
{
	int status = reap(pid);

	if (status < 0)
		return EXIT_PROFIL;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void set_alarms(struct measurement *m)
{
	m->began_ns = monotonic_ns();
	m->next_snapshot = m->next_dither = m->next_live = UINT64_MAX;
	m->next_drain = m->end = UINT64_MAX;
	if (m->engines.ops->drain && !m->engines.ops->drains_when_woken)
		m->next_drain = m->began_ns + DRAIN_NS;
	if (m->options->every_ns)
		m->next_snapshot = m->began_ns + m->options->every_ns;
	if (m->options->engine.redraws)
		m->next_dither = m->began_ns + DITHER_NS;
	if (live_wanted(&m->live))
		m->next_live = m->began_ns + LIVE_NS;
	if (m->options->for_ns)
		m->end = m->began_ns + m->options->for_ns;
}

static int check_program(const struct measurement *m, char **argv, struct error *reterr)
{
	const struct engine_ops *ops = m->engines.ops;

	return m->child && ops->accepts ? ops->accepts(argv[0], reterr) : 0;
}

/* Some engines find out only now that there is too little for them. */
static int start_engine(struct measurement *m, char **argv, struct error *reterr)
{
	int ret = m->engines.ops->start(m->engines.engine, m->processes->pids, m->processes->count,
					reterr);

	while (shortage_is(ret) && engines_replace(&m->engines, reterr)) {
		ret = check_program(m, argv, reterr);
		if (ret)
			return ret;
		ret = m->engines.ops->start(m->engines.engine, m->processes->pids,
					    m->processes->count, reterr);
	}
	return ret;
}

static int start(struct measurement *m, char **argv)
{
	struct error why;
	int ret = start_engine(m, argv, &why);

	/* Nothing that comes needs what profil's file may have lent. */
	ret = ret ? ret : privilege_finish(&why);
	if (ret)
		return cmd_fail_error(ret, &why);
	if (*m->engines.no_stacks.text && !m->options->quiet)
		(void)cmd_fail("no call stacks: %s", m->engines.no_stacks.text);
	set_alarms(m);
	return 0;
}

/* Let the waiting child, if there is one, run its program. */
static int release(struct measurement *m, char **argv)
{
	struct error why;
	char *const *environment =
		m->engines.ops->environment ? m->engines.ops->environment(m->engines.engine) : NULL;
	int ret = m->child ? spawn_release(m->child, argv[0], environment, &why) : 0;

	if (!ret)
		return 0;
	(void)cmd_fail("%s", why.text);
	return ret == -ENOENT ? 127 : 126;
}

/* To who waits for this measurement, if anybody does. */
static void say(const struct measurement *m, char how_far)
{
	if (m->options->over)
		(void)!write(m->options->over, &how_far, 1);
}

/* From stopped clocks to the end.  Returns profil's exit status. */
static int run(struct measurement *m, char **argv)
{
	int ret = start(m, argv), status = 0;

	if (!ret)
		ret = release(m, argv);
	if (ret)
		return ret;
	say(m, MEASURE_BEGUN);
	mover_go(&m->mover);
	watch(m);
	if (m->options->verbose)
		engines_say_memory(&m->engines);
	if (m->options->over) {
		m->engines.ops->stop(m->engines.engine);
		say(m, anybody_left(m) ? MEASURE_STOPPED : MEASURE_ENDED);
	}
	ret = keeper_final(m->keeper, m->engines.engine, monotonic_ns() - m->began_ns,
			   m->child && !processes_left(m->processes), &m->mover);
	if (m->child)
		status = exit_status(m->child->pid);
	return ret && !status ? ret : status;
}

/* Returns 0, or an exit status where a signal has come before, or nothing is left to be measured.
 */
static int wait_to_begin(const struct measurement *m)
{
	struct pollfd fds[] = {{.fd = m->options->begin, .events = POLLIN},
			       {.fd = m->signals, .events = POLLIN}};
	char how = m->options->begin ? MEASURE_READY : MEASURE_STOPPED;
	int number = 0;

	say(m, MEASURE_READY);
	while (how != MEASURE_STOPPED && how != MEASURE_ENDED && !number) {
		(void)poll(fds, 2, -1);
		/* Whoever has ended without a word is over, too. */
		if (fds[0].revents && read(m->options->begin, &how, 1) < 1)
			how = MEASURE_STOPPED;
		number = signals_next_end(m->signals);
	}
	return number ? 128 + number : how == MEASURE_ENDED ? EXIT_PROFIL : 0;
}

static struct engine_wish wish_of(const struct measurement *m)
{
	struct engine_wish wish = measuring_wish(m->options);

	wish.running = !m->child;
	return wish;
}

/* Measure what is called SUBJECT, for whoever has blocked the watched signals. */
static int measure(struct measurement *m, const char *subject, char **argv)
{
	const char *program;
	struct error why;
	char running[32];
	int status, ret;

	m->engines.asked.program = argv ? argv[0] : NULL;
	status = engines_open(&m->engines);
	if (status)
		return status;
	status = wait_to_begin(m);
	if (m->processes->count)
		(void)snprintf(running, sizeof(running), "/proc/%d/exe",
			       (int)m->processes->pids[0]);
	program = argv ? argv[0] : m->processes->count ? running : NULL;
	m->keeper =
		subject && !status ? keeper_new(&m->engines, subject, program, m->signals) : NULL;
	if (!m->keeper && !status)
		status = cmd_fail("out of memory: free some");
	ret = status ? 0 : check_program(m, argv, &why);
	if (ret)
		status = cmd_fail_error(ret, &why);
	if (!status)
		status = run(m, argv);
	keeper_free(m->keeper);
	m->engines.ops->close(m->engines.engine);
	return status;
}

/* What must hold before anything is started: an engine, a file to write, and the signals, which are
 * blocked from here on.  *RET_BEFORE is the mask there was. */
static int prepare(struct measurement *m, sigset_t *ret_before)
{
	const struct measure_options *options = m->options;
	const struct naming_options naming = {.server_ns = options->names_timeout_ns};
	struct error why, why_not;

	m->engines =
		(struct engines){.options = options, .asked = options->engine, .wish = wish_of(m)};
	if (engine_choose(&m->engines.wish, &m->engines.ops, &why_not, &why) ||
	    (options->keeping.output && pprof_check(options->keeping.output, REPLACE_KEEP, &why)))
		return cmd_fail("%s", why.text);
	engines_say(&m->engines, &why_not);
	live_init(&m->live, options->quiet);
	m->signals = signals_take(ret_before);
	if (m->signals < 0)
		return cmd_fail("signals: %s: close some files", strerror(-m->signals));
	return mover_begin(&m->mover, &options->show, &naming, &why) ? cmd_fail("%s", why.text) : 0;
}

/* The child is there: it is the one process. */
static int measure_child(struct measurement *m, char **argv)
{
	char *subject = subject_command(argv);
	struct error why;
	int ret, status;

	/* A caller may ignore SIGCHLD (the program inherits that); then children leave no status.
	 */
	(void)signal(SIGCHLD, SIG_DFL);
	ret = processes_add_own(m->processes, m->child->pid, &why);
	status = ret ? cmd_fail_error(ret, &why) : measure(m, subject, argv);
	free(subject);
	return status;
}

int measure_program(const struct measure_options *options, char **argv)
{
	struct processes processes = {};
	struct spawned child;
	struct measurement m = {.options = options, .processes = &processes, .child = &child};
	sigset_t before;
	struct error why;
	int status = prepare(&m, &before);

	if (status)
		return status;
	/* Forked early, while profil is small: the child shares none of what is made later. */
	if (spawn_prepare(&child, argv, &before, options->show.show, &why))
		return cmd_fail("%s", why.text);
	status = measure_child(&m, argv);
	mover_stop(&m.mover);
	(void)mover_wait(&m.mover, m.signals);
	spawn_abandon(&child);
	processes_done(&processes);
	close(m.signals);
	return status;
}

/* What runs already. */
static int measure_running(const struct measure_options *options, struct processes *processes,
			   const char *subject)
{
	struct measurement m = {.options = options, .processes = processes};
	sigset_t before;
	int status = prepare(&m, &before);

	if (status)
		return status;
	status = measure(&m, subject, NULL);
	mover_stop(&m.mover);
	(void)mover_wait(&m.mover, m.signals);
	close(m.signals);
	return status;
}

int measure_processes(const struct measure_options *options, struct processes *processes)
{
	char *subject = subject_processes(processes);
	int status = measure_running(options, processes, subject);

	free(subject);
	return status;
}

int measure_machine(const struct measure_options *options)
{
	struct processes none = {};
	int status = measure_running(options, &none, "the whole machine");

	processes_done(&none);
	return status;
}
