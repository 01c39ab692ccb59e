/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* What PROFIL.COM has counted so far, out of the memory of the machine that DOSBox, the process
 * PID, emulates.  It should be stopped meanwhile.  Returns 0 and the bytes of a .PRF, heap; or
 * -errno: -ENOENT where PROFIL.COM counts nothing now. Signal-safe: no.  Thread-safe: yes. */
int dosbox_counts(pid_t pid, char **ret_prf, size_t *ret_size);
