/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What was meant by a word that profil does not know: a slip of the hand, or a word of perf's. */

struct option_row;

/* WORD stands where a command or a program is expected, and is no command.  Returns 0 where a
 * program of that name can be run or nothing like it is known, else the exit status after having
 * said what may have been meant. */
int guess_command(const char *word);

/* WORD is an option as it was typed ("-g", "--sort"), and none of ROWS; the length of a long one is
 * LENGTH.  Returns what to say of it, NULL where it is not known. */
const char *guess_foreign_option(const char *word, int length);

/* That of ROWS whose name the LENGTH characters of NAME are nearly, or NULL. */
const struct option_row *guess_option(const struct option_row *rows, const char *name, int length);
