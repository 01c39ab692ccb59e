/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* One line of /proc/PID/maps. */
struct maps_line {
	uint64_t start, end, offset, inode;
	uint32_t major, minor;
	char rights[4];	  /* "r-xp"; not ended */
	const char *path; /* where it stands in the line; "" where there is none */
};

/* Take LINE apart, which ends before its newline.  False: it is of another form.
 * Signal-safe: yes.  Thread-safe: yes. */
bool maps_line_parse(const char *line, struct maps_line *ret_line);
