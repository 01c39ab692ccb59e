/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>

/* As qsort(3), which may allocate and so is not for a handler; stable.  SPARE has as many elements
 * as ITEMS and is of no use afterwards.  Signal-safe: yes.  Thread-safe: yes. */
void sort(void *items, void *spare, size_t count, size_t size,
	  int (*compare)(const void *left, const void *right));
