/* SPDX-License-Identifier: BSD-2-Clause */
#include "profil/dialogue.h"

#include "base/dos.h"
#include "base/text.h"
#include "profil/number.h"

#define LINE_SIZE 80
#define CR '\r'
#define LF '\n'

static char line[2 + LINE_SIZE];

/* The original means to put in upper case what is not quoted, and its test of a quote is turned
 * round: a letter is put in upper case and opens a "quotation" that ends where it stands again;
 * what is between is left as it is, and the character behind is the next to be put in upper case.
 * A real quotation mark opens nothing. */
static void fold_case(char *text)
{
	char quote;

	while (*text) {
		*text = text_upper(*text);
		quote = *text++;
		if (quote == '"')
			continue;
		while (*text && *text != quote)
			text++;
		if (*text)
			text++;
	}
}

/* The line as DOS read it, zero-terminated and without line feeds: MS-DOS leaves out those that
 * stand between two answers in a file, and not every other does. */
static void take_line(void)
{
	const char *from = line + 2;
	char *to = line + 2;

	for (; *from != CR; from++)
		if (*from != LF)
			*to++ = *from;
	*to = 0;
}

const char *dialogue_line(const char *prompt)
{
	dos_print(prompt);
	line[0] = LINE_SIZE;
	line[1] = 0;
	dos_read_line(line);
	take_line();
	fold_case(line + 2);
	dos_print("\r\n");
	return line + 2;
}

unsigned dialogue_number(const char *prompt, unsigned minimum)
{
	unsigned number;
	const char *text;

	do {
		text = dialogue_line(prompt);
		while (*text == ' ' || *text == '\t')
			text++;
	} while (number_read(text, minimum, &number, &text));
	return number;
}
