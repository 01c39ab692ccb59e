/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd/round.h"
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
	/* Gets what has come of the interval NUMBER; of each there is a last one, with a profile
	 * or without. */
	void (*take)(void *context, uint64_t number, const struct round_news *news);
	void *context;
};

struct rounds;

/* Into the working directory.  NULL when memory is short.  rounds_end() takes NULL. */
struct rounds *rounds_new(const struct rounds_options *options);

/* Ask for the profile of the running interval as it is now, unless that was asked for and has not
 * come.  Returns its number, from 1 on, or 0 where none is running. */
uint64_t rounds_ask(struct rounds *rounds);

/* Whether nothing will be measured any more. */
bool rounds_are_over(const struct rounds *rounds);

/* Do what is due.  Returns 0, or an exit status when the first one has failed. */
int rounds_go_on(struct rounds *rounds);

/* What to wait for, at most ROUNDS_FDS, and how long, in milliseconds; UINT_MAX: for ever.  Until
 * then there is nothing to be done.  Returns how many. */
#define ROUNDS_FDS 12
size_t rounds_wait(const struct rounds *rounds, struct pollfd *ret_fds);
unsigned rounds_wait_ms(const struct rounds *rounds);

/* End the one that runs, which is written, and wait for all; what SIGNALS, of signals_take(), have
 * asks not to wait. */
void rounds_end(struct rounds *rounds, int signals);
