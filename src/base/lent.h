/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <stdint.h>

/* What 'setcap' gives to profil's file is lent to whoever runs it: for counting, and for nothing
 * else.  It is out of effect but for the calls that need it, so that every file, name and socket is
 * opened with the user's own rights; it is given up when its work is done; and no other program
 * gets any of it.  Root's capabilities, and those that a user brings himself, are not touched.
 *
 * A state of the process, for its first thread.  None of this is safe in a signal handler. */

/* To be called before anything else.  Keeps of what is lent CAP_BPF and CAP_PERFMON, out of effect.
 * Returns 0, also where nothing is lent; or -EPERM with a sentence for a file that is set-user-ID
 * or set-group-ID, whose rights could not be told from the user's; or another -errno. */
int lent_begin(struct error *reterr);

/* What can be put in effect now, a set of bits as base/capability.h has them. */
uint64_t lent_held(void);

/* Put it in effect, and out again.  Return 0 or -errno with a sentence. */
int lent_raise(struct error *reterr);
int lent_lower(struct error *reterr);

/* Lose all of it but KEEP for good.  Returns 0 or -errno. */
int lent_keep(uint64_t keep);

/* Around fork(): what is lent makes a process one that its user may not look into, and profil's
 * child, which is to be a program of the user's, would be born so.  SHOWN is 1 before and 0 after,
 * in the parent. */
void lent_show(int shown);

/* The environment as the user gave it: where something is lent, the C library has taken
 * LD_LIBRARY_PATH and its like out, which are meant for the program that profil starts.  To be
 * called by who gave up all that was lent.  Returns what environ is to be; NULL: leave it as it is.
 * Heap, never freed. */
char **lent_environment(void);
