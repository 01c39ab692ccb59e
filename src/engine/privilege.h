/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <stdbool.h>

/* Whether this process may load BPF programs that observe others, on a kernel that has what they
 * need, and is let: the calls are tried.  Returns 0, or -errno and a sentence: which of these is
 * missing, and the one command that would change it.  Signal-safe: no.  Thread-safe: yes. */
int privilege_probe_kernel(struct error *reterr);

/* Of what that asks, what others judge by too.  None is signal-safe. */

/* The kernel engine's first. */
#define PRIVILEGE_MAJOR 5
#define PRIVILEGE_MINOR 17
#define PRIVILEGE_BTF "/sys/kernel/btf/vmlinux" /* the kernel's own types, where it tells them */

/* Whether this kernel is older than MAJOR.MINOR; of one that does not say, the load decides. */
bool privilege_kernel_is_older(int major, int minor);

/* Which of the capabilities for it can not be put in effect, be it root's, the user's or lent:
 * "CAP_BPF and CAP_PERFMON", one of the two, or "". */
const char *privilege_missing(void);

/* Whether the system calls it takes are let through: filters and security modules refuse them to
 * who has all capabilities, and in a user namespace his capabilities are not the machine's.  They
 * make what is smallest of a map, and of a clock on a CPU, and let go of it.  Return 0 or -errno.
 */
int privilege_try_bpf(void);
int privilege_try_clock(void);

/* kernel.perf_event_paranoid: what perf_event_open refuses to those without CAP_PERFMON.  From 3
 * on, which only some distributions' kernels know (it is Debian's default), all of it, and to those
 * with it too: they ask for CAP_SYS_ADMIN.  2, the kernel's own default, where it cannot be read.
 */
long privilege_paranoid(void);

/* The measurement has begun: what profil's file has lent for it is given up for good.  Returns 0 or
 * -errno with a sentence. */
int privilege_finish(struct error *reterr);

/* Whether what this process may see is more than its user may: profil's file lends the privilege,
 * and the user has it not himself. */
bool privilege_is_lent(void);

/* Whether the kernel shows its addresses to this user, which the kernel itself is asked
 * (kernel.kptr_restrict, CAP_SYSLOG); root may see them in any case. */
bool privilege_kernel_shown(void);
