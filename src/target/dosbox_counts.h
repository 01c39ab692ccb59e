/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TARGET_DOSBOX_COUNTS_H
#define PROFIL_TARGET_DOSBOX_COUNTS_H

#include <stddef.h>
#include <sys/types.h>

/* What PROFIL.COM has counted so far, out of the memory of the machine that DOSBox, the process
 * PID, emulates.  It should be stopped meanwhile.  Returns 0 and the bytes of a .PRF, heap; or
 * -errno: -ENOENT where PROFIL.COM counts nothing now. Signal-safe: no.  Thread-safe: yes. */
int dosbox_counts(pid_t pid, char **ret_prf, size_t *ret_size);

#endif
