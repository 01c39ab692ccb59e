/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/interval.h"
#include "view/text.h"

#define BAR_COLUMNS_MAX 60
#define BAR_TEXT (BAR_COLUMNS_MAX * 4 + 1) /* of up to 3 bytes a column */

/* Draw COUNT amounts beside each other, a column each, the largest of them at full height. */
void bar_spark(bool utf8, const uint64_t *amounts, size_t count, char text[BAR_TEXT]);

/* Draw a bar, at most COLUMNS wide, where a whole one stands for the share SCALE: full to the low
 * end of INTERVAL, shaded to its high end: what is sure and what may be. */
void bar_text(const struct marks *marks, size_t columns, double scale, struct interval interval,
	      char text[BAR_TEXT]);
