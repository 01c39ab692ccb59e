/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>

/* What a program's file says of how it will be started. */

/* The file that runs when PROGRAM is started: found as execvp(3) does, of a script its interpreter,
 * without links.  Returns heap text, NULL when there is none or memory is short. */
char *executable_path(const char *program);

/* The loader that the program at PATH asks for.  False: it asks for none, or cannot be read. */
bool executable_loader(const char *path, char ret_loader[PATH_MAX]);

/* Whether PROGRAM, found as execvp(3) does, will load what LD_PRELOAD names: it is loaded by the C
 * library's loader, as profil is, and gets no rights that its caller has not.  Of a script it is
 * the interpreter that counts.  Returns 0, also for what cannot be found or read, of which the
 * start will say more; or -EINVAL with a sentence, in which WHO ("timer engine") wants it. */
int executable_takes_preload(const char *program, const char *who, struct error *reterr);
