/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_ENGINE_INSIDE_HIDDEN_RIGHTS_H
#define PROFIL_ENGINE_INSIDE_HIDDEN_RIGHTS_H

/* Where root's program has become another user, the calling thread becomes that too, for good, and
 * leaves all groups: the C library does so with its own threads, and one that only the kernel made
 * is none of them. */
void rights_follow(void);

#endif
