/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/kernel/object/count.h"

struct btf;

/* Where the kernel that runs has what the counting program looks at.  It is found once in a
 * process; forked children know it from their parents.  -ENOENT: the kernel has no such thing, or
 * does not tell its types; -EBADMSG: it tells what is none; or what reading them gives.
 * Thread-safe: yes. Async-signal-safe: no. */
int offsets_find(struct count_offsets *ret_offsets);

/* The same by the types of TYPES, each time. */
int offsets_of(const struct btf *types, struct count_offsets *ret_offsets);
