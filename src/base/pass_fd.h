/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Messages between processes that bring a descriptor with them, through a socket that keeps them
 * apart (SOCK_SEQPACKET). */

/* Send the SIZE bytes at DATA, and FD, which stays the caller's (-1: none).  It does not wait: who
 * is gone, or takes nothing, gets nothing.  Signal-safe: yes.  Thread-safe: yes. */
void pass_fd(int channel, const void *data, size_t size, int fd);

/* Take the next message, of SIZE bytes; FLAGS are recvmsg(2)'s.  *RET_FD is closed on exec, or -1.
 * Returns whether one was there. */
bool take_fd(int channel, int flags, void *data, size_t size, int *ret_fd);
