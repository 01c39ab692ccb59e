/* SPDX-License-Identifier: BSD-2-Clause */
/* The .PRF: report_header, then the buckets, in 16-bit words. */
#ifndef REPORT_H
#define REPORT_H

/* Write what was counted to PATH.  Returns 0, or 1 when it could not be written; there is no file
 * then. */
int report_write(const char *path);

#endif
