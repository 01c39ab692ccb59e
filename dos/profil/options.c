/* SPDX-License-Identifier: BSD-2-Clause */
#include "profil/options.h"

#include "base/text.h"
#include "profil/number.h"

#define SHORTEST_TICK 60

static int is_blank(char letter)
{
	return letter == ' ' || letter == '\t';
}

/* Where COMMAND.COM, too, ends the name of a program. */
static int ends_name(char letter)
{
	return is_blank(letter) || letter == 0 || letter == '/' || letter == ',' || letter == ';' ||
	       letter == '=';
}

static const char *skip_blanks(const char *at)
{
	while (is_blank(*at))
		at++;
	return at;
}

/* Read the value behind a switch's colon at AT.  Returns 0 or 1, and RET_END as number_read(). */
static int read_value(char letter, const char *at, struct options *options, const char **ret_end)
{
	if (*at++ != ':')
		return 1;
	switch (letter) {
	case 'B':
		return number_read(at, 1, &options->bucket_size, ret_end);
	case 'T':
		return number_read(at, SHORTEST_TICK, &options->microseconds, ret_end);
	case 'D':
		options->has_dos_segment = 1;
		return number_read_hex(at, &options->dos_segment, ret_end);
	}
	return 1;
}

/* Read the switch at AT, just behind its slash. */
static int read_switch(const char *at, struct options *options, const char **ret_end)
{
	char letter = text_upper(*at);

	if (letter == 0)
		return 1;
	*ret_end = at + 1;
	switch (letter) {
	case 'E':
		options->exit_code = 1;
		return 0;
	case 'W':
		options->wrap = 1;
		return 0;
	case 'R':
		options->real_time_clock = 1;
		return 0;
	case '?':
		options->help = 1;
		return 0;
	}
	return read_value(letter, at + 1, options, ret_end);
}

/* The word at AT, zero-terminated and in upper case, to WORD.  Returns where it ends. */
static const char *copy_word(const char *at, char *word, int is_name)
{
	while (*at && !(is_name ? ends_name(*at) : is_blank(*at)))
		*word++ = text_upper(*at++);
	*word = 0;
	return at;
}

const char *options_read(const char *line, struct options *options)
{
	const char *at = skip_blanks(line);
	const char *end;

	while (*at == '/') {
		if (read_switch(at + 1, options, &end) || (*end != '/' && !ends_name(*end))) {
			copy_word(at, options->name, /* is_name= */ 0);
			return options->name;
		}
		at = skip_blanks(end);
	}
	options->rest = copy_word(at, options->name, /* is_name= */ 1);
	options->asks = !options->bucket_size && !options->microseconds;
	return 0;
}
