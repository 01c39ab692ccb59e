/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <stdbool.h>

#define LISTEN_TEXT_MAX 80

struct listening {
	int fd;
	bool is_public;		       /* not on this machine's loopback */
	char address[LISTEN_TEXT_MAX]; /* with the port that port 0 has become */
};

/* Listen at ADDRESS, numeric, "127.0.0.1:7997" or "[::1]:0", or at the socket "fd:3".  Returns 0,
 * or -errno with a sentence.
 */
int listen_open(const char *address, struct listening *ret_listening, struct error *reterr);
