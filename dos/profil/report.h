/* SPDX-License-Identifier: BSD-2-Clause */
/* The .PRF: report_header, then the buckets, in 16-bit words. */
#ifndef REPORT_H
#define REPORT_H

/* Find out whether PATH could be written, by making an empty file beside it, which is removed
 * again. Returns 0, or 1. */
int report_check(const char *path);

/* Write what was counted to PATH, whose old file stays until the new one is whole beside it.
 * Returns 0, or 1 when it could not be written; nothing is left of it then. */
int report_write(const char *path);

#endif
