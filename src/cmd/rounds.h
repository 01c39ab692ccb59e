/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd/thin.h"
#include "cmd/whom.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

/* Profiles of one interval after the other, for ever: each is measured by a process of its own,
 * which is got ready before the clocks of the one before stop, and writes its file while the next
 * one measures.  So no time is missed or measured twice, and memory is what two intervals take. */

struct rounds_options {
	struct whom *whom; /* the caller's */
	const char *name;  /* of the command */
	uint64_t every_ns; /* intervals end at multiples of it, in UTC */
	struct thin_limits limits;
};

struct rounds;

/* Into the working directory.  NULL when memory is short.  rounds_end() takes NULL. */
struct rounds *rounds_new(const struct rounds_options *options);

/* Do what is due.  Returns 0, or an exit status when the first one has failed. */
int rounds_go_on(struct rounds *rounds);

/* What to wait for, at most ROUNDS_FDS, and how long, in milliseconds; UINT_MAX: for ever.  Until
 * then there is nothing to be done.  Returns how many. */
#define ROUNDS_FDS 7
size_t rounds_wait(const struct rounds *rounds, struct pollfd *ret_fds);
unsigned rounds_wait_ms(const struct rounds *rounds);

/* End the one that runs, which is written, and wait for all; what SIGNALS, of signals_take(), have
 * asks not to wait. */
void rounds_end(struct rounds *rounds, int signals);
