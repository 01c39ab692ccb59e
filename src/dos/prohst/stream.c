/* SPDX-License-Identifier: BSD-2-Clause */
#include "dos/prohst/stream.h"

#define END_OF_TEXT 0x1a

static void fetch(struct prohst_text *text)
{
	text->ahead = (*text->input.next)(text->input.context);
	if (text->ahead == END_OF_TEXT)
		text->ahead = -1;
}

void text_open(struct prohst_text *text, const struct prohst_input *input)
{
	text->input = *input;
	fetch(text);
}

int text_at_end(const struct prohst_text *text)
{
	return text->ahead < 0;
}

int text_at_line_end(const struct prohst_text *text)
{
	return text->ahead == '\r' || text->ahead == '\n';
}

int text_peek(const struct prohst_text *text)
{
	return text_at_end(text) || text_at_line_end(text) ? ' ' : text->ahead;
}

void text_get(struct prohst_text *text)
{
	int was = text->ahead;

	if (was < 0)
		return;
	fetch(text);
	if (was == '\r' && text->ahead == '\n')
		fetch(text);
}

void text_skip_line(struct prohst_text *text)
{
	while (!text_at_end(text) && !text_at_line_end(text))
		text_get(text);
	text_get(text);
}

unsigned text_line(struct prohst_text *text, char *line, unsigned room)
{
	unsigned length = 0;

	while (length < room && !text_at_end(text) && !text_at_line_end(text)) {
		line[length++] = (char)text->ahead;
		text_get(text);
	}
	text_skip_line(text);
	return length;
}

int text_equals(const char *line, unsigned length, const char *start)
{
	unsigned i;

	for (i = 0; i < length; i++)
		if (!start[i] || line[i] != start[i])
			return 0;
	return !start[length];
}
