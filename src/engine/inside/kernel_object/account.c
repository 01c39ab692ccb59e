// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/kernel_object/pages.h"
#include "engine/inside/kernel_object/private.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/* A thread that has ended leaves the last that was seen. */
static uint64_t cpu_time(struct inside *inside)
{
	struct timespec now;

	if (!clock_gettime(inside->cpu_clock, &now))
		__atomic_store_n(&inside->cpu_now,
				 (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
				 __ATOMIC_RELAXED);
	return __atomic_load_n(&inside->cpu_now, __ATOMIC_RELAXED);
}

int account_begin(struct inside *inside, bool this_thread)
{
	int cpus = libbpf_num_possible_cpus();

	if (cpus < 0)
		return cpus;
	inside->cpu_count = (size_t)cpus;
	inside->cpu_clock = CLOCK_PROCESS_CPUTIME_ID;
	if (this_thread && pthread_getcpuclockid(pthread_self(), &inside->cpu_clock))
		return -ENOENT;
	inside->cpu_before = cpu_time(inside);
	return 0;
}

static int read_counters(const struct inside *inside, struct count_counters *counters,
			 struct inside_account *account)
{
	uint32_t zero = 0;

	if (bpf_map_lookup_elem(bpf_map__fd(inside->count->maps.counters), &zero, counters))
		return -errno;
	for (size_t i = 0; i < inside->cpu_count; i++) {
		account->ticks += counters[i].ticks;
		account->counted += counters[i].counted;
		account->nobodys += counters[i].nobodys;
		account->saturated += counters[i].saturated;
		account->lost += counters[i].lost;
	}
	return 0;
}

/* The kernel's pages outlive the program's mapping of them, so no tick meets an invalid buffer: it
 * is noticed when somebody asks. */
static bool has_ended(struct inside *inside)
{
	bool *ended = &inside->count->bss->ended;

	if (pages_are_lent(&inside->extents) == 0)
		__atomic_store_n(ended, true, __ATOMIC_RELAXED);
	return __atomic_load_n(ended, __ATOMIC_RELAXED);
}

int account_read(struct inside *inside, struct inside_account *ret_account)
{
	struct count_counters *counters = calloc(inside->cpu_count, sizeof(*counters));
	struct inside_account account = {};
	int r;

	if (!counters)
		return -ENOMEM;
	r = read_counters(inside, counters, &account);
	free(counters);
	if (r)
		return r;
	account.cpu_ns = cpu_time(inside) - inside->cpu_before;
	account.ended = has_ended(inside);
	*ret_account = account;
	return 0;
}
