/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Options as rows: what they are called, what value they take and within which bounds, and where in
 * the options of their command it goes. */

enum value_kind {
	VALUE_NONE,
	VALUE_COUNT,   /* "64" */
	VALUE_RATE,    /* "997", "10kHz" */
	VALUE_TIME,    /* "10ms", "1.5s" */
	VALUE_CHOICE,  /* one word of .choices */
	VALUE_WORD,    /* one of those, or another */
	VALUE_PERCENT, /* "5%" */
	VALUE_SIZE,    /* "1GB" */
	VALUE_FILE,    /* a path */
	VALUE_FILES,   /* operands only: several paths */
	VALUE_TEXT,    /* anything */
	VALUE_PROGRAM, /* operands only: a program and its arguments, none of which is an option */
	VALUE_DOS_PROGRAM, /* the same, the program being any file */
	VALUE_COMMAND,	   /* operands only: one of profil's commands */
};

struct option_value {
	const char *name; /* of the option */
	const char *text; /* as given; NULL for a flag, and for a value that need not be */
	uint64_t number;  /* a count, hertz, nanoseconds, millionths, or the index of the choice */
};

/* A member of a command's options: text, or else a number, a flag or an enum. */
struct option_field {
	uint16_t offset;
	uint8_t size; /* 0: none */
	bool is_text;
};

struct option_row {
	char letter; /* 0: it has none */
	const char *name;
	const char
		*argument; /* "HZ"; NULL: the option takes no value; "[=REGEX]": it may have one */
	const char *help;  /* one line */
	const char *group; /* the heading it stands under; NULL: the one of the row before */
	enum value_kind kind;
	const char *choices;	   /* VALUE_CHOICE, VALUE_WORD: "machine|task" */
	uint64_t min, max;	   /* a count, hertz, nanoseconds or millionths, as .kind is */
	const char *accepted;	   /* those bounds in words, with an example, for the error */
	struct option_field field; /* that gets its text, or its number and .base */
	uint64_t base;		   /* of an option without a value this alone */
	const char *alone; /* an enum's: what is wrong where it has another value than 0 already */
	/* Takes into OPTIONS what a field cannot, after it.  Returns 0, or non-zero to stop, after
	 * having said why with cmd_fail().  NULL: there is nothing more. */
	int (*take)(void *options, const struct option_value *value);
	const struct option_row *more; /* where .name is NULL: the rows go on there, or end */
};

/* The row's value goes into MEMBER of TYPE, which the command's options are or begin with. */
#define INTO(type, member) \
	.field = {offsetof(type, member), sizeof(((type *)0)->member),   \
		  _Generic(((type *)0)->member, const char *             \
			   : true, default                               \
			   : false)}
/* ... as VALUE of an option that has none; of others it is added. */
#define SETS(type, member, value) INTO(type, member), .base = (value)

/* ROW, or where the rows go on. */
static inline const struct option_row *option_row_at(const struct option_row *row)
{
	while (!row->name && row->more)
		row = row->more;
	return row;
}

#define OPTIONS_EACH(row, rows)                                             \
	for (const struct option_row *row = option_row_at(rows); row->name; \
	     row = option_row_at(row + 1))

/* The last row of every command's options; it stands in the group of the row before. */
#define OPTION_HELP_ROW                                       \
	{                                                     \
		'h', "help", NULL, "print this help and exit" \
	}

struct command;

/* Read the options in ARGV of COMMAND into OPTIONS, as its rows say (--help is answered here).
 * Returns the index of the first operand, 0 when help was printed and nothing is left to do, or
 * -EINVAL after having said on stderr what is wrong. */
int options_read(const struct command *command, int argc, char **argv, void *options);

/* Whether ROW takes a value, and must have one. */
static inline bool option_needs_value(const struct option_row *row)
{
	return row->argument && *row->argument != '[';
}

/* Walk the words of CHOICES: *CHOICES moves on to the next word.  Returns the length of the word
 * at *RET_WORD, 0 at the end. */
int choice_next(const char **choices, const char **ret_word);
