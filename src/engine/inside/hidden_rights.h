/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Where root's program has become another user, the calling thread becomes that too, for good, and
 * leaves all groups: the C library does so with its own threads, and one that only the kernel made
 * is none of them. */
void rights_follow(void);
