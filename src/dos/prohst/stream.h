/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_DOS_PROHST_STREAM_H
#define PROFIL_DOS_PROHST_STREAM_H

/* Bytes in and out, from whatever has them: stdio on Linux, INT 21h on DOS. */

/* The next byte, 0 to 255, or -1 at the end and for ever after. */
struct prohst_input {
	int (*next)(void *context);
	void *context; /* the caller's, for next */
};

struct prohst_output {
	void (*put)(void *context, int byte);
	void *context;
};

/* A text file as Pascal sees it: one character ahead, a blank at the end of a line, the end of the
 * file at the first 1Ah.  Lines end with CR LF, LF or CR. */
struct prohst_text {
	struct prohst_input input;
	int ahead; /* the byte that is next, -1 at the end */
};

void text_open(struct prohst_text *text, const struct prohst_input *input);
int text_at_end(const struct prohst_text *text);
int text_at_line_end(const struct prohst_text *text);

/* The character ahead; at the end of a line, and of the file, a blank. */
int text_peek(const struct prohst_text *text);

/* Pass over the character ahead, which may be the end of a line. */
void text_get(struct prohst_text *text);

/* Pass over the rest of the line with its end. */
void text_skip_line(struct prohst_text *text);

/* Read into LINE what the line has, ROOM characters at most, and pass over the rest of it with its
 * end.  Returns how many there are; LINE keeps its old characters behind them and gets no NUL. */
unsigned text_line(struct prohst_text *text, char *line, unsigned room);

/* Whether LINE of LENGTH characters is START, up to its NUL, and no longer. */
int text_equals(const char *line, unsigned length, const char *start);

#endif
