/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What programs collect of a measurement, in a process of its own: descriptor 3 is what was there
 * before, and the profiles behind it, from 4 on, are what has come. */

/* Print what has come, added up, without what was there before, which is an earlier look at one of
 * them. */
int collect_print_difference(const void *unused);

/* Print the metrics of all, with at most *TOP functions; 3, if it is open, has metrics. */
int collect_print_metrics(const void *top);
