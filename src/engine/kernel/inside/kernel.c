// SPDX-License-Identifier: BSD-2-Clause
/* The kernel engine as libprofil has it, which needs libc alone: the way to a second object that
 * needs libbpf, gone only when this engine is wanted.
 *
 * The clocks and the counting program are descriptors, and live no longer than these.  They are a
 * hidden thread's own, which opens and closes them and sleeps in between: the program may close
 * whatever it finds, a forked child does not have them, and they go with exec. */
#include "engine/inside/hidden.h"
#include "engine/inside/inside.h"
#include "engine/kernel/object/object.h"
#include "engine/inside/space.h"
#include "engine/inside/threads.h"
#include "histogram/region_table.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

struct inside {
	struct hidden hidden;
	struct kernel_run *run;		      /* NULL: it has not begun */
	const struct inside_options *options; /* during the start */
	pid_t tid;			      /* of the one thread; 0: all */
	clockid_t clock;		      /* of the measured threads */
	uint64_t cpu_before;
	uint64_t cpu_last; /* atomic */
	struct inside_account last;
};

/* Once found it stays.  Two threads may find it at once, and find the same. */
static const struct kernel_object *found;

static const struct kernel_object *object(void)
{
	return __atomic_load_n(&found, __ATOMIC_ACQUIRE);
}

/* A program with more rights than its caller (AT_SECURE) takes nothing but what the loader finds by
 * itself, in the system's folders or where it has found libprofil: the name that it gives here may
 * be the caller's, as argv[0] is. */
static void *load_beside(void)
{
	char path[PATH_MAX];
	const char *slash;
	Dl_info self;
	int length;

	if (getauxval(AT_SECURE))
		return NULL;
	if (!dladdr(&inside_kernel, &self) || !self.dli_fname)
		return NULL;
	slash = strrchr(self.dli_fname, '/');
	if (!slash)
		return NULL;
	length = snprintf(path, sizeof(path), "%.*s/" KERNEL_OBJECT_FILE,
			  (int)(slash - self.dli_fname), self.dli_fname);
	if (length < 0 || (size_t)length >= sizeof(path))
		return NULL;
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static int find(struct error *reterr)
{
	const struct kernel_object *(*ask)(const char *version);
	const struct kernel_object *ops;
	void *handle;

	if (object())
		return 0;
	handle = load_beside();
	if (!handle)
		handle = dlopen(KERNEL_OBJECT_FILE, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return error_set(reterr, -ENOENT,
				 "kernel engine: %s: install " KERNEL_OBJECT_FILE
				 " beside libprofil, and libbpf",
				 dlerror());
	*(void **)&ask = dlsym(handle, KERNEL_OBJECT_SYMBOL);
	ops = ask ? ask(PROFIL_VERSION) : NULL;
	if (!ops) {
		dlclose(handle);
		return error_set(reterr, -ELIBBAD,
				 "kernel engine: " KERNEL_OBJECT_FILE " is not of version "
				 "%s: install the one that came with libprofil",
				 PROFIL_VERSION);
	}
	__atomic_store_n(&found, ops, __ATOMIC_RELEASE);
	return 0;
}

/* What a start in a few milliseconds takes: the kernel clears all pages of its map, and the
 * program's are copied there and back, those too that no tick will ever be in. */
#define SUITABLE_BYTES (2U << 20)

static int kernel_suits(const struct inside_options *options, struct error *reterr)
{
	size_t bytes = 0;

	for (size_t i = 0; options->table && i < options->table->region_count; i++) {
		const struct region *region = &options->table->regions[i];

		if (region->count > (SUITABLE_BYTES - bytes) / region->width)
			return error_set(reterr, -E2BIG,
					 "kernel engine: the buffers are larger than %u MiB, so "
					 "that it would start slowly: ask for it by name",
					 SUITABLE_BYTES >> 20);
		bytes += region->count * region->width;
	}
	return 0;
}

static int kernel_probe(const struct inside_options *options, struct error *reterr)
{
	int ret;

	if (options->list)
		return error_set(
			reterr, -EOPNOTSUPP,
			"pcsample: it only counts, and keeps no program counter: take perf "
			"or timer");
	ret = find(reterr);
	return ret ? ret : object()->probe(options, reterr);
}

/* Without what the hidden thread has had.  A thread that has ended leaves the last that was seen.
 */
static uint64_t cpu_time(struct inside *inside)
{
	uint64_t cpu = clock_ns(inside->clock);

	if (cpu && !inside->tid)
		cpu -= clock_ns(thread_clock(inside->hidden.tid));
	if (cpu)
		__atomic_store_n(&inside->cpu_last, cpu, __ATOMIC_RELAXED);
	return __atomic_load_n(&inside->cpu_last, __ATOMIC_RELAXED);
}

static int count_begin(void *owner, struct error *reterr)
{
	struct inside *inside = owner;
	int ret = object()->start(inside->options, inside->tid, &inside->run, reterr);

	if (!ret)
		inside->cpu_before = cpu_time(inside);
	return ret;
}

static struct hidden_nap count_turn(void *owner)
{
	return (struct hidden_nap){0};
}

static void count_end(void *owner)
{
	struct inside *inside = owner;
	uint64_t cpu_ns;

	if (!inside->run)
		return;
	cpu_ns = cpu_time(inside) - inside->cpu_before;
	object()->stop(inside->run, &inside->last);
	inside->last.cpu_ns = cpu_ns;
}

static const struct hidden_work count_work = {
	.keeps_descriptors = true,
	.begin = count_begin,
	.turn = count_turn,
	.end = count_end,
};

static int kernel_start(const struct inside_options *options, struct inside **ret_inside,
			struct error *reterr)
{
	struct inside *inside;
	int ret = find(reterr);

	if (ret)
		return ret;
	inside = space_make(sizeof(*inside));
	if (!inside)
		return error_set(reterr, -ENOMEM, "kernel engine: out of memory: free some");
	inside->options = options;
	inside->tid = options->this_thread ? gettid() : 0;
	inside->clock = inside->tid ? thread_clock(inside->tid) : CLOCK_PROCESS_CPUTIME_ID;
	ret = hidden_start(&inside->hidden, &count_work, inside, reterr);
	if (ret) {
		space_free(inside, sizeof(*inside));
		return ret;
	}
	*ret_inside = inside;
	return 0;
}

static int kernel_account(struct inside *inside, struct inside_account *ret_account)
{
	object()->account(inside->run, ret_account);
	ret_account->cpu_ns = cpu_time(inside) - inside->cpu_before;
	return 0;
}

static void kernel_stop(struct inside *inside, struct inside_account *ret_account)
{
	hidden_stop(&inside->hidden);
	if (ret_account)
		*ret_account = inside->last;
	space_free(inside, sizeof(*inside));
}

static void kernel_fork_prepare(struct inside *inside, struct inside_account *ret_account)
{
	object()->fork_prepare(inside->run, ret_account);
	ret_account->cpu_ns = cpu_time(inside) - inside->cpu_before;
}

static void kernel_fork_parent(struct inside *inside)
{
	object()->fork_parent(inside->run);
}

static void kernel_fork_child(struct inside *inside)
{
	hidden_forget(&inside->hidden);
	object()->fork_child(inside->run);
	space_free(inside, sizeof(*inside));
}

const struct inside_ops inside_kernel = {
	.name = "kernel",
	.probe = kernel_probe,
	.suits = kernel_suits,
	.start = kernel_start,
	.account = kernel_account,
	.stop = kernel_stop,
	.fork_prepare = kernel_fork_prepare,
	.fork_parent = kernel_fork_parent,
	.fork_child = kernel_fork_child,
};
