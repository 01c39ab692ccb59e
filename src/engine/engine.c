// SPDX-License-Identifier: BSD-2-Clause
#include "engine/engine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct engine_ops *const engine_list[] = {
	&kernel_engine,	 /* loses nothing and costs least */
	&perf_engine,	 /* needs no privilege */
	&preload_engine, /* needs nothing, but is in the program, which takes its signals */
	NULL,
};

enum engine_clock engine_clock_of(const struct engine_ops *ops, enum engine_clock clock)
{
	if (clock != CLOCK_USUAL)
		return clock;
	return ops->task_clock_only ? CLOCK_TASK : CLOCK_MACHINE;
}

/* Whether OPS can do what is asked, on a machine that lets it. */
static int can(const struct engine_ops *ops, const struct engine_wish *wish, struct error *reterr)
{
	if (ops->task_clock_only && wish->clock == CLOCK_MACHINE)
		return error_set(reterr, -EINVAL,
				 "--clock machine: the %s engine has no clock of the machine's: "
				 "leave it out",
				 ops->name);
	if (!ops->call_stacks && wish->call_stacks)
		return error_set(
			reterr, -EINVAL,
			"-g: the %s engine does not walk call stacks on this machine: leave "
			"it out",
			ops->name);
	if (!ops->waits && wish->waits)
		return error_set(
			reterr, -EINVAL,
			"--wakers, --wall-budget: the %s engine is not told of waits: take "
			"--engine kernel, as root",
			ops->name);
	if (wish->event && !ops->events)
		return error_set(reterr, -EINVAL,
				 "-e %s: the %s engine takes samples of CPU time alone: leave it "
				 "out",
				 wish->event->name, ops->name);
	if (wish->event && wish->event->type == PERF_TYPE_TRACEPOINT && !ops->tracepoints)
		return error_set(reterr, -EINVAL,
				 "-e %s: the %s engine takes no samples of tracepoints: take "
				 "--engine perf",
				 wish->event->name, ops->name);
	if (ops->starts_only && wish->running)
		return error_set(
			reterr, -EINVAL,
			"%s: counts only in programs that profil starts: run them by 'profil "
			"PROGRAM'",
			ops->title);
	if (!ops->redraw && wish->dither)
		return error_set(reterr, -EINVAL,
				 "--dither: the %s engine cannot change the period of threads that "
				 "run: leave it out",
				 ops->name);
	return 0;
}

/* Whether OPS sees what only who sees the whole machine does. */
static int can_see(const struct engine_ops *ops, const struct engine_wish *wish,
		   struct error *reterr)
{
	if (ops->whole_machine)
		return 0;
	if (wish->everyone)
		return error_set(reterr, -EINVAL,
				 "system: the %s engine cannot measure the whole machine: take "
				 "--engine kernel",
				 ops->name);
	if (wish->by_cpu || wish->by_cgroup)
		return error_set(reterr, -EINVAL,
				 "--by-%s: the %s engine does not keep them apart: take --engine "
				 "kernel",
				 wish->by_cpu ? "cpu" : "cgroup", ops->name);
	return 0;
}

static int try(const struct engine_ops *ops, const struct engine_wish *wish, struct error *reterr)
{
	int ret = can_see(ops, wish, reterr);

	if (!ret)
		ret = can(ops, wish, reterr);
	return ret ? ret : ops->probe(reterr);
}

/* One sentence more, behind those there are. */
static void add_sentence(struct error *why, const struct error *more)
{
	size_t used = strlen(why->text);

	(void)snprintf(why->text + used, sizeof(why->text) - used, "%s%s", used ? "; " : "",
		       more->text);
}

/* From the engine numbered I on. */
static const struct engine_ops *first_from(size_t i, const struct engine_wish *wish,
					   struct error *why_not)
{
	struct error why;

	for (; engine_list[i]; i++) {
		if (!try(engine_list[i], wish, &why))
			return engine_list[i];
		add_sentence(why_not, &why);
	}
	return NULL;
}

const struct engine_ops *engine_next(const struct engine_wish *wish, const struct engine_ops *ops,
				     struct error *why_not)
{
	size_t i = 0;

	if (strcmp(wish->name, "auto") != 0)
		return NULL;
	while (engine_list[i] != ops)
		i++;
	return first_from(i + 1, wish, why_not);
}

static int choose_first(const struct engine_wish *wish, const struct engine_ops **ret_ops,
			struct error *ret_why_not, struct error *reterr)
{
	*ret_ops = first_from(0, wish, ret_why_not);
	return *ret_ops ? 0 : try(engine_list[0], wish, reterr);
}

int engine_choose(const struct engine_wish *wish, const struct engine_ops **ret_ops,
		  struct error *ret_why_not, struct error *reterr)
{
	ret_why_not->text[0] = '\0';
	if (!strcmp(wish->name, "auto"))
		return choose_first(wish, ret_ops, ret_why_not, reterr);
	for (size_t i = 0; engine_list[i]; i++) {
		int ret;

		if (strcmp(wish->name, engine_list[i]->name))
			continue;
		ret = try(engine_list[i], wish, reterr);
		if (!ret)
			*ret_ops = engine_list[i];
		return ret;
	}
	return error_set(reterr, -EINVAL,
			 "--engine %s: no such engine: say auto, kernel, perf or timer",
			 wish->name);
}
