/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

/* A 95 % confidence interval of a share, Wilson's score interval for TICKS of TOTAL
 * (E. B. Wilson, JASA 22, 1927; no continuity correction), both between 0 and 1.
 * TOTAL 0 gives [0, 1]. */
struct interval {
	double low, high;
};
struct interval interval_of_share(uint64_t ticks, uint64_t total);

/* Fewer samples than this in all, and a report gives counts and no shares. */
#define EVIDENCE_FLOOR 30
