// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/engines.h"

#include "cmd/command.h"

#include <errno.h>

void engines_say(const struct engines *engines, const struct error *why)
{
	if (*why->text && !engines->options->quiet)
		(void)cmd_fail("counting with the %s: %s", engines->ops->title, why->text);
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
	if (!engines->options->quiet)
		(void)cmd_fail("no call stacks: %s", why->text);
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

/* What an engine asks before, and what it is then granted, may differ: a container's filter of
 * system calls knows nothing of capabilities. */
int engines_open(struct engines *engines)
{
	struct error why;

	if (!open_as_can_be(engines, engines->ops, &why))
		return 0;
	return open_next(engines, &why) ? 0 : cmd_fail("%s", why.text);
}
