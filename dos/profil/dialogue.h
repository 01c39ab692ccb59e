/* SPDX-License-Identifier: BSD-2-Clause */
/* What is asked at the console, letter for letter as the original asks it. */
#ifndef DIALOGUE_H
#define DIALOGUE_H

/* Ask until a number of at least MINIMUM comes. */
unsigned dialogue_number(const char *prompt, unsigned minimum);

/* Ask for a line.  It is zero-terminated, at most 79 characters long, with the first letter in
 * upper case, and stands until the next question. */
const char *dialogue_line(const char *prompt);

#endif
