// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/threads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

/* More than a page of the kernel's list. */
#define THREADS 200

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_are_there;
static pid_t tids[THREADS];

static void *wait_at_gate(void *tid)
{
	*(pid_t *)tid = gettid();
	pthread_barrier_wait(&all_are_there);
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return NULL;
}

static void read_list(struct thread_list *list)
{
	int descriptor = threads_open();

	assert_true(descriptor >= 0);
	assert_int_equal(threads_read(descriptor, list), 0);
	close(descriptor);
}

static void are_these(const struct thread_list *list)
{
	assert_true(threads_have(list, getpid()));
	for (size_t i = 0; i < THREADS; i++)
		assert_true(threads_have(list, tids[i]));
	for (size_t i = 1; i < list->count; i++)
		assert_true(thread_at(list, i - 1) < thread_at(list, i));
}

static void lists_all_in_rising_order(void **state)
{
	struct thread_list list = {0};
	pthread_t threads[THREADS];

	pthread_barrier_init(&all_are_there, NULL, THREADS + 1);
	pthread_mutex_lock(&gate);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, wait_at_gate, &tids[i]), 0);
	pthread_barrier_wait(&all_are_there);
	read_list(&list);
	are_these(&list);
	pthread_mutex_unlock(&gate);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&all_are_there);
	threads_done(&list);
	assert_false(threads_have(&list, getpid()));
}

static void does_not_list_the_hidden(void **state)
{
	struct thread_list list = {0};

	assert_int_equal(thread_hide(gettid()), 0);
	assert_true(thread_is_hidden(gettid()));
	read_list(&list);
	assert_false(threads_have(&list, gettid()));
	thread_unhide(gettid());
	read_list(&list);
	assert_true(threads_have(&list, gettid()));
	threads_done(&list);
}

static void hides_only_so_many(void **state)
{
	pid_t count = 0;

	while (count < 1000 && !thread_hide(1000000 + count))
		count++;
	assert_in_range(count, 16, 999);
	assert_int_equal(thread_hide(1), -EAGAIN);
	while (count--)
		thread_unhide(1000000 + count);
	assert_false(thread_is_hidden(1000000));
}

static void tells_a_threads_cpu_time(void **state)
{
	uint64_t before = clock_ns(thread_clock(gettid())),
		 same = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	assert_true(before > 0 && before <= same);
	assert_true(same <= clock_ns(thread_clock(gettid())));
	assert_int_equal(clock_ns(thread_clock(1)), 0); /* another process's */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_all_in_rising_order),
		cmocka_unit_test(does_not_list_the_hidden),
		cmocka_unit_test(hides_only_so_many),
		cmocka_unit_test(tells_a_threads_cpu_time),
	};

	return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
