/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/builder.h"
#include "target/mounts.h"

/* The main program, whose path is PROGRAM (NULL: it is not known), has a mapping even where all
 * ticks are in its libraries: a profile is called after it.  Returns 0 or -ENOMEM. */
int build_program(struct builder *builder, struct mounts *mounts, const char *program);
