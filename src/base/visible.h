/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdio.h>

/* Text for other programs, which has names as they are, may be printed on a terminal, which obeys
 * the control characters in them. */

/* OUT, or where that is a terminal, a stream to it that shows control characters as "\x1b"; those
 * that end a line, and tabs, are what the text is made of and stay.  What is written to it reaches
 * OUT at fflush(3) or visible_close(), up to a character that is not yet whole.  NULL when memory
 * is short. */
FILE *visible_open(FILE *out);

/* End what visible_open() has made of OUT, which stays open.  Returns 0, or -1 as fclose(3). */
int visible_close(FILE *visible, FILE *out);
