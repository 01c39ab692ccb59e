/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>

/* Write what was measured so far: the program's file, and one for each library that has anything;
 * or one profile of all.  Each replaces the one of its name whole, or nothing, and then one line on
 * stderr says why. IS_CHILD: of a fork, whose files are named for it.  IS_FINAL: nothing is counted
 * any more. Signal-safe: yes.  Thread-safe: yes. */
void write_all(bool is_child, bool is_final);
