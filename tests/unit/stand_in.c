// SPDX-License-Identifier: BSD-2-Clause
#include "stand_in.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct stand_in stand_in;

void stand_in_pass(unsigned periods)
{
	struct inside *inside = stand_in.on[stand_in.count - 1];

	inside->account.cpu_ns += periods * inside->options.period_ns;
}

static void list_pc(struct inside *inside, uintptr_t pc)
{
	inside->account.ticks++;
	if (pc_list_add(inside->options.list, pc) == PC_LISTED)
		inside->account.counted++;
	else
		inside->account.saturated++;
}

void stand_in_tick(uintptr_t pc)
{
	struct inside *inside = stand_in.on[stand_in.count - 1];
	const struct region *regions;
	uint32_t region;
	size_t cell, count;

	if (inside->options.list) {
		list_pc(inside, pc);
		return;
	}
	regions = region_table_regions(inside->options.table, &count);
	inside->account.ticks++;
	inside->account.cpu_ns += inside->options.period_ns;
	if (!region_find(inside->options.table, pc, &region, &cell))
		inside->account.outside++;
	else if (region_add(&regions[region], cell, 1) == REGION_COUNTED)
		inside->account.counted++;
	else
		inside->account.saturated++;
}

static int start(const struct inside_ops *ops, const struct inside_options *options,
		 struct inside **ret_inside)
{
	struct inside *inside = calloc(1, sizeof(*inside));

	inside->ops = ops;
	inside->options = *options;
	stand_in.on[stand_in.count++] = inside;
	stand_in.starts++;
	*ret_inside = inside;
	return 0;
}

static void forget(struct inside *inside)
{
	for (size_t i = 0; i < stand_in.count; i++) {
		if (stand_in.on[i] != inside)
			continue;
		stand_in.on[i] = stand_in.on[--stand_in.count];
	}
	free(inside);
}

static int account(struct inside *inside, struct inside_account *ret_account)
{
	*ret_account = inside->account;
	return 0;
}

static void stop(struct inside *inside, struct inside_account *ret_account)
{
	stand_in.stops++;
	if (ret_account)
		*ret_account = inside->account;
	forget(inside);
}

static void fork_prepare(struct inside *inside, struct inside_account *ret_account)
{
	stand_in.prepared++;
	*ret_account = inside->account;
}

static void fork_parent(struct inside *inside)
{
	stand_in.parents++;
}

static void fork_child(struct inside *inside)
{
	stand_in.children++;
	forget(inside);
}

static int first_probe(const struct inside_options *options, struct error *reterr)
{
	return stand_in.first_probe ? error_set(reterr, stand_in.first_probe, "no") : 0;
}

static int second_probe(const struct inside_options *options, struct error *reterr)
{
	return stand_in.second_probe ? error_set(reterr, stand_in.second_probe, "no") : 0;
}

static int first_start(const struct inside_options *options, struct inside **ret_inside,
		       struct error *reterr)
{
	if (stand_in.first_start)
		return error_set(reterr, stand_in.first_start, "not after all");
	return start(&inside_kernel, options, ret_inside);
}

static int second_start(const struct inside_options *options, struct inside **ret_inside,
			struct error *reterr)
{
	if (stand_in.second_start)
		return error_set(reterr, stand_in.second_start, "nor this");
	return start(&inside_perf, options, ret_inside);
}

const struct inside_ops inside_kernel = {
	.name = "kernel",
	.probe = first_probe,
	.start = first_start,
	.account = account,
	.stop = stop,
	.fork_prepare = fork_prepare,
	.fork_parent = fork_parent,
	.fork_child = fork_child,
};

const struct inside_ops inside_perf = {
	.name = "perf",
	.probe = second_probe,
	.start = second_start,
	.account = account,
	.stop = stop,
	.fork_prepare = fork_prepare,
	.fork_parent = fork_parent,
	.fork_child = fork_child,
};

const struct inside_ops *const inside_list[] = {&inside_kernel, &inside_perf, NULL};
