/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_ENGINE_PRIVILEGE_H
#define PROFIL_ENGINE_PRIVILEGE_H

#include "base/error.h"

/* Whether this process may load BPF programs that observe others, on a kernel that has what they
 * need.  Returns 0, or -errno and a sentence: which of these is missing, and the one command that
 * would change it.  Signal-safe: no.  Thread-safe: yes. */
int privilege_probe_kernel(struct error *reterr);

#endif
