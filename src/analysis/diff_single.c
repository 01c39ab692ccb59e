// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff_private.h"

#include "analysis/dispersion.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct proportion diff_proportion(const struct diff *diff, const struct diff_row *row,
				  enum diff_side side)
{
	return (struct proportion){row->parts[side].ticks, diff->totals[side].ticks,
				   diff->totals[side].value};
}

void diff_widen(struct interval *interval, double change, double half_width)
{
	if (!isfinite(half_width))
		return;
	interval->low = fmin(interval->low, change - half_width);
	interval->high = fmax(interval->high, change + half_width);
}

/* With one run a side nobody knows how runs vary but the rows themselves.  What the kernel does for
 * a program depends on the machine's memory and on what else it does: pages to clear came tenfold
 * in repeats.  Its rows say nothing of others, nor others of them. */
int diff_single(const struct diff *diff, struct diff_row *rows, size_t count, struct test *tests)
{
	struct deviation *deviations = calloc(count + 1, sizeof(*deviations));

	if (!deviations)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct proportion before = diff_proportion(diff, &rows[i], DIFF_BEFORE);
		struct proportion after = diff_proportion(diff, &rows[i], DIFF_AFTER);

		if (rows[i].class != CLASS_KERNEL)
			deviations[i] = dispersion_measure(&before, &after);
	}
	if (diff->per == DIFF_PER_TICKS && dispersion_centre(deviations, count)) {
		free(deviations);
		return -ENOMEM;
	}
	dispersion_judge(deviations, count);
	for (size_t i = 0; i < count; i++) {
		struct diff_row *row = &rows[i];
		double middle = (row->parts[DIFF_BEFORE].value + row->parts[DIFF_AFTER].value) / 2;

		tests[i].probability = fmax(tests[i].probability, deviations[i].probability);
		diff_widen(&row->interval, row->change,
			   middle * dispersion_half_width(&deviations[i]));
	}
	free(deviations);
	return 0;
}
