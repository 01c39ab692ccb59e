/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* How far what takes long is, on one line of a terminal: "profil: names: 3 of 12 files".  It is
 * told where it is done, and costs next to nothing where nobody looks.
 *
 * Signal-safe: no.  Thread-safe: no; but a process that is forked meanwhile may say how far it is.
 */

/* Whether FD is a terminal that can show such a line. */
bool progress_is_possible(int fd);

/* Put TEXT in the place of the line that was shown on the terminal FD; "" takes it away.  Returns
 * whether that was done: not while a program has the terminal for itself (an editor, a pager). */
bool progress_line(int fd, const char *text);

/* What this process tells is shown on FD from now on, if that is possible, beginning a second from
 * now. */
void progress_open(int fd);

/* WHAT begins; its parts are called UNIT.  Both stay.  What begins in something else is shown
 * behind it.  With its end it is shown no more when the call returns. */
void progress_begin(const char *what, const char *unit);
void progress_end(void);

/* DONE of ALL parts of what began last are done; ALL is 0 where that is not known. */
void progress_at(uint64_t done, uint64_t all);
