// SPDX-License-Identifier: BSD-2-Clause
#include "base/at_fork.h"
#include "engine/inside/threads.h"
#include "gmon/arcs.h"
#include "gmon/clock.h"
#include "gmon/crash.h"
#include "gmon/gmon.h"
#include "gmon/objects.h"
#include "gmon/output.h"
#include "gmon/save.h"
#include "gmon/watch.h"
#include "gmon/write.h"
#include "libprofil/settings.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_DEFAULT_NS 1003009 /* 997 Hz */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below, objects and clock */
static bool is_running, is_child, is_noted, watches;
static pid_t home; /* atomic; the process whose data is to be written; 0: none */

static struct {
	uintptr_t low, high;
} wanted;

static __thread bool has_lock; /* this thread */

static void take(void)
{
	(void)pthread_mutex_lock(&lock);
	has_lock = true;
}

static void give(void)
{
	has_lock = false;
	(void)pthread_mutex_unlock(&lock);
}

static void renew(void)
{
	if (is_running && objects_update(wanted.low, wanted.high) > 0)
		clock_renew();
}

/* For a profile that a handler may write. */
static void note(void)
{
	if (is_running && is_noted)
		clock_note();
}

static void look(void)
{
	take();
	renew();
	note();
	give();
}

/* What was counted before the fork is the parent's to write. */
static void forked_child(void)
{
	if (is_running) {
		is_child = true;
		arcs_forget();
		clock_forked();
		note();
		save_begin();
		watch_forget();
		watch_start(look);
		__atomic_store_n(&home, getpid(), __ATOMIC_SEQ_CST);
	}
	give();
}

/* After libprofil has begun to watch, so that before a fork its lock is taken after ours, and in
 * the child its clocks go before ours are asked. */
static void watch_process(void)
{
	if (!watches)
		watches = !at_fork(take, give, forked_child) && !at_quick_exit(_mcleanup);
}

static void start_clock(const struct settings *settings)
{
	struct error reason = {};
	uint64_t period = settings->period_ns ? settings->period_ns : PERIOD_DEFAULT_NS;

	if (clock_start(period, settings->engine, &reason))
		output_complain("clock", *reason.text ? reason.text : "none can be had",
				"only calls are counted");
}

/* A vfork(2)'s child, and one that fork's handlers have not seen, is not home: it has nothing of
 * its own. */
static void write_now(void)
{
	struct text interrupted;

	if (__atomic_load_n(&home, __ATOMIC_SEQ_CST) != getpid())
		return;
	output_unfinished(&interrupted);
	write_all(is_child, /* is_final= */ false);
	output_remove(&interrupted);
}

static void begin(uintptr_t low, uintptr_t high)
{
	struct settings settings;

	settings_read(&settings);
	wanted.low = low;
	wanted.high = high;
	arcs_clear();
	save_begin();
	if (objects_update(low, high) < 0)
		output_complain("memory", "none is left for the cells", "free some");
	start_clock(&settings);
	watch_process();
	watch_start(look);
	crash_watch(write_now);
	is_running = true;
	is_noted = save_is_wanted();
	note();
	__atomic_store_n(&home, getpid(), __ATOMIC_SEQ_CST);
	__atomic_store_n(&arcs_on, true, __ATOMIC_SEQ_CST);
}

EXPORT void monstartup(unsigned long low, unsigned long high)
{
	if (getauxval(AT_SECURE))
		return;
	take();
	if (!is_running)
		begin(low, high);
	give();
}

EXPORT void moncontrol(int on)
{
	take();
	if (is_running) {
		clock_control(on);
		note();
		__atomic_store_n(&arcs_on, on, __ATOMIC_SEQ_CST);
	}
	give();
}

EXPORT void __monstartup(unsigned long low, unsigned long high)
	__attribute__((alias("monstartup")));
EXPORT void __moncontrol(int on) __attribute__((alias("moncontrol")));

/* Every tick is somewhere, and who asks is told where. */
static void tell_account(void)
{
	struct clock_account account;
	struct settings settings;
	char line[256];
	int length;

	settings_read(&settings);
	if (!settings.debug)
		return;
	clock_account(&account);
	length = snprintf(line, sizeof(line),
			  "libprofil-gmon: %llu samples at %u Hz = %llu in objects + %llu at no "
			  "object's address + %llu lost; %llu due and not seen\n",
			  (unsigned long long)account.ticks, clock_hertz(),
			  (unsigned long long)(account.ticks - account.outside - account.lost),
			  (unsigned long long)account.outside, (unsigned long long)account.lost,
			  (unsigned long long)account.unseen);
	/* There is nobody to tell that nobody can be told. */
	if (write(STDERR_FILENO, line, (size_t)length) < 0)
		return;
}

/* The thread that watches may wait for the lock, so it is ended without it. */
EXPORT void _mcleanup(void)
{
	bool was_running;

	take();
	was_running = is_running;
	is_running = false;
	give();
	if (!was_running)
		return;
	watch_stop();
	take();
	__atomic_store_n(&arcs_on, false, __ATOMIC_SEQ_CST);
	clock_stop();
	tell_account();
	(void)objects_update(wanted.low, wanted.high);
	write_all(is_child, /* is_final= */ true);
	__atomic_store_n(&home, 0, __ATOMIC_SEQ_CST);
	give();
}

/* It may be called by a signal handler: nothing is stopped, no lock is taken. */
EXPORT void _exit(int status)
{
	write_now();
	for (;;)
		(void)syscall(SYS_exit_group, status);
}

EXPORT void _Exit(int status) __attribute__((alias("_exit")));

#if !GMON_IS_LINKED
#define WAIT_MAX_S 2

/* Another thread has it while it starts a clock anew, for milliseconds.  It is not waited for
 * without end, for it may want what the caller holds (the loader's own lock, in a constructor). */
static bool take_in_time(void)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += WAIT_MAX_S;
	has_lock = !pthread_mutex_timedlock(&lock, &until);
	return has_lock;
}

/* In place of the C library's: a library that goes is seen once more, or for the first time.  Not
 * by who has the lock, or is waited for by who has it: they close what they cannot use. */
EXPORT int dlclose(void *handle)
{
	int (*next)(void *handle);

	if (!has_lock && !thread_is_hidden(gettid()) && take_in_time()) {
		renew();
		give();
	}
	*(void **)&next = dlsym(RTLD_NEXT, "dlclose");
	return next(handle);
}
#endif

/* A start-up file that knows of -pg calls monstartup().  A program that was linked with the library
 * but not by it has nobody else; one into which it is only preloaded, as into a shell's children,
 * is left alone. */
__attribute__((constructor)) static void start(void)
{
	if (GMON_IS_LINKED || objects_program_needs(GMON_SONAME))
		monstartup(0, 0);
}

/* Whoever comes first: glibc's start-up file has _mcleanup() called at exit. */
__attribute__((destructor)) static void end(void)
{
	_mcleanup();
}
