// SPDX-License-Identifier: BSD-2-Clause
/* The kernel engine as libprofil has it, which needs libc alone: the way to a second object that
 * needs libbpf, gone only when this engine is wanted. */
#include "engine/inside/inside.h"
#include "engine/inside/kernel_object/object.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Once found it stays.  Two threads may find it at once, and find the same. */
static const struct inside_ops *found;

static const struct inside_ops *object(void)
{
	return __atomic_load_n(&found, __ATOMIC_ACQUIRE);
}

static void *load_beside(void)
{
	char path[PATH_MAX];
	const char *slash;
	Dl_info self;
	int length;

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
	const struct inside_ops *(*ask)(const char *version);
	const struct inside_ops *ops;
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

static int kernel_probe(const struct inside_options *options, struct error *reterr)
{
	int r = find(reterr);

	return r ? r : object()->probe(options, reterr);
}

static int kernel_start(const struct inside_options *options, struct inside **ret_inside,
			struct error *reterr)
{
	int r = find(reterr);

	return r ? r : object()->start(options, ret_inside, reterr);
}

/* Whoever has a measurement has found the object. */

static int kernel_account(struct inside *inside, struct inside_account *ret_account)
{
	return object()->account(inside, ret_account);
}

static void kernel_stop(struct inside *inside, struct inside_account *ret_account)
{
	if (inside)
		object()->stop(inside, ret_account);
}

static void kernel_fork_prepare(struct inside *inside)
{
	object()->fork_prepare(inside);
}

static void kernel_fork_parent(struct inside *inside)
{
	object()->fork_parent(inside);
}

static void kernel_fork_child(struct inside *inside)
{
	object()->fork_child(inside);
}

const struct inside_ops inside_kernel = {
	.name = "kernel",
	.probe = kernel_probe,
	.start = kernel_start,
	.account = kernel_account,
	.stop = kernel_stop,
	.fork_prepare = kernel_fork_prepare,
	.fork_parent = kernel_fork_parent,
	.fork_child = kernel_fork_child,
};
