// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/measure.h"

#include "cmd/command.h"
#include "cmd/keep.h"
#include "cmd/live.h"
#include "engine/clock.h"
#include "profile/pprof.h"
#include "target/spawn.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define SECOND_NS 1000000000ull
#define DITHER_NS (SECOND_NS / 4)
#define LIVE_NS SECOND_NS

struct measurement {
	const struct run_options *options;
	const struct engine_ops *ops;
	struct engine *engine;
	struct spawned child;
	struct keeper *keeper;
	struct live live;
	uint64_t began_ns;				/* CLOCK_MONOTONIC */
	uint64_t next_snapshot, next_dither, next_live; /* the same, UINT64_MAX: never */
};

/* Everything that can happen while the program runs arrives as one of these, waited for in one
 * place; there are no handlers, and nothing to wake up for unless asked. */
static void watched_signals(sigset_t *ret_set)
{
	static const int watched[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1};

	sigemptyset(ret_set);
	for (size_t i = 0; i < sizeof(watched) / sizeof(*watched); i++)
		sigaddset(ret_set, watched[i]);
}

static uint64_t soonest(const struct measurement *m)
{
	uint64_t at = m->next_snapshot;

	if (m->next_dither < at)
		at = m->next_dither;
	if (m->next_live < at)
		at = m->next_live;
	return at;
}

/* Returns a signal, or 0 when something is due. */
static int wait_for_signal(const struct measurement *m, const sigset_t *signals, siginfo_t *info)
{
	uint64_t at = soonest(m), now = monotonic_ns();
	uint64_t left = at > now ? at - now : 0;
	struct timespec timeout = {
		.tv_sec = (time_t)(left / SECOND_NS),
		.tv_nsec = (long)(left % SECOND_NS),
	};
	int signal = at == UINT64_MAX ? sigwaitinfo(signals, info)
				      : sigtimedwait(signals, info, &timeout);

	return signal < 0 ? 0 : signal;
}

static bool child_ended(const struct measurement *m)
{
	siginfo_t info = {};

	/* It stays a zombie, so that its CPU time can still be read. */
	return !waitid(P_PID, (id_t)m->child.pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       info.si_pid == m->child.pid;
}

/* What a terminal sends, the program has got as well: it is in the same process group.  What
 * somebody sends to profil alone, is meant for the program. */
static void forward(const struct measurement *m, const siginfo_t *info)
{
	if (info->si_code != SI_KERNEL)
		kill(m->child.pid, info->si_signo);
}

static void do_due(struct measurement *m)
{
	uint64_t now = monotonic_ns();

	if (now >= m->next_snapshot) {
		m->next_snapshot += m->options->every_ns;
		keeper_snapshot(m->keeper, m->engine, now - m->began_ns);
	}
	if (now >= m->next_dither) {
		m->next_dither = now + DITHER_NS;
		m->ops->redraw(m->engine);
	}
	if (now >= m->next_live) {
		m->next_live = now + LIVE_NS;
		live_show(&m->live, m->ops, m->engine, now - m->began_ns);
	}
}

static void watch(struct measurement *m, const sigset_t *signals)
{
	siginfo_t info;

	while (!child_ended(m)) {
		switch (wait_for_signal(m, signals, &info)) {
		case SIGINT:
		case SIGTERM:
		case SIGHUP:
		case SIGQUIT:
			forward(m, &info);
			break;
		case SIGUSR1:
			keeper_snapshot(m->keeper, m->engine, monotonic_ns() - m->began_ns);
			break;
		case 0:
			do_due(m);
			break;
		}
	}
	live_clear(&m->live);
}

static int exit_status(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_PROFIL;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void set_alarms(struct measurement *m)
{
	m->began_ns = monotonic_ns();
	m->next_snapshot = m->next_dither = m->next_live = UINT64_MAX;
	if (m->options->every_ns)
		m->next_snapshot = m->began_ns + m->options->every_ns;
	if (m->options->dither)
		m->next_dither = m->began_ns + DITHER_NS;
	if (live_wanted(&m->live))
		m->next_live = m->began_ns + LIVE_NS;
}

/* From a waiting child to its end.  Returns profil's exit status. */
static int run_child(struct measurement *m, char **argv, const sigset_t *signals)
{
	struct error why;
	uint64_t ended;
	int r, status;

	if (m->ops->start(m->engine, m->child.pid, &why))
		return cmd_fail("%s", why.text);
	set_alarms(m);
	r = spawn_release(&m->child, argv[0], &why);
	if (r) {
		(void)cmd_fail("%s", why.text);
		return r == -ENOENT ? 127 : 126;
	}
	watch(m, signals);
	ended = monotonic_ns();
	r = keeper_final(m->keeper, m->engine, ended - m->began_ns);
	status = exit_status(m->child.pid);
	return r && !status ? EXIT_PROFIL : status;
}

static int measure(struct measurement *m, char **argv, const sigset_t *signals)
{
	struct error why;
	int status;

	if (m->ops->open(&m->options->engine, &m->engine, &why))
		return cmd_fail("%s", why.text);
	m->keeper = keeper_new(m->options, m->ops, argv);
	status = m->keeper ? run_child(m, argv, signals) : cmd_fail("out of memory: free some");
	keeper_free(m->keeper);
	m->ops->close(m->engine);
	return status;
}

int measure_program(const struct run_options *options, char **argv)
{
	struct measurement m = {.options = options};
	sigset_t signals, before;
	struct error why;
	int status;

	if (engine_choose(options->engine_name, &m.ops, &why))
		return cmd_fail("%s", why.text);
	if (pprof_check(options->output, &why))
		return cmd_fail("%s", why.text);
	live_init(&m.live, options->quiet);
	watched_signals(&signals);
	sigprocmask(SIG_BLOCK, &signals, &before);
	/* Forked first, while profil is small: the child shares none of what is made later. */
	if (spawn_prepare(&m.child, argv, &before, &why))
		return cmd_fail("%s", why.text);
	/* A caller may ignore SIGCHLD (the program inherits that); then children leave no status.
	 */
	(void)signal(SIGCHLD, SIG_DFL);
	status = measure(&m, argv, &signals);
	spawn_abandon(&m.child);
	return status;
}
