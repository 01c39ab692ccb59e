// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/engines.h"

#include "cmd/command.h"

void engines_say(const struct engines *engines, const struct error *why)
{
	if (*why->text && !engines->options->quiet)
		(void)cmd_fail("counting with the %s: %s", engines->ops->title, why->text);
}

bool engines_replace(struct engines *engines, const struct error *why)
{
	const struct engine_ops *next, *ops = engines->ops;
	struct error why_not = *why, refused;

	/* What it holds may be what the next one needs. */
	ops->close(engines->engine);
	engines->engine = NULL;
	while ((next = engine_next(&engines->wish, ops, &why_not))) {
		struct engine *engine;

		ops = next;
		if (ops->open(&engines->asked, &engine, &refused))
			continue;
		engines->ops = ops;
		engines->engine = engine;
		engines_say(engines, &why_not);
		return true;
	}
	return false;
}

/* What an engine asks before, and what it is then granted, may differ: a container's filter of
 * system calls knows nothing of capabilities. */
int engines_open(struct engines *engines)
{
	struct error why;

	if (!engines->ops->open(&engines->asked, &engines->engine, &why))
		return 0;
	engines->engine = NULL;
	return engines_replace(engines, &why) ? 0 : cmd_fail("%s", why.text);
}
