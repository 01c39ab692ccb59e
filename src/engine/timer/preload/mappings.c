// SPDX-License-Identifier: BSD-2-Clause
#include "engine/timer/preload/keep.h"
#include "engine/timer/preload/measured.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* Where a program changes what is mapped, a tick must be charged to what was there when it came.
 * The loader maps by itself, but nothing at an address of another file that was not unmapped by
 * one of these calls.
 *
 * An allocator maps before anything here has begun, and dlsym(3) may allocate: until then it gets
 * the system call itself. */

static void *(*next_mmap)(void *start, size_t size, int protection, int flags, int fd,
			  off_t offset);
static int (*next_munmap)(void *start, size_t size);
static void *(*next_mremap)(void *start, size_t size, size_t new_size, int flags, ...);

void mappings_begin(void)
{
	next_mmap = keep_next("mmap");
	next_munmap = keep_next("munmap");
	next_mremap = keep_next("mremap");
}

static void *do_mmap(void *start, size_t size, int protection, int flags, int fd, off_t offset)
{
	if (next_mmap)
		return next_mmap(start, size, protection, flags, fd, offset);
	return (void *)syscall(SYS_mmap, start, size, protection, flags, fd, offset);
}

static int do_munmap(void *start, size_t size)
{
	return next_munmap ? next_munmap(start, size) : (int)syscall(SYS_munmap, start, size);
}

static void *do_mremap(void *start, size_t size, size_t new_size, int flags, void *new_start)
{
	if (next_mremap)
		return next_mremap(start, size, new_size, flags, new_start);
	return (void *)syscall(SYS_mremap, start, size, new_size, flags, new_start);
}

static void before(const void *start, size_t size)
{
	measured_before((uintptr_t)start, (uintptr_t)start + size);
}

static void after(const void *start, size_t size)
{
	measured_after((uintptr_t)start, (uintptr_t)start + size);
}

/* By the name that the C library gives it, whatever its header makes of it in this build: with
 * offsets of 64 bits mmap is mmap64, and they are the same. */
EXPORT void *keep_mmap(void *start, size_t size, int protection, int flags, int fd,
		       off_t offset) __asm__("mmap");
EXPORT void *keep_mmap64(void *start, size_t size, int protection, int flags, int fd,
			 off_t offset) __asm__("mmap64") __attribute__((alias("mmap")));

void *keep_mmap(void *start, size_t size, int protection, int flags, int fd, off_t offset)
{
	void *ret;

	if (flags & MAP_FIXED)
		before(start, size);
	ret = do_mmap(start, size, protection, flags, fd, offset);
	if (ret != MAP_FAILED)
		after(ret, size);
	return ret;
}

EXPORT int munmap(void *start, size_t size)
{
	int ret;

	before(start, size);
	ret = do_munmap(start, size);
	after(start, size);
	return ret;
}

EXPORT void *mremap(void *start, size_t size, size_t new_size, int flags, ...)
{
	void *new_start = NULL, *ret;

	if (flags & MREMAP_FIXED) {
		va_list rest;

		va_start(rest, flags);
		new_start = va_arg(rest, void *);
		va_end(rest);
		before(new_start, new_size);
	}
	before(start, size);
	ret = do_mremap(start, size, new_size, flags, new_start);
	after(start, size);
	if (ret != MAP_FAILED)
		after(ret, new_size);
	return ret;
}

/* Whatever it unloads. */
EXPORT int dlclose(void *handle)
{
	static int (*next)(void *handle);
	int ret;

	if (!next)
		next = keep_next("dlclose");
	measured_before(0, UINTPTR_MAX);
	ret = next(handle);
	measured_after(0, UINTPTR_MAX);
	return ret;
}
