/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_ENGINE_PRIVILEGE_H
#define PROFIL_ENGINE_PRIVILEGE_H

#include "base/error.h"

#include <stdbool.h>

/* Whether this process may load BPF programs that observe others, on a kernel that has what they
 * need.  Returns 0, or -errno and a sentence: which of these is missing, and the one command that
 * would change it.  Signal-safe: no.  Thread-safe: yes. */
int privilege_probe_kernel(struct error *reterr);

/* The measurement has begun: what profil's file has lent for it is given up for good.  Returns 0 or
 * -errno with a sentence. */
int privilege_finish(struct error *reterr);

/* Whether what this process may see is more than its user may: profil's file lends the privilege,
 * and the user has it not himself. */
bool privilege_is_lent(void);

/* Whether the kernel shows its addresses to this user, which the kernel itself is asked
 * (kernel.kptr_restrict, CAP_SYSLOG); root may see them in any case. */
bool privilege_kernel_shown(void);

#endif
