/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* Put the mapping of PROFILE's main program first: readers of pprof's format take the first one for
 * that, and call the profile after it.  Of several programs the main one is what the command line
 * begins with, or else the one with the most ticks.  It depends on nothing but PROFILE's contents,
 * so that equal sums stay equal.  Returns 0 or -ENOMEM. */
int main_program_first(struct profile *profile);
