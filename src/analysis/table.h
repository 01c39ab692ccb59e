/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <regex.h>

/* A profile as rows: cells added up by what a person asks for. */

/* What a row may be, the FIRST and each OTHER: where code is, and from PROCESS on whose it is; or
 * why a thread waited. */
#define TABLE_BY_EACH(first, other)                                                       \
	first(FUNCTION, "function") other(LINE, "line") other(ADDRESS, "address")         \
		other(OBJECT, "object") other(PROCESS, "process") other(THREAD, "thread") \
			other(COMM, "comm") other(CPU, "cpu") other(CGROUP, "cgroup")     \
				other(REASON, "reason")

#define TABLE_BY_NUMBER(by, name) TABLE_BY_##by,
enum table_by { TABLE_BY_EACH(TABLE_BY_NUMBER, TABLE_BY_NUMBER) TABLE_BYS };

/* Their names, in that order, as choices. */
#define TABLE_BY_NAME(by, name) name
#define TABLE_BY_CHOICE(by, name) "|" name
#define TABLE_BY_CHOICES TABLE_BY_EACH(TABLE_BY_NAME, TABLE_BY_CHOICE)

/* "function", … ; table_by_parse() returns 0 or -EINVAL. */
const char *table_by_name(enum table_by by);
int table_by_parse(const char *text, enum table_by *ret_by);

/* What threads did with their time: nanoseconds, and how often they waited. */
enum table_life {
	LIFE_RUNNING, /* on a CPU */
	LIFE_QUEUED,  /* waiting for one */
	LIFE_BLOCKED, /* waiting for something else */
	LIFE_STATES,
	LIFE_TIMES_QUEUED = LIFE_STATES,
	LIFE_TIMES_BLOCKED,
	LIFE_VALUES,
};

/* All of the time in STATES, of LIFE_STATES. */
static inline uint64_t table_time(const uint64_t *states)
{
	return ticks_add(ticks_add(states[LIFE_RUNNING], states[LIFE_QUEUED]),
			 states[LIFE_BLOCKED]);
}

struct table_row {
	uint64_t ticks;
	uint64_t total; /* with what it called, where the table has totals */
	/* Where the table has lives: the row's own, and with what it called. */
	uint64_t own[LIFE_VALUES], all[LIFE_STATES];
	uint64_t idle;	      /* no thread's: that of CPUs, samples by their period */
	const char *name;     /* what the row is; text of the profile or of the table */
	const char *function; /* the function's name, "" where the row has many */
	const char *object;   /* base name of its file, "" where the row has many */
	const char *path;     /* the file's full path, "" where the row has many */
	const char *file;     /* source file, "" when unknown or many */
	uint32_t line;	      /* 0 when unknown or many */
	uint64_t address;     /* by address only */
	uint32_t pid, tid;    /* by process or thread only */
	uint32_t cpu;	      /* by CPU only: its number and 1; 0: not known */
	const char *cgroup;   /* by control group only, else "" */
	const char *title;    /* by process only: its command line; "" when unknown */
	enum profile_class class;
	/* What was inlined into the function: by line and address, the innermost function there, ""
	 * for none; by function, table_inlines.h's parts. */
	const char *inlined;
	uint32_t number; /* of the row, as its key was found */
	uint32_t first_part, part_count;
};

/* What a row has in one function that was inlined into the row's. */
struct table_part {
	const char *name; /* text of the profile */
	uint64_t ticks, own[LIFE_VALUES];
	uint32_t row; /* its number */
};

struct tree;
struct tree_functions;

struct table_options {
	enum table_by by;
	const char *object;   /* only objects whose base name or path is this; NULL: all */
	const char *function; /* only functions that match this extended regex; NULL: all */
	bool inlines;	      /* rows by function have parts, for what was inlined into them */
	bool by_total;	      /* most total first, where there are totals */
	bool lives;	      /* all of the time, where the profile has it (--wall) */
	bool of_cells;	      /* the table says which row each cell is in */
	uint32_t value; /* what it counts beside samples, instead of those: its number and 1; 0 */
	/* The tree of all samples, callers first and by FUNCTIONS, where there is one already: rows
	 * by function have its sums as totals.  NULL: it is built for them. */
	const struct tree *tree;
	const struct tree_functions *functions;
};

struct table {
	enum table_by by;
	uint32_t value;		/* what the rows have instead of samples; or 0 */
	bool has_totals;	/* rows are of code, and the profile has call stacks */
	bool has_lives;		/* rows have all of the time of threads; */
	bool is_exact;		/* that on a CPU, too, and not samples by their period */
	struct table_row *rows; /* most time or samples first, then by name: the order is total */
	size_t row_count;
	uint32_t *of_cell;	  /* for each cell of the profile, its row; NULL: not asked for */
	struct table_part *parts; /* row by row, most samples first, then by name */
	size_t part_count, part_capacity;
	uint64_t shown; /* samples in the rows (all that pass the filters) */
	uint64_t total; /* samples in the profile */
	uint64_t shown_lives[LIFE_VALUES], lives[LIFE_VALUES]; /* the same */
	uint64_t idle;					       /* of all rows */
	char **owned;					       /* text that only the table has */
	size_t owned_count, owned_capacity;
};

/* Returns 0, -ENOMEM, or with a sentence -EINVAL (bad regex; by process without labels) or -ENOENT
 * (the value was not counted).
 * The table points into PROFILE, which must outlive it. */
int table_build(const struct profile *profile, const struct table_options *options,
		struct table **ret_table, struct error *reterr);
struct table *table_free(struct table *table);

/* PATTERN, an extended regex, as --function takes it.  Returns 0 (then regfree() is the caller's),
 * -ENOMEM, or -EINVAL with a sentence. */
int table_compile_function(const char *pattern, regex_t *ret_regex, struct error *reterr);
