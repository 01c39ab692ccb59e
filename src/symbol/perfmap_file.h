/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* Open the map that process PID has left in FOLDER, "perf-PID.map".  While the process lives,
 * FOLDER and the number are those that it sees itself: a container has a /tmp and numbers of its
 * own. Returns the descriptor, or -errno; -EACCES for a map that is not to be trusted. Signal-safe:
 * no. Thread-safe: yes. */
int perfmap_open(const char *folder, uint32_t pid, off_t *ret_size);
