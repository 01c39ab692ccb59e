/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <signal.h>
#include <sys/signalfd.h>

/* While something is measured, signals arrive as a signalfd: SIGINT, SIGTERM, SIGHUP and SIGQUIT,
 * which ask for an end, and SIGUSR1. */

/* Block them from here on; *RET_BEFORE is the mask there was.  Returns a signalfd that never waits,
 * or -errno. */
int signals_take(sigset_t *ret_before);

/* The next that has arrived; 0: none has.  *RET_INFO is what the kernel says of it. */
int signals_next(int signals, struct signalfd_siginfo *ret_info);

/* The next that asks for an end, but for what whoever started profil has it ignore (nohup(1)). */
int signals_next_end(int signals);

/* Forget what has arrived. */
void signals_forget(int signals);

/* From here on, what asks for an end is the end of the process. */
void signals_let_end(int signals);
