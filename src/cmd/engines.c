// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/engines.h"

#include "base/array.h"
#include "cmd/command.h"
#include "engine/clock.h"
#include "target/cgroups.h"
#include "view/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

void engines_say(const struct engines *engines, const struct error *why)
{
	if (*why->text && !engines->options->quiet)
		(void)cmd_fail("counting with the %s: %s", engines->ops->title, why->text);
}

static int compare_memory(const void *a, const void *b)
{
	const struct engine_memory *x = a, *y = b;

	return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

/* The largest by name. */
#define MEMORY_NAMED 6

void engines_say_memory(const struct engines *engines)
{
	struct engine_memory parts[ENGINE_MEMORY_PARTS];
	size_t count = engines->ops->memory(engines->engine, parts);
	uint64_t all = 0, named = 0;
	struct rusage usage;

	ARRAY_SORT(parts, count, compare_memory);
	for (size_t i = 0; i < count; i++)
		all += parts[i].bytes;
	(void)fprintf(stderr, "profil: memory: %s of the %s (", text_size(all).text,
		      engines->ops->title);
	for (size_t i = 0; i < count && i < MEMORY_NAMED; i++) {
		(void)fprintf(stderr, "%s%s %s", i ? ", " : "", parts[i].name,
			      text_size(parts[i].bytes).text);
		named += parts[i].bytes;
	}
	if (all > named)
		(void)fprintf(stderr, ", %zu others %s", count - MEMORY_NAMED,
			      text_size(all - named).text);
	getrusage(RUSAGE_SELF, &usage);
	(void)fprintf(stderr, "), %s of the collector at most\n",
		      text_size((uint64_t)usage.ru_maxrss << 10).text);
}

/* ---- with call stacks, or without ---- */

/* Whether the engine that is, or was just, open could do with less. */
static bool may_go_flat(const struct engines *engines)
{
	return engines->asked.call_stacks && !engines->options->stacks_asked &&
	       !*engines->no_stacks.text;
}

/* Open OPS without call stacks, which it cannot have for a reason, WHY. */
static int open_flat(struct engines *engines, const struct engine_ops *ops, const struct error *why,
		     struct error *reterr)
{
	struct engine_options flat = engines->asked;
	int ret;

	flat.call_stacks = false;
	ret = ops->open(&flat, &engines->engine, reterr);
	if (ret)
		return ret;
	engines->ops = ops;
	engines->no_stacks = *why;
	return 0;
}

/* At 100,000 Hz nothing was left for the program: a walk takes a good part of that period, and the
 * clock's own interrupt the rest. */
#define STACKS_PERIOD_NS 50000

static int refuse_stacks(const struct engine_options *options, const struct engine_ops *ops,
			 struct error *reterr)
{
	if (!ops->call_stacks)
		return error_set(reterr, -EINVAL,
				 "the %s does not walk call stacks on this machine", ops->title);
	if (options->period_ns < STACKS_PERIOD_NS)
		return error_set(reterr, -EINVAL,
				 "-F: above %d Hz call stacks leave the program no time: take a "
				 "lower one, or --flat",
				 1000000000 / STACKS_PERIOD_NS);
	return 0;
}

static int open_with_stacks(struct engines *engines, const struct engine_ops *ops,
			    struct error *reterr)
{
	int ret = engines->asked.call_stacks ? refuse_stacks(&engines->asked, ops, reterr) : 0;

	if (ret)
		return ret;
	ret = ops->open(&engines->asked, &engines->engine, reterr);
	if (!ret)
		engines->ops = ops;
	return ret;
}

/* What is wrong without call stacks, too, is why it cannot be opened. */
static int open_as_can_be(struct engines *engines, const struct engine_ops *ops,
			  struct error *reterr)
{
	struct error why;
	int ret;

	engines->no_stacks.text[0] = '\0';
	ret = open_with_stacks(engines, ops, &why);
	if (ret && may_go_flat(engines))
		ret = open_flat(engines, ops, &why, reterr);
	else if (ret)
		*reterr = why;
	if (ret)
		engines->engine = NULL;
	else if (engines->asked.wall && !engines->ops->waits && !engines->options->quiet)
		(void)cmd_fail("--wall: the %s is not told what threads wait for: only how long "
			       "they ran and did not: take --engine kernel, as root",
			       engines->ops->title);
	return ret;
}

/* ---- one engine, or another ---- */

static bool open_next(struct engines *engines, const struct error *why)
{
	const struct engine_ops *next = engines->ops;
	struct error why_not = *why, refused;

	while ((next = engine_next(&engines->wish, next, &why_not)))
		if (!open_as_can_be(engines, next, &refused)) {
			engines_say(engines, &why_not);
			return true;
		}
	return false;
}

bool engines_replace(struct engines *engines, const struct error *why)
{
	bool had_stacks = may_go_flat(engines);
	struct error refused;

	/* What it holds may be what the next one needs. */
	engines->ops->close(engines->engine);
	engines->engine = NULL;
	if (had_stacks && !open_flat(engines, engines->ops, why, &refused))
		return true;
	return open_next(engines, why);
}

/* From here on it is worth the 10 ms to find out what an interrupt costs.  Other work on the
 * machine only adds to that: it is refused when it was too much so often. */
#define TRIED_PERIOD_NS 200000
#define TRIALS 4

/* Where the interrupts take all of a period, nothing else runs on the CPU, not even profil: the
 * kernel protects itself only from clocks of hardware.  The program keeps half of the time. */
static int refuse_rate(const struct engines *engines)
{
	uint64_t period = engines->asked.period_ns, interrupt = UINT64_MAX;

	if (period >= TRIED_PERIOD_NS || engines->ops->sees_at_ticks)
		return 0;
	for (int i = 0; i < TRIALS; i++) {
		uint64_t once = clock_interrupt_ns();

		if (once * 2 <= period)
			return 0;
		if (once < interrupt)
			interrupt = once;
	}
	return cmd_fail("-F: %" PRIu64 " Hz leave the program too little time: an interrupt takes "
			"%.1f us here: take %" PRIu64 " Hz at most",
			1000000000 / period, (double)interrupt / 1e3,
			400000000 / interrupt / 100 * 100);
}

/* What an engine asks before, and what it is then granted, may differ: a container's filter of
 * system calls knows nothing of capabilities. */
static void say_cgroups(const struct measure_options *options)
{
	enum cgroups in_use = cgroups_in_use();

	if (!options->engine.by_cgroup || options->quiet)
		return;
	if (in_use == CGROUPS_OLD)
		(void)cmd_fail("by cgroup: control groups of version 2 are not mounted: all will "
			       "be in '/': mount them, or take --by process");
	if (in_use == CGROUPS_MIXED)
		(void)cmd_fail("by cgroup: groups of version 1 are in use, too: what they tell "
			       "apart, and version 2's do not, stays together");
}

int engines_open(struct engines *engines)
{
	struct error why;
	int status = refuse_rate(engines);

	if (status)
		return status;
	say_cgroups(engines->options);
	if (!open_as_can_be(engines, engines->ops, &why))
		return 0;
	return open_next(engines, &why) ? 0 : cmd_fail("%s", why.text);
}
