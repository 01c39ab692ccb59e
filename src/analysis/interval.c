// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/interval.h"

#include <math.h>

/* The 97.5 % quantile of the normal distribution. */
#define Z 1.959963984540054

/* The shares p at which |observed - p| is exactly Z standard errors of p: the two roots of
 * (share - p)^2 = Z^2 p (1 - p) / total. */
struct interval interval_of_share(uint64_t ticks, uint64_t total)
{
	double share, n, middle, spread, scale;
	struct interval interval;

	if (!total)
		return (struct interval){0, 1};
	n = (double)total;
	share = (double)ticks / n;
	scale = 1 / (1 + Z * Z / n);
	middle = share + Z * Z / (2 * n);
	spread = Z * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n));
	interval = (struct interval){(middle - spread) * scale, (middle + spread) * scale};
	/* The roots are exact there; rounding would leave 1e-17. */
	if (ticks == 0)
		interval.low = 0;
	if (ticks == total)
		interval.high = 1;
	return interval;
}
