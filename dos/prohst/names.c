/* SPDX-License-Identifier: BSD-2-Clause */
#include "prohst/names.h"

#include "base/dos.h"
#include "base/text.h"

#define LINE_MAX 128
#define BLANK ' '
#define TAB 9

static char *endings[NAMES] = {".PRF", ".HST", ".MAP"};
static char *questions[NAMES] = {"Profile filename [.PRF]: ", "Histogram filename [",
				 "Map file  ["};

/* What is left of the line: AT stands on the first character not taken yet. */
struct words {
	char line[LINE_MAX];
	char *at;
	int all_default; /* a semicolon: the names that are left have their defaults */
	int is_named;	 /* a comma stands before the map: its default has the profile's name */
};

static void take_line(struct words *words, const char *line)
{
	char *to = words->line;

	while (*line && to < words->line + LINE_MAX - 1)
		*to++ = text_upper(*line++);
	*to = 0;
	words->at = words->line;
}

static void skip_blanks(struct words *words)
{
	while (*words->at == BLANK || *words->at == TAB)
		words->at++;
}

static int ends_name(char letter)
{
	return !letter || letter == ',' || letter == ';' || letter == BLANK || letter == TAB;
}

/* Returns the length of the name at AT, which is put into NAME and passed over. */
static unsigned take_name(struct words *words, char *name)
{
	unsigned length = 0;

	skip_blanks(words);
	while (!ends_name(*words->at) && length < NAME_SIZE - 5)
		name[length++] = *words->at++;
	name[length] = 0;
	skip_blanks(words);
	return length;
}

/* NAME without drive, folders and extension, as the defaults have it. */
static void put_base(char *base, const char *name)
{
	const char *start = name;
	unsigned length = 0;

	for (; *name; name++)
		if (*name == ':' || *name == '\\' || *name == '/')
			start = name + 1;
	while (start[length] && start[length] != '.') {
		base[length] = start[length];
		length++;
	}
	base[length] = 0;
}

static int has_ending(const char *name)
{
	int found = 0;

	for (; *name; name++) {
		if (*name == '.')
			found = 1;
		if (*name == '\\' || *name == '/' || *name == ':')
			found = 0;
	}
	return found;
}

static void put_default(struct names *names, int which, int is_named)
{
	char *name = names->name[which];

	if (which == NAME_MAP && !is_named)
		text_put(name, "NUL");
	else
		put_base(name, names->name[NAME_PROFILE]);
	text_put(name + text_length(name), endings[which]);
}

static void ask(struct names *names, int which, struct words *words)
{
	dos_print(questions[which]);
	if (which == NAME_PROFILE)
		return;
	put_default(names, which, words->is_named);
	dos_print(names->name[which]);
	dos_print("]: ");
}

/* A line from standard input, which may be a file: DOS's own line editing would wait for a CR that
 * does not come.  Returns 0, or 1 at the end of the input. */
static int answer(struct words *words)
{
	char buffer[LINE_MAX];
	unsigned length = 0;
	char letter;

	for (;;) {
		if (dos_read(0, &letter, 1) != 1 || letter == 0x1a)
			return 1;
		if (letter == 10)
			break;
		if (letter != 13 && length < LINE_MAX - 1)
			buffer[length++] = letter;
	}
	buffer[length] = 0;
	take_line(words, buffer);
	return 0;
}

static int complain(struct words *words)
{
	dos_print("Line invalid: '");
	dos_print(words->at);
	dos_print("', start again.\r\n");
	words->all_default = 0;
	words->is_named = 0;
	words->at = words->line;
	*words->at = 0;
	return NAME_PROFILE;
}

/* Pass over what stands behind name WHICH.  Returns the number of the next name, or WHICH where the
 * line makes no sense. */
static int pass(struct words *words, int which)
{
	if (*words->at == ';' && !words->at[1]) {
		words->all_default = 1;
		words->at++;
		return which + 1;
	}
	if (*words->at == ',' && which < NAME_MAP) {
		words->is_named = which == NAME_LISTING;
		words->at++;
		return which + 1;
	}
	return *words->at ? which : which + 1;
}

/* Take name WHICH from the line.  Returns the number of the next one, which is the first again
 * after a line without sense; -1 at the end of the input. */
static int take(struct names *names, int which, struct words *words)
{
	unsigned length;
	int next;

	if (!*words->at && !words->all_default) {
		ask(names, which, words);
		if (answer(words))
			return -1;
	}
	length = take_name(words, names->name[which]);
	next = words->all_default ? which + 1 : pass(words, which);
	if (next == which || (!length && which == NAME_PROFILE && *words->line))
		return complain(words);
	if (!length && which == NAME_PROFILE)
		return which;
	if (!length)
		put_default(names, which, words->is_named);
	else if (!has_ending(names->name[which]))
		text_put(names->name[which] + length, endings[which]);
	return next;
}

int names_read(struct names *names, const char *line)
{
	struct words words;
	int which = NAME_PROFILE;

	words.all_default = 0;
	words.is_named = 0;
	take_line(&words, line);
	skip_blanks(&words);
	while (which >= 0 && which < NAMES)
		which = take(names, which, &words);
	return which < 0;
}

int name_is_device(const char *name, const char *device)
{
	char base[NAME_SIZE];

	put_base(base, name);
	return text_same(base, device);
}
