/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of files. */
#ifndef PATH_H
#define PATH_H

#define PATH_SIZE 208

/* The extension of PATH with its dot, "" when there is none. */
const char *path_extension(const char *path);

/* Put the name of PATH's report to REPORT (PATH_SIZE): the same place and name, the extension PRF,
 * and spelled out from the drive on, for the program may change drive and folder before the report
 * is written.  Returns 0, or 1 when PATH is too long or empty. */
int path_of_report(const char *path, char *report);

#endif
