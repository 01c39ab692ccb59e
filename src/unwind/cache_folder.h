/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

/* The folder that profil keeps what it could make anew in.  It is the user's own, by whom nobody
 * else can write: root has none where sudo has left him the HOME of somebody else. */

/* Opened, made where it is not there yet; or -1.  The caller closes it. */
int unwind_cache_folder(void);

/* Remove the oldest files in FOLDER, until all take BYTES at most. */
void unwind_cache_trim(int folder, uint64_t bytes);
