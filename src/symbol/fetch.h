/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Debug information from a server (debuginfod), which may answer late or never.  A process of its
 * own asks, by the server's own library, and is ended when the time is over: that library has no
 * limit that holds in all that it does, and names are never worth a wait without one.
 *
 * What is set here is a state of the process, for its first thread. */

struct fetch_limits {
	/* What all files together may wait, in nanoseconds; 0: nobody is asked. */
	uint64_t timeout_ns;
	/* A descriptor; when it can be read or has lost its writer, the search for names is to end.
	 * -1: none. */
	int stop;
};

#define FETCH_TIMEOUT_NS 10000000000ull

/* Until it is called: FETCH_TIMEOUT_NS, none. */
void fetch_limit(const struct fetch_limits *limits);

/* Whether the search for names is to end. */
bool fetch_is_stopped(void);

/* Whether a file was not asked for, or its answer not waited for, because the time was over. */
bool fetch_gave_up(void);

/* Whether a server is known that could be asked. */
bool fetch_has_server(void);

/* Get the debug information of the file with the SIZE bytes of BUILD_ID.  Returns a descriptor of
 * it, and its path on the heap in *RET_PATH; or -errno: -ENOSYS where there is nobody to ask,
 * -ETIME, -ECANCELED, or what the library has returned. */
int fetch_debuginfo(const uint8_t *build_id, size_t size, char **ret_path);
