/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "format/format.h"
#include "profile/builder.h"

/* A profile on its way in from another program's file. */
struct imported {
	const struct format_source *source;
	struct builder builder;
};

/* Returns 0 or -ENOMEM; in both cases imported_end() ends it. */
int imported_begin(struct imported *imported, const struct format_source *source);

/* Forget what has come so far, to try anew.  Returns 0 or -ENOMEM. */
int imported_again(struct imported *imported);

/* The mapping of the program that the file is of: the file that the hints name, whose addresses are
 * its own; else a mapping without a file from START to LIMIT, with a note on how to name it.
 * Returns 0, or -errno with a sentence where the file cannot be had. */
int imported_program(struct imported *imported, uint64_t start, uint64_t limit,
		     uint32_t *ret_mapping, struct error *reterr);

/* What the file at PATH is now.  Returns 0, or -errno with a sentence. */
int imported_identity(const char *path, struct file_identity *ret_identity, struct error *reterr);

/* TICKS at ADDRESS of MAPPING, held at TICKS_MAX; none are no cell.  Returns 0 or -ENOMEM. */
int imported_ticks(struct imported *imported, uint32_t mapping, uint64_t address, uint64_t ticks);

/* COUNT calls of the function at CALLEE by the one at CALLER of the same mapping, 0: it is not
 * known whose they were; none are no call.  Returns 0 or -ENOMEM. */
int imported_calls(struct imported *imported, uint32_t mapping, uint64_t caller, uint64_t callee,
		   uint64_t count);

/* The period of a clock of RATE hertz; 0 is not known. */
uint64_t imported_period(uint64_t rate);

/* CODE, negative: give up, and return it.  Else put the cells in order: *RET_PROFILE is the
 * caller's.  Returns 0 or -errno; the sentence is the caller's but for that of -ENOMEM. */
int imported_end(struct imported *imported, int code, struct profile **ret_profile,
		 struct error *reterr);
