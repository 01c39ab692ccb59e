/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <stdbool.h>

/* /proc: a container or a chroot may have none, and a pid namespace may have that of the one
 * outside, where the same number is another process.  Signal-safe: no.  Thread-safe: yes. */

/* Whether the processes of /proc are those that the caller knows by these numbers. */
bool proc_is_own(void);

/* The same as 0, or -ENOENT or -EXDEV with a sentence. */
int proc_check(struct error *reterr);
