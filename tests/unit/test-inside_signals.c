// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "burn.h"
#include "guest.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

/* Signals and their stacks are the program's: what it does with them, and what an engine leaves of
 * them. */

/* Set by a handler, on whichever thread the signal comes to. */
static atomic_uint own_signals, foreign_signals;

static void own_handler(int number, siginfo_t *info, void *context)
{
	if (info->si_code == SI_KERNEL)
		own_signals++;
	else
		foreign_signals++;
}

static void sigprof_is_the_programs_by(const struct inside_ops *ops)
{
	struct sigaction action = {.sa_sigaction = own_handler, .sa_flags = SA_SIGINFO}, after;
	struct itimerval every = {{0, 10000}, {0, 10000}}, never = {{0}};
	uint64_t cells[2];
	struct burning burning;

	own_signals = 0;
	foreign_signals = 0;
	assert_int_equal(sigaction(SIGPROF, &action, NULL), 0);
	burning = start(ops, cells, /* this_thread= */ false);
	assert_int_equal(setitimer(ITIMER_PROF, &every, NULL), 0);
	for (int i = 0; i < 1000 && own_signals < 10; i++)
		burn(left, 10);
	assert_true(burn_until(&burning, left, 100));
	assert_int_equal(setitimer(ITIMER_PROF, &never, NULL), 0);
	stop(&burning);
	assert_true(own_signals >= 10);
	assert_int_equal(foreign_signals, 0);
	assert_int_equal(sigaction(SIGPROF, NULL, &after), 0);
	assert_ptr_equal(after.sa_sigaction, own_handler);
	signal(SIGPROF, SIG_DFL);
}
EACH(sigprof_is_the_programs)

/* timer's come when they may, as one of full weight. */
static void blocked_signals_lose_nothing_by(const struct inside_ops *ops)
{
	sigset_t all, before;
	uint64_t cells[2];
	struct burning burning = start(ops, cells, /* this_thread= */ false);
	struct inside_account last;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	burn(left, 100);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	last = stop(&burning);
	assert_within(&burning, &last, was_alone(&burning, &last, 1) ? 70 * (uint64_t)PERIOD_NS : 0,
		      last.cpu_ns + last.cpu_ns / 100 + PERIOD_NS);
}
EACH(blocked_signals_lose_nothing)

/* Signals that are blocked until all is over are of timers that are no more. */
static void late_signals_are_harmless_by(const struct inside_ops *ops)
{
	sigset_t all, before;
	uint64_t cells[2];
	struct burning burning = start(ops, cells, /* this_thread= */ false);

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	burn(left, 50);
	stop(&burning);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	assert_int_equal(handled_signal(), 0);
}
EACH(late_signals_are_harmless)

static bool is_blank(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

struct stacks {
	struct burning burning;
	char *second;
};

static void *burn_on_two_stacks(void *argument)
{
	struct stacks *stacks = argument;
	stack_t stack = {.ss_sp = stacks->second, .ss_size = 65536};
	stack_t none = {.ss_flags = SS_DISABLE};

	sigaltstack(&stack, NULL);
	assert_true(burn_until(&stacks->burning, left, 30));
	sigaltstack(&none, NULL);
	return NULL;
}

/* A program with stacks of a few hundred bytes has an alternate one for its signals. */
static void takes_the_alternate_stack_by(const struct inside_ops *ops)
{
	uint64_t cells[2];
	struct stacks stacks = {.second = calloc(1, 65536)};
	pthread_t thread;

	stacks.burning = start(ops, cells, /* this_thread= */ false);
	assert_int_equal(pthread_create(&thread, NULL, burn_on_two_stacks, &stacks), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	stop(&stacks.burning);
	assert_int_equal(is_blank(stacks.second, 65536), ops != &inside_timer);
	free(stacks.second);
}
EACH(takes_the_alternate_stack)

/* Somebody else's signal of the same number does what it would do without us. */
static void a_foreign_signal_kills(void **state)
{
	pid_t child = fork();
	int status;

	if (!child) {
		uint64_t cells[2];

		start(&inside_timer, cells, /* this_thread= */ false);
		kill(getpid(), handled_signal());
		_exit(0);
	}
	status = status_of(child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) >= SIGRTMIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sigprof_is_the_programs),
		cmocka_unit_test(blocked_signals_lose_nothing),
		cmocka_unit_test(late_signals_are_harmless),
		cmocka_unit_test(takes_the_alternate_stack),
		cmocka_unit_test(a_foreign_signal_kills),
	};

	return cmocka_run_group_tests_name("inside_signals", tests, NULL, NULL);
}
