/* SPDX-License-Identifier: BSD-2-Clause */
/* Zero-terminated text. */
#ifndef TEXT_H
#define TEXT_H

unsigned text_length(const char *text);

/* Whether A and B are the same, letter for letter. */
int text_same(const char *a, const char *b);

/* Put TEXT at TO, with its zero.  Returns where that zero stands. */
char *text_put(char *to, const char *text);

char text_upper(char letter);

#endif
