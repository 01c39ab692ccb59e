// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/hidden_place.h"

#include "engine/inside/raw.h"

#if defined(__i386__)
#include <asm/ldt.h>
#endif
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Thread-local variables lie in the stack: a program with many of them refuses a small one. */
#define STACK_SMALL ((size_t)256 * 1024)
#define STACK_LARGE ((size_t)8 * 1024 * 1024)

#if defined(__SANITIZE_THREAD__)
#define IS_THREAD_SANITIZED 1
#elif defined(__has_feature)
#define IS_THREAD_SANITIZED __has_feature(thread_sanitizer)
#endif
#ifndef IS_THREAD_SANITIZED
#define IS_THREAD_SANITIZED 0
#endif

/* At the start of its memory, before a page that stops a stack that is too short. */
struct hidden_place {
	struct hidden_place *next; /* among those that are kept */
	size_t size;
	void *top;	      /* of the stack that is free to use */
	void *thread_pointer; /* as clone() takes it */
#if defined(__i386__)
	struct user_desc segment;
#endif
	pid_t *tid; /* where the C library has its number */
	pid_t nowhere;
	place_run *run;
	void *argument;
};

/* The C library's own name: sanitizers take every clone() for a fork. */
extern int __clone(int (*run)(void *), void *stack, int flags, void *argument, ...);

static struct hidden_place *kept; /* atomic */

static size_t head_size(void)
{
	return 2 * (size_t)sysconf(_SC_PAGESIZE);
}

static struct hidden_place *place_new(size_t stack)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct hidden_place *place =
		mmap(NULL, head_size() + stack, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (place == MAP_FAILED)
		return NULL;
	(void)mprotect((char *)place + page, page, PROT_NONE);
	place->size = head_size() + stack;
	place->tid = &place->nowhere;
	return place;
}

void place_free(struct hidden_place *place)
{
	(void)munmap(place, place->size);
}

static int create(struct hidden_place *place, place_run *run, void *argument, pthread_t *ret_thread)
{
	pthread_attr_t attributes;
	int ret = pthread_attr_init(&attributes);

	if (ret)
		return -ret;
	ret = pthread_attr_setstack(&attributes, (char *)place + head_size(),
				    place->size - head_size());
	if (!ret)
		ret = pthread_create(ret_thread, &attributes, run, argument);
	(void)pthread_attr_destroy(&attributes);
	return -ret;
}

static int create_with(size_t stack, place_run *run, void *argument,
		       struct hidden_place **ret_place, pthread_t *ret_thread)
{
	struct hidden_place *place = place_new(stack);
	int ret;

	if (!place)
		return -ENOMEM;
	*ret_place = place;
	ret = create(place, run, argument, ret_thread);
	if (ret)
		place_free(place);
	return ret;
}

int place_create(place_run *run, void *argument, struct hidden_place **ret_place,
		 pthread_t *ret_thread)
{
	int ret = create_with(STACK_SMALL, run, argument, ret_place, ret_thread);

	if (ret == -EINVAL)
		ret = create_with(STACK_LARGE, run, argument, ret_place, ret_thread);
	return ret;
}

static void *thread_pointer(struct hidden_place *place)
{
#if defined(__x86_64__)
	void *pointer;

	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
#elif defined(__i386__)
	unsigned pointer, selector;

	__asm__("mov %%gs:0, %0" : "=r"(pointer));
	__asm__("mov %%gs, %0" : "=r"(selector));
	place->segment = (struct user_desc){
		.entry_number = selector >> 3,
		.base_addr = pointer,
		.limit = 0xfffff, /* pages */
		.seg_32bit = 1,
		.limit_in_pages = 1,
		.useable = 1,
	};
	return &place->segment;
#else
	return __builtin_thread_pointer();
#endif
}

/* The kernel was told where the number is, to clear it at the thread's end.  Where it does not say,
 * the C library will take the thread for its forerunner, which is not there any more either.  To a
 * 32-bit program too a 64-bit kernel writes 8 bytes. */
void place_note(struct hidden_place *place)
{
	pid_t *tid[8 / sizeof(void *)] = {NULL};

	place->top = __builtin_frame_address(0);
	place->thread_pointer = thread_pointer(place);
	if (!prctl(PR_GET_TID_ADDRESS, tid, 0, 0, 0) && tid[0])
		place->tid = tid[0];
}

static int run_again(void *argument)
{
	struct hidden_place *place = argument;

	(void)place->run(place->argument);
	return 0;
}

int place_clone(struct hidden_place *place, place_run *run, void *argument, pid_t *ret_runs)
{
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
		    CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
	void *stack = (void *)((uintptr_t)place->top & ~(uintptr_t)63);

	place->run = run;
	place->argument = argument;
	__atomic_store_n(ret_runs, 1, __ATOMIC_RELAXED);
	if (__clone(run_again, stack, flags, place, place->tid, place->thread_pointer, ret_runs) >=
	    0)
		return 0;
	__atomic_store_n(ret_runs, 0, __ATOMIC_RELAXED);
	return -errno;
}

/* The kernel wakes whoever waits, as one process wakes another. */
void place_wait(const pid_t *runs)
{
	pid_t now;

	while ((now = __atomic_load_n(runs, __ATOMIC_ACQUIRE)) != 0)
		raw_syscall(SYS_futex, (long)runs, FUTEX_WAIT, now, 0, 0, 0);
}

static void keep_all(struct hidden_place *first, struct hidden_place *last)
{
	last->next = __atomic_load_n(&kept, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&kept, &last->next, first, /* weak= */ true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* ThreadSanitizer has to know of every thread: there the C library makes them all. */
void place_keep(struct hidden_place *place)
{
#if !IS_THREAD_SANITIZED
	keep_all(place, place);
#endif
}

/* All at once and the others back, so that two who take never take the same. */
struct hidden_place *place_take(void)
{
	struct hidden_place *first = __atomic_exchange_n(&kept, NULL, __ATOMIC_ACQUIRE), *last;

	if (first && first->next) {
		for (last = first->next; last->next; last = last->next)
			;
		keep_all(first->next, last);
	}
	return first;
}
