/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What wall.c has read and wall_amounts.c makes amounts of. */

#include "engine/kernel/wall.h"
#include "histogram/histogram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wall_wait {
	struct kernel_wait_key key;
	struct kernel_wait wait;
};

struct wall {
	struct wall_wait *waits;
	size_t wait_count, wait_capacity;
	uint32_t *tasks; /* whose lives have ended, */
	struct kernel_wall_sums *ended;
	uint32_t ended_count;
	struct kernel_life_left *left; /* and who lives */
	size_t left_count, left_capacity;
	struct kernel_stack_key *places; /* of samples, and what they are of their periods */
	uint64_t *shares;
	uint32_t share_count;
	struct kernel_wall_all all;
	uint64_t base_ns, closed_ns;
	uint64_t period_ns; /* of a sample, the mean */
	bool is_started;    /* it was of a program that profil started */
	uint64_t full_ns;
};

/* Of samples of PERIOD_NS. */
static inline uint64_t kernel_wall_share_ns(uint64_t share, uint64_t period_ns)
{
	return (uint64_t)((unsigned __int128)share * period_ns / WALL_SHARE);
}

struct contexts;

/* Make amounts of WALL in HISTOGRAM, where its contexts are by now, with the kernel's numbers for
 * tasks.  Of waits for one reason of one thread those that were not walked get the contexts of
 * those that were, in proportion.  Returns 0 or -ENOMEM. */
int kernel_wall_put(struct wall *wall, struct contexts *contexts, struct histogram *histogram);
