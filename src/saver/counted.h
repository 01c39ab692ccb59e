/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_SAVER_COUNTED_H
#define PROFIL_SAVER_COUNTED_H

#include "histogram/histogram.h"
#include "libprofil/save.h"

/* The cells of COUNTED that hold ticks, each at the first address of its own, and its calls, as
 * HISTOGRAM's.  HISTOGRAM's fired ticks become as many more.
 * Returns 0 or -ENOMEM; HISTOGRAM is to be freed in both cases. */
int counted_read(const struct save_counted *counted, struct histogram *histogram);

#endif
