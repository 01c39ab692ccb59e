/* SPDX-License-Identifier: BSD-2-Clause */
/* libspin.so: what split-dlopen, two-copies and remap load. */

#include "truth.h"

#pragma GCC visibility push(default)
SPIN(extern, spin_three);
SPIN(extern, spin_one);
#pragma GCC visibility pop
