// SPDX-License-Identifier: BSD-2-Clause
/* Make the memory, tell the program of it, and read it (read.c). */
#include "engine/timer/private.h"
#include "engine/shortage.h"

#include "base/capability.h"
#include "base/lent.h"
#include "target/executable.h"
#include "target/proc.h"
#include "target/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TITLE "timer engine"

/* The machine whose signal frames and unwind tables are known (inside/guest_walk.c). */
#ifdef __x86_64__
#define CALL_STACKS true
#else
#define CALL_STACKS false
#endif

/* ---- what it needs ---- */

/* Beside profil, as in the build, or where both were installed, wherever that has been moved. */
static int find_object(char path[PATH_MAX], struct error *reterr)
{
	static const char *const folders[] = {"", PROFIL_LIBRARIES_FROM_PROGRAM "/"};
	char self[PATH_MAX], beside[2 * PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length < 0)
		return error_set(reterr, -errno, TITLE ": /proc/self/exe: %s: mount /proc",
				 strerror(errno));
	self[length] = '\0';
	self[strrchr(self, '/') - self + 1] = '\0';
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		(void)snprintf(beside, sizeof(beside), "%s%s" HANDOFF_OBJECT,
			       *folders[i] == '/' ? "" : self, folders[i]);
		if (realpath(beside, path) && !access(path, R_OK))
			return strpbrk(path, " :")
				       ? error_set(reterr, -EINVAL,
						   TITLE ": %.512s: the loader takes a blank or a "
							 "colon for an end: install it elsewhere",
						   path)
				       : 0;
	}
	return error_set(reterr, -ENOENT,
			 TITLE ": " HANDOFF_OBJECT ": not beside %.512sprofil, nor in its "
			       "libraries' folder: install it",
			 self);
}

static int probe_timer(struct error *reterr)
{
	struct sigevent silent = {.sigev_notify = SIGEV_NONE};
	timer_t timer;

	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &silent, &timer))
		return error_set(reterr, -errno, TITLE ": timer_create: %s: see 'ulimit -i'",
				 strerror(errno));
	(void)timer_delete(timer);
	return 0;
}

/* Whether profil may do what a program that it starts may not: what is ambient is handed on. */
static bool has_more_rights(void)
{
	uint64_t set = capability_effective() | lent_held();

	for (unsigned i = 0; i < 64; i++)
		if (set >> i & 1 &&
		    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, (unsigned long)i, 0, 0) != 1)
			return true;
	return prctl(PR_GET_DUMPABLE) != 1;
}

/* The program reaches the memory through profil's descriptors in /proc, which the kernel closes to
 * whoever has fewer rights than profil. */
static int probe_proc(struct error *reterr)
{
	if (geteuid() && has_more_rights())
		return error_set(reterr, -EPERM,
				 TITLE ": profil's file carries capabilities, which closes its "
				       "memory to the program: use a copy without");
	return 0;
}

static int preload_probe(struct error *reterr)
{
	char path[PATH_MAX];
	struct error why;
	int ret = proc_check(&why);

	if (ret)
		return error_set(reterr, ret, TITLE ": %s", why.text);
	ret = find_object(path, reterr);
	if (!ret)
		ret = probe_timer(reterr);
	return ret ? ret : probe_proc(reterr);
}

static int preload_accepts(const char *program, struct error *reterr)
{
	return executable_takes_preload(program, TITLE, reterr);
}

/* ---- the memory ---- */

static struct handoff *map(int fd, size_t size)
{
	struct handoff *handoff;

	if (ftruncate(fd, (off_t)size))
		return NULL;
	/* The program could else make it shorter, and profil would be killed where it reads. */
	(void)fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	handoff = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return handoff == MAP_FAILED ? NULL : handoff;
}

static uint64_t contexts_of(const struct engine_options *options)
{
	return options->max_contexts ? options->max_contexts : HANDOFF_CONTEXT_LIMIT;
}

static void describe_stacks(struct handoff *handoff, const struct engine_options *options)
{
	uint32_t most = options->max_stack ? options->max_stack : HANDOFF_CALLS;

	handoff->context_limit = contexts_of(options);
	handoff->context_room = handoff_room(handoff->context_limit);
	handoff->most_calls = most < HANDOFF_CALLS_MOST ? most : HANDOFF_CALLS_MOST;
	handoff->no_fold = options->no_fold;
}

static int make_memory(struct engine *engine, const struct engine_options *options,
		       struct error *reterr)
{
	uint64_t limit = options->cell_limit ? options->cell_limit : HANDOFF_CELL_LIMIT;

	engine->limit = limit;
	engine->room = handoff_room(limit);
	if (options->call_stacks)
		engine->context_room = handoff_room(contexts_of(options));
	engine->size = handoff_size(engine->room) +
		       handoff_stacks_size(engine->room, engine->context_room);
	engine->fd = memfd_create("profil", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	engine->handoff = engine->fd < 0 ? NULL : map(engine->fd, engine->size);
	if (!engine->handoff && errno == EMFILE)
		return shortage_error(reterr, -errno, TITLE);
	if (!engine->handoff)
		return error_set(reterr, -errno,
				 TITLE ": memory for %" PRIu64 " cells: %s: free some, or take "
				       "fewer --cells",
				 limit, strerror(errno));
	engine->handoff->size = engine->size;
	engine->handoff->period_ns = options->period_ns;
	engine->handoff->by_process = options->by_process;
	engine->handoff->by_thread = options->by_thread;
	engine->handoff->cell_limit = limit;
	engine->handoff->cell_room = engine->room;
	if (options->call_stacks)
		describe_stacks(engine->handoff, options);
	engine->handoff->magic = HANDOFF_MAGIC;
	return 0;
}

/* What the user preloads stays, and stays first: what must come first (a sanitizer) does. */
static int make_environment(struct engine *engine, struct error *reterr)
{
	const char *before = getenv("LD_PRELOAD");
	char path[PATH_MAX];
	int ret = find_object(path, reterr);

	if (ret)
		return ret;
	before = before ? before : "";
	if (asprintf(&engine->environment[0], "LD_PRELOAD=%s%s%s", before, *before ? ":" : "",
		     path) < 0 ||
	    asprintf(&engine->environment[1], HANDOFF_VARIABLE "=/proc/%d/fd/%d", (int)getpid(),
		     engine->fd) < 0)
		return error_set(reterr, -ENOMEM, TITLE ": out of memory: free some");
	return 0;
}

static void preload_stop(struct engine *engine)
{
	__atomic_store_n(&engine->handoff->ended, 1, __ATOMIC_RELAXED);
}

static void preload_close(struct engine *engine)
{
	if (!engine)
		return;
	if (engine->handoff) {
		preload_stop(engine);
		(void)munmap(engine->handoff, engine->size);
	}
	if (engine->looks >= 0)
		(void)close(engine->looks);
	lives_done(&engine->lives);
	if (engine->fd >= 0)
		(void)close(engine->fd);
	free(engine->environment[0]);
	free(engine->environment[1]);
	free(engine);
}

static int preload_open(const struct engine_options *options, struct engine **ret_engine,
			struct error *reterr)
{
	struct engine *engine = calloc(1, sizeof(*engine));
	int ret;

	if (!engine)
		return error_set(reterr, -ENOMEM, TITLE ": out of memory: free some");
	engine->fd = engine->looks = -1;
	engine->lives = (struct lives){.is_on = options->wall,
				       .by_process = options->by_process,
				       .by_thread = options->by_thread};
	engine->period_ns = options->period_ns;
	ret = make_memory(engine, options, reterr);
	if (!ret)
		ret = make_environment(engine, reterr);
	if (!ret && preload_looks_begin(engine))
		ret = error_set(reterr, -errno, TITLE ": timerfd: %s: close some files",
				strerror(errno));
	if (ret) {
		preload_close(engine);
		return ret;
	}
	*ret_engine = engine;
	return 0;
}

static char *const *preload_environment(const struct engine *engine)
{
	return engine->environment;
}

/* The child begins to count by itself when it executes its program. */
static int preload_start(struct engine *engine, const pid_t *pids, size_t count,
			 struct error *reterr)
{
	engine->child = pids[0];
	preload_look(engine);
	return 0;
}

/* ---- how far it is ---- */

/* The processes have told theirs up to some milliseconds ago, and only those that are measured;
 * the kernel knows all that have been waited for, profil's own threads in them included. */
uint64_t preload_cpu_ns(const struct engine *engine)
{
	uint64_t told = __atomic_load_n(&engine->handoff->cpu_ns, __ATOMIC_RELAXED);
	uint64_t hidden = __atomic_load_n(&engine->handoff->hidden_ns, __ATOMIC_RELAXED);
	uint64_t used = spawn_used_ns(engine->child);

	used = used > hidden ? used - hidden : 0;
	return used > told ? used : told;
}

static int preload_wakeup(const struct engine *engine)
{
	return engine->looks;
}

static int preload_progress(struct engine *engine, struct engine_progress *ret_progress)
{
	*ret_progress = (struct engine_progress){
		.ticks = __atomic_load_n(&engine->handoff->fired, __ATOMIC_RELAXED),
		.cells = __atomic_load_n(&engine->handoff->cell_count, __ATOMIC_RELAXED),
		.cpu_ns = preload_cpu_ns(engine),
	};
	return 0;
}

static size_t preload_memory(const struct engine *engine, struct engine_memory *parts)
{
	*parts = (struct engine_memory){"shared with the program", engine->size};
	return 1;
}

const struct engine_ops preload_engine = {
	.name = "timer",
	.title = TITLE,
	.event = "cpu-clock",
	.task_clock_only = true,
	.starts_only = true,
	.call_stacks = CALL_STACKS,
	.sees_at_ticks = true,
	.drains_when_woken = true,
	.wakeup = preload_wakeup,
	.drain = preload_look,
	.probe = preload_probe,
	.accepts = preload_accepts,
	.open = preload_open,
	.environment = preload_environment,
	.start = preload_start,
	.progress = preload_progress,
	.read = preload_read,
	.memory = preload_memory,
	.stop = preload_stop,
	.close = preload_close,
};
