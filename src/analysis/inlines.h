/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* Inlined functions as calls: each becomes a frame of its own, called by the function that it was
 * inlined into.  Every location has one line at most then, and every view of call stacks shows the
 * frames.  A cell keeps its address; PROFILE must have call stacks.  Returns 0 or -ENOMEM. */
int inlines_open(struct profile *profile);
