// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/guess.h"

#include "cmd/command.h"
#include "target/executable.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_NOT_FOUND 127 /* as env(1) has it */

/* The longest word that is compared: longer ones are nothing of profil's. */
#define WORD_MAX 24

/* A word of perf's, and profil's way to the same. */
struct foreign {
	const char *word;
	const char *ours;
};

static const struct foreign commands_of_perf[] = {
	{"stat", "profil does not count events: 'profil PROGRAM' shows where its CPU time went"},
	{"script", "'profil export --to perf-script' prints a profile as 'perf script' does"},
	{"top", "'profil system --for 10s' shows the whole machine"},
	{"list", "profil samples by the CPU clock alone: 'profil doctor' says what works here"},
	{"archive", "a profile holds its symbols: 'profil report' needs no other file"},
	{0},
};

static const struct foreign options_of_perf[] = {
	{"-g", "'profil tree' shows call stacks, which are counted unless --flat says no"},
	{"--call-graph", "call stacks are counted unless --flat says no, by unwind tables"},
	{"-c", "profil samples by the CPU clock: set the time between samples with --period"},
	{"--count", "profil samples by the CPU clock: set the time between samples with --period"},
	{"-i", "the profile is the argument: leave it out"},
	{"--input", "the profile is the argument: leave it out"},
	{"--stdio", "a report is text unless --json or --csv is given: leave it out"},
	{"--no-children", "'profil report' has both, self and total: leave it out"},
	{"--children", "'profil report --sort total' has that first, 'profil tree' shows callers"},
	{"--dsos", "'profil report --object NAME' shows one object"},
	{"--symbols", "'profil report --function REGEX' shows some functions"},
	{0},
};

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* How many characters are missing, too many, wrong or swapped with their neighbour. */
static unsigned distance(const char *a, size_t a_length, const char *b)
{
	unsigned rows[3][WORD_MAX + 1] = {0};
	size_t b_length = strlen(b);

	if (a_length > WORD_MAX || b_length > WORD_MAX)
		return UINT_MAX;
	for (unsigned j = 0; j <= b_length; j++)
		rows[0][j] = j;
	for (unsigned i = 1; i <= a_length; i++) {
		unsigned *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			now[j] = last[j - 1] + (a[i - 1] != b[j - 1]);
			now[j] = least(now[j], least(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
		}
	}
	return rows[a_length % 3][b_length];
}

/* One slip in four characters is still the same word. */
static unsigned slips_allowed(size_t length)
{
	return length < 3 ? 0 : length < 6 ? 1 : 2;
}

static const char *find_foreign(const struct foreign *rows, const char *word, size_t length)
{
	for (; rows->word; rows++)
		if (strlen(rows->word) == length && !strncmp(rows->word, word, length))
			return rows->ours;
	return NULL;
}

static const struct command *nearest_command(const char *word)
{
	unsigned best = slips_allowed(strlen(word)) + 1;
	const struct command *found = NULL;

	for (const struct command *command = commands; command->name; command++) {
		unsigned slips = distance(word, strlen(word), command->name);

		if (slips < best) {
			best = slips;
			found = command;
		}
	}
	return found;
}

int guess_command(const char *word)
{
	const char *ours = find_foreign(commands_of_perf, word, strlen(word));
	const struct command *near = nearest_command(word);
	char *path;

	if (!ours && !near)
		return 0;
	path = executable_path(word);
	free(path);
	if (path)
		return 0;
	if (ours)
		(void)cmd_fail("%s: perf's command, and no program of that name: %s", word, ours);
	else
		(void)cmd_fail("%s: no command and no program: did you mean 'profil %s'?", word,
			       near->name);
	return EXIT_NOT_FOUND;
}

const char *guess_foreign_option(const char *word, int length)
{
	return find_foreign(options_of_perf, word, (size_t)length);
}

const struct option_row *guess_option(const struct option_row *rows, const char *name, int length)
{
	unsigned best = slips_allowed((size_t)length) + 1;
	const struct option_row *found = NULL;

	OPTIONS_EACH(row, rows)
	{
		unsigned slips = distance(name, (size_t)length, row->name);

		if (slips < best) {
			best = slips;
			found = row;
		}
	}
	return found;
}
