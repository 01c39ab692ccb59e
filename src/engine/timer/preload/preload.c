// SPDX-License-Identifier: BSD-2-Clause
#include "base/at_fork.h"
#include "engine/timer/inside/guest.h"
#include "engine/inside/inside.h"
#include "engine/inside/signals.h"
#include "engine/timer/inside/tick_signal.h"
#include "engine/timer/preload/keep.h"
#include "engine/timer/preload/measured.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* profil's timer engine in a program that knows nothing of it: started before main(), again in each
 * child and in each program that is executed, and never stopped.  What it counts is in profil's
 * memory at once, so that nothing need be done at the end, however that comes.
 *
 * Whatever fails here is the measurement's loss; the program goes on. */

#define LOOK_EVERY_NS 250000000 /* of CPU time: what has changed behind mappings.c's back */

/* Of all below but the ticks' part.  Recursive, for while a fork holds it the program may run, in
 * its own handlers, and change what is mapped. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct guest guest;
static struct inside *inside; /* NULL: nothing is counted here */

/* Of this process, what profil has been told. */
static struct {
	uint64_t cpu_ns, threads, hidden_ns;
	uint64_t cpu_at_look;
} told;

/* ------------------------------------------------------------------ profil's memory */

static bool is_sound(const struct handoff *handoff, size_t size)
{
	uint64_t cells = handoff->cell_room, contexts = handoff->context_room;

	return handoff->magic == HANDOFF_MAGIC && handoff->size == size && handoff->period_ns &&
	       cells && !(cells & (cells - 1)) && cells < size && !(contexts & (contexts - 1)) &&
	       contexts < size && handoff->most_calls <= HANDOFF_CALLS_MOST &&
	       handoff_size(cells) + handoff_stacks_size(cells, contexts) == size;
}

static struct handoff *map_fd(int fd)
{
	struct handoff *handoff;
	struct stat status;
	size_t size;

	if (fstat(fd, &status) || status.st_size < (off_t)sizeof(*handoff))
		return NULL;
	size = (size_t)status.st_size;
	handoff = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (handoff == MAP_FAILED)
		return NULL;
	if (is_sound(handoff, size))
		return handoff;
	(void)munmap(handoff, size);
	return NULL;
}

/* When profil has ended, its number may be another process's, and a file that is opened may do
 * something. */
static bool is_memory(const char *path)
{
	static const char start[] = "/memfd:profil ";
	char name[sizeof(start)];

	return readlink(path, name, sizeof(name)) >= (ssize_t)strlen(start) &&
	       !memcmp(name, start, strlen(start));
}

/* Not by a descriptor that the program inherits, for it may close it, or count its own. */
static struct handoff *map_path(const char *path)
{
	struct handoff *handoff;
	int fd = is_memory(path) ? open(path, O_RDWR | O_CLOEXEC) : -1;

	if (fd < 0)
		return NULL;
	handoff = map_fd(fd);
	(void)close(fd);
	return handoff;
}

static void tell(uint64_t *before, uint64_t now, uint64_t *sum)
{
	if (now <= *before)
		return;
	__atomic_fetch_add(sum, now - *before, __ATOMIC_RELAXED);
	*before = now;
}

static void tell_account(const struct inside_account *account)
{
	tell(&told.cpu_ns, account->cpu_ns, &guest.handoff->cpu_ns);
	tell(&told.threads, account->threads, &guest.handoff->threads);
}

static void look(uint64_t cpu_ns)
{
	if (!guest_look(&guest))
		told.cpu_at_look = cpu_ns;
}

/* ------------------------------------------------------------------ the engine's thread */

static uint64_t own_cpu_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void watch(struct guest *here, const struct inside_account *account)
{
	(void)pthread_mutex_lock(&lock);
	if (guest_is_stale(here) || account->cpu_ns - told.cpu_at_look > LOOK_EVERY_NS)
		look(account->cpu_ns);
	tell_account(account);
	(void)pthread_mutex_unlock(&lock);
	/* Without the lock, which a program may want while it holds its allocator's. */
	guest_load_tables(here);
	(void)pthread_mutex_lock(&lock);
	tell(&told.hidden_ns, own_cpu_ns(), &here->handoff->hidden_ns);
	(void)pthread_mutex_unlock(&lock);
}

static void start(void)
{
	static const struct inside_receiver receiver = {
		.guest = &guest, .count = guest_tick, .watch = watch};
	const struct inside_options options = {.period_ns = guest.handoff->period_ns,
					       .receiver = &receiver};
	sigset_t ticks;

	memset(&told, 0, sizeof(told));
	if (inside_timer.start(&options, &inside, /* reterr= */ NULL)) {
		inside = NULL;
		__atomic_fetch_add(&guest.handoff->not_followed, 1, __ATOMIC_RELAXED);
		return;
	}
	/* Whoever executed this program may have blocked all signals. */
	sigemptyset(&ticks);
	sigaddset(&ticks, tick_signal_number());
	signals_mask(SIG_UNBLOCK, &ticks, NULL);
}

/* ------------------------------------------------------------------ forks */

static void prepare_fork(void)
{
	struct inside_account unused;
	int code = errno;

	(void)pthread_mutex_lock(&lock);
	if (inside)
		inside_timer.fork_prepare(inside, &unused);
	errno = code;
}

static void forked_parent(void)
{
	int code = errno;

	if (inside)
		inside_timer.fork_parent(inside);
	(void)pthread_mutex_unlock(&lock);
	errno = code;
}

static void forked_child(void)
{
	int code = errno;

	if (inside)
		inside_timer.fork_child(inside);
	guest_forked(&guest);
	/* Its owner is a thread of the parent. */
	lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	(void)pthread_mutex_lock(&lock);
	start();
	(void)pthread_mutex_unlock(&lock);
	errno = code;
}

/* ------------------------------------------------------------------ the program */

/* A child that was made behind fork's back (clone, _Fork) has the lock as it was, and no engine. */
static bool is_measured(void)
{
	return guest.handoff && guest.pid == getpid();
}

/* Whoever is interrupted by a signal here may change what is mapped in its handler. */
static sigset_t enter(void)
{
	sigset_t all, before = {};

	sigfillset(&all);
	signals_mask(SIG_BLOCK, &all, &before);
	(void)pthread_mutex_lock(&lock);
	return before;
}

static void leave(const sigset_t *before)
{
	(void)pthread_mutex_unlock(&lock);
	signals_mask(SIG_SETMASK, before, NULL);
}

void measured_before(uintptr_t start, uintptr_t end)
{
	int code = errno;
	sigset_t before;

	/* It asks the kernel who it is only where there is something to do. */
	if (!guest_owes(&guest, start, end) || !is_measured())
		return;
	before = enter();
	look(told.cpu_at_look);
	leave(&before);
	errno = code;
}

void measured_after(uintptr_t start, uintptr_t end)
{
	int code = errno;
	sigset_t before;

	if (!is_measured() || !guest_knows(&guest, start, end))
		return;
	before = enter();
	guest_forget_map(&guest);
	leave(&before);
	errno = code;
}

/* The engine's thread wants the lock before it ends. */
static void stop(void)
{
	struct inside_account last;
	struct inside *running;

	(void)pthread_mutex_lock(&lock);
	running = inside;
	inside = NULL;
	(void)pthread_mutex_unlock(&lock);
	if (!running)
		return;
	inside_timer.stop(running, &last);
	(void)pthread_mutex_lock(&lock);
	tell_account(&last);
	(void)pthread_mutex_unlock(&lock);
}

static void start_again(void)
{
	int code = errno;

	(void)pthread_mutex_lock(&lock);
	if (!inside)
		start();
	(void)pthread_mutex_unlock(&lock);
	errno = code;
}

/* A process may take other namespaces only while it has one thread, and what it shares its root
 * with counts, too: the engine's is not there meanwhile. */
EXPORT int unshare(int flags)
{
	int (*next)(int flags) = keep_next("unshare");
	int ret;

	if (!is_measured())
		return next(flags);
	stop();
	ret = next(flags);
	start_again();
	return ret;
}

EXPORT int setns(int fd, int kind)
{
	int (*next)(int fd, int kind) = keep_next("setns");
	int ret;

	if (!is_measured())
		return next(fd, kind);
	stop();
	ret = next(fd, kind);
	start_again();
	return ret;
}

/* Before the program's first instruction, and not its work. */
static void load_tables(void)
{
	uint64_t before = own_cpu_ns();

	guest_stacks_init(&guest);
	look(0);
	guest_load_tables(&guest);
	if (guest.handoff->context_room)
		__atomic_fetch_add(&guest.handoff->hidden_ns, own_cpu_ns() - before,
				   __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getauxval(AT_SECURE) ? NULL : getenv(HANDOFF_VARIABLE);
	struct handoff *handoff;
	int code = errno;

	mappings_begin();
	handoff = path ? map_path(path) : NULL;
	if (handoff && !__atomic_load_n(&handoff->ended, __ATOMIC_RELAXED)) {
		guest_init(&guest, handoff);
		load_tables();
		start();
		(void)at_fork(prepare_fork, forked_parent, forked_child);
	}
	errno = code;
}

/* The last word, where there is one. */
__attribute__((destructor)) static void end(void)
{
	struct inside_account account;
	sigset_t before;

	if (!is_measured() || !inside)
		return;
	before = enter();
	if (guest_is_stale(&guest))
		look(told.cpu_at_look);
	if (!inside_timer.account(inside, &account))
		tell_account(&account);
	leave(&before);
}
