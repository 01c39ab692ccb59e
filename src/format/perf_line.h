/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The lines of `perf script`, as it prints them unless told otherwise:
 *   "comm pid/tid [cpu] seconds: period event: address symbol+0x0 (object)"
 * or, of a sample with a stack, the frames on lines of their own, innermost first, each behind a
 * tab, the last one followed by an empty line. */

/* A piece of a line, not NUL-terminated. */
struct perf_text {
	const char *start;
	size_t size;
};

struct perf_head {
	struct perf_text comm, event, rest; /* rest: the frame on the same line, or nothing */
	uint64_t period;
	uint32_t process; /* or the thread, where the line does not say whose it is */
};

struct perf_frame {
	uint64_t address;
	struct perf_text symbol, object; /* the object "inlined" stands for that of a later frame */
};

/* Take the next line off TEXT.  Returns false when there is none. */
bool perf_line_next(struct perf_text *text, struct perf_text *ret_line);

bool perf_line_head(struct perf_text line, struct perf_head *ret_head);
bool perf_line_frame(struct perf_text line, struct perf_frame *ret_frame);

/* Whether LINE tells what happened, "comm 12 3.4: PERF_RECORD_COMM: ...", and is no sample. */
bool perf_line_record(struct perf_text line);

bool perf_text_is(struct perf_text text, const char *word);

/* "libc.so", "libc.so.6", "x.node", "y.dll": nobody calls a program so. */
bool perf_text_is_library(struct perf_text object);

/* All of TEXT as a number of BASE 10 or 16.  Returns false when it is none, or above 64 bits. */
bool perf_text_number(struct perf_text text, unsigned base, uint64_t *ret_number);
