// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/gate.h"

#include "analysis/diff_gate.h"
#include "cmd/command.h"

#include <math.h>

/* On stderr, for a table may be read by a program. */
static int say_exceeds(const struct diff *diff, uint64_t limit, const struct gate_verdict *verdict)
{
	const struct diff_row *row = verdict->row;
	const char *whole = diff->per == DIFF_PER_TICKS ? "all that changed" : "the whole";

	(void)cmd_fail("%s%s%s: it %s by %.1f %% of all that was before%s: more than %g %%",
		       row ? row->name : whole, row ? " in " : "", row ? row->object : "",
		       verdict->change < 0 ? "fell" : "grew", 100 * fabs(verdict->change),
		       verdict->change < 0 ? ", which others gained" : "", (double)limit / 1e4);
	return EXIT_ABOVE;
}

static int say_open(const struct diff *diff, const struct gate_verdict *verdict)
{
	const struct diff_row *row = verdict->row;
	size_t before = diff->totals[DIFF_BEFORE].runs, after = diff->totals[DIFF_AFTER].runs;
	(void)cmd_fail("%s%s%s: %zu run%s before and %zu after cannot tell: it may have changed by "
		       "as much as %.1f %% of all that was before: take %s %zu runs a side",
		       row ? row->name : "the whole", row ? " in " : "", row ? row->object : "",
		       before, before == 1 ? "" : "s", after, 100 * verdict->change,
		       verdict->repeats ? "about" : "more than",
		       verdict->repeats ? verdict->repeats : (size_t)GATE_REPEATS_MAX);
	return EXIT_OPEN;
}

int gate_judge(const struct diff *diff, uint64_t limit)
{
	struct gate_verdict verdict;

	diff_gate(diff, (double)limit / 1e6, &verdict);
	if (verdict.gate == GATE_PASSES)
		return 0;
	return verdict.gate == GATE_EXCEEDS ? say_exceeds(diff, limit, &verdict)
					    : say_open(diff, &verdict);
}
