/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* gmon.out in its three kinds, as gprof reads them: GNU's tagged records (<sys/gmon_out.h>), the
 * header of 4.4BSD (<sys/gmon.h>), and the one before it; and what was there before gprof, mon.out
 * of monitor(3).  Addresses are those of the program's file, of 4 or 8 bytes in its byte order; a
 * bin counts in 16 bits. */

enum gmon_kind {
	GMON_GNU,
	GMON_BSD44,
	GMON_BSD,
	GMON_MON,
};

#define GMON_VERSION 1
#define GMON_SPARE 12 /* bytes that nobody uses, in two of the headers */
#define GMON_BSD44_VERSION 0x00051879
#define GMON_DIMENSION 15

enum gmon_tag {
	GMON_TIME_HIST,
	GMON_CALL_ARC,
	GMON_BLOCK_COUNT,
};

#define GMON_BIN 2 /* bytes of a bin's counter; and of text that gprof's finest bin is for */
#define GMON_BIN_MAX 0xffff /* what a bin counts to */

/* A file that is written, by whoever takes its bytes. */
struct gmon_file {
	void (*take)(void *taker, const void *bytes, size_t size);
	void *taker;
	enum gmon_kind kind;
	size_t word; /* bytes of an address */
	bool big;
	uint32_t rate; /* ticks a second */
};

/* Its parts, in this order.  All are signal-safe where TAKE is. */

/* What it begins with. */
void gmon_file_begin(const struct gmon_file *file);

/* What stands before BINS bins, from START to LIMIT: in GNU's file of each histogram, of which
 * there may be many, in those of BSD of the only one. */
void gmon_file_histogram(const struct gmon_file *file, uint64_t start, uint64_t limit,
			 uint64_t bins);

/* A bin, which counts as far as it can. */
void gmon_file_bin(const struct gmon_file *file, uint64_t ticks);

/* As many records as COUNT takes. */
void gmon_file_arc(const struct gmon_file *file, uint64_t caller, uint64_t callee, uint64_t count);

/* Of what has a form of its own. */
void gmon_file_number(const struct gmon_file *file, uint64_t number, size_t size);
void gmon_file_zeros(const struct gmon_file *file, size_t size);
