/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "gmon/output.h"

/* A file of gzip's format whose bytes are stored as they are.  zlib would pack them, but the
 * handler of a fatal signal may write them, and a program that is measured, a static one too, shall
 * not need a library for it.  All functions are signal-safe. */
struct gzip {
	struct output *output;
	uint32_t sum;  /* CRC-32 of all bytes so far */
	uint32_t size; /* their number, modulo 2^32 */
	size_t used;
	uint8_t block[8192];
};

void gzip_open(struct gzip *gzip, struct output *output);
void gzip_bytes(struct gzip *gzip, const void *bytes, size_t size);

/* The end of the format; OUTPUT stays open. */
void gzip_close(struct gzip *gzip);

/* The CRC-32 of what SUM is of (0: nothing) and SIZE more bytes. */
uint32_t gzip_sum(uint32_t sum, const void *bytes, size_t size);
