/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Which signals the engines take.
 *
 * Not SIGPROF: it is the program's.  With ITIMER_PROF or raise(SIGPROF) it would be merged with
 * ours while both are pending; a handler that the program installs later would get our ticks, and
 * SIG_DFL would let them kill it.  Real-time signals are plenty and each timer's is queued by
 * itself.  Programs name them SIGRTMIN+n and SIGRTMAX-n with a small n, so ours are from the
 * middle, and only such as have nobody: SIG_DFL.  The two searches go apart from there and never
 * meet, for to end the ticks all that are pending of theirs are thrown away.  A debugger stops at
 * them unless it is told not to (gdb: handle SIG49 nostop noprint). */

#include <signal.h>

/* pthread_sigmask(3) past whatever stands before it: in a program that is preloaded, one of ours
 * keeps the program from blocking the ticks.  Signal-safe: yes.  Thread-safe: yes. */
void signals_mask(int how, const sigset_t *set, sigset_t *ret_before);

/* Returns a signal, or -EBUSY: all are taken.  Thread-safe: yes. */
int signal_for_ticks(void);	     /* to put a handler on */
int signal_for_hidden_threads(void); /* that block it and wait for it */
