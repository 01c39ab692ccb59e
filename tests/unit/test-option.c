// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* Where the values go: a member of each kind. */
struct taken {
	uint64_t hertz, period;
	enum { NOBODY, MACHINE, TASK } clock;
	uint32_t cells;
	const char *output;
	bool quiet;
	enum { NO_FORM, FIRST, SECOND } form;
	char log[64]; /* of what take() was given */
};

static int take(void *options, const struct option_value *value)
{
	struct taken *taken = options;

	(void)snprintf(taken->log, sizeof(taken->log), "%s:%s", value->name,
		       value->text ? value->text : "-");
	return !strcmp(value->name, "quick");
}

static const struct option_row rows[] = {
	{'F', "frequency", "HZ", "", "One", VALUE_RATE, .min = 1, .max = 100000, .accepted = "RATE",
	 INTO(struct taken, hertz)},
	{0, "period", "TIME", "", NULL, VALUE_TIME, .min = 10000, .max = 1000000000,
	 .accepted = "TIME", INTO(struct taken, period)},
	{0, "clock", "WHOSE", "", NULL, VALUE_CHOICE, .choices = "machine|task",
	 SETS(struct taken, clock, MACHINE)},
	{0, "cells", "N", "", NULL, VALUE_COUNT, .min = 64, .max = 1000, .accepted = "COUNT",
	 INTO(struct taken, cells)},
	{'o', "output", "FILE", "", NULL, VALUE_FILE, INTO(struct taken, output)},
	{'q', "quiet", NULL, "", "Two", SETS(struct taken, quiet, true)},
	{0, "quick", NULL, "", NULL, .take = take},
	{0, "first", NULL, "", NULL, SETS(struct taken, form, FIRST), .alone = "one form"},
	{0, "second", NULL, "", NULL, SETS(struct taken, form, SECOND), .alone = "one form"},
	{0, "match", "[=REGEX]", "", NULL, VALUE_TEXT, SETS(struct taken, quiet, true),
	 .take = take},
	OPTION_HELP_ROW,
	{0},
};

static const struct command program = {.name = "run",
				       .synopsis = "",
				       .sentence = "",
				       .see_also = "",
				       .options = rows,
				       .operand = VALUE_PROGRAM};
static const struct command file = {.name = "report",
				    .synopsis = "",
				    .sentence = "",
				    .see_also = "",
				    .options = rows,
				    .operand = VALUE_FILE};

/* Read LINE, words between blanks; what went to stderr is in SAID. */
static int read_line(const struct command *command, const char *line, struct taken *taken,
		     char *said, size_t said_size)
{
	static char copy[512]; /* texts are in it */
	char *words[32] = {0};
	int count = 0, saved = dup(STDERR_FILENO), r;
	FILE *capture = tmpfile();

	(void)snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		words[count++] = word;
	memset(taken, 0, sizeof(*taken));
	(void)dup2(fileno(capture), STDERR_FILENO);
	r = options_read(command, count, words, taken);
	(void)fflush(stderr);
	(void)dup2(saved, STDERR_FILENO);
	(void)close(saved);
	rewind(capture);
	said[fread(said, 1, said_size - 1, capture)] = '\0';
	(void)fclose(capture);
	return r;
}

static void accepts(const struct command *command, const char *line, int first,
		    const struct taken *expected)
{
	struct taken taken;
	char said[1024];

	assert_int_equal(read_line(command, line, &taken, said, sizeof(said)), first);
	assert_int_equal(taken.hertz, expected->hertz);
	assert_int_equal(taken.period, expected->period);
	assert_int_equal(taken.clock, expected->clock);
	assert_int_equal(taken.cells, expected->cells);
	assert_string_equal(taken.output ? taken.output : "",
			    expected->output ? expected->output : "");
	assert_int_equal(taken.quiet, expected->quiet);
	assert_int_equal(taken.form, expected->form);
	assert_string_equal(taken.log, expected->log);
	assert_string_equal(said, "");
}

#define ACCEPTS(command, line, first, ...) \
	accepts(command, line, first, &(struct taken){__VA_ARGS__})

static void refuses(const char *line, const char *sentence)
{
	struct taken taken;
	char said[1024];

	assert_int_equal(read_line(&program, line, &taken, said, sizeof(said)), -EINVAL);
	assert_string_equal(said, sentence);
}

static void test_values(void **state)
{
	ACCEPTS(&program, "run -F 99 x", 3, .hertz = 99);
	ACCEPTS(&program, "run -F10kHz x", 2, .hertz = 10000);
	ACCEPTS(&program, "run --period=2.5ms", 2, .period = 2500000);
	ACCEPTS(&program, "run --clock task --cells 64", 5, .clock = TASK, .cells = 64);
	ACCEPTS(&program, "run --clock machine", 3, .clock = MACHINE);
	ACCEPTS(&program, "run -qo f", 3, .quiet = true, .output = "f");
	ACCEPTS(&program, "run --per 1s", 3, .period = 1000000000);
	ACCEPTS(&program, "run -F1 -F2", 3, .hertz = 2);
}

static void test_what_goes_together(void **state)
{
	ACCEPTS(&program, "run --first --first", 3, .form = FIRST);
	ACCEPTS(&program, "run --match", 2, .quiet = true, .log = "match:-");
	ACCEPTS(&program, "run --match=x y", 2, .quiet = true, .log = "match:x");
}

static void test_where_options_end(void **state)
{
	ACCEPTS(&program, "run x -q", 1, 0);
	ACCEPTS(&program, "run -q -- -q", 3, .quiet = true);
	ACCEPTS(&file, "report x -q", 2, .quiet = true);
	ACCEPTS(&file, "report -- -q", 2, 0);
	ACCEPTS(&program, "run", 1, 0);
}

static void test_refusals(void **state)
{
	refuses("run --frob", "profil: --frob: unknown option: see 'profil help run'\n");
	refuses("run --frob=3", "profil: --frob: unknown option: see 'profil help run'\n");
	refuses("run -qz", "profil: -z: unknown option: see 'profil help run'\n");
	refuses("run --qui", "profil: --qui: ambiguous option: see 'profil help run'\n");
	refuses("run --clocks=3", "profil: --clocks: unknown option: did you mean --clock?\n");
	refuses("run --perod", "profil: --perod: unknown option: did you mean --period?\n");
	refuses("run --pid=3",
		"profil: --pid: not an option of 'profil run': 'profil report' has it\n");
	refuses("run --object x",
		"profil: --object: not an option of 'profil run': 'profil report' has it\n");
	refuses("run -c 3", "profil: -c: profil samples by the CPU clock: set the time between "
			    "samples with --period\n");
	refuses("run -p", "profil: -p: unknown option: see 'profil help run'\n");
	refuses("run --quiet=1", "profil: --quiet: takes no value: see 'profil help run'\n");
	refuses("run -o", "profil: -o: needs a value, FILE: see 'profil help run'\n");
	refuses("run -F 0", "profil: -F '0': out of range: give RATE\n");
	refuses("run -F x", "profil: -F 'x': not a rate: give RATE\n");
	refuses("run --period 2s", "profil: --period '2s': out of range: give TIME\n");
	refuses("run --period y", "profil: --period 'y': not a time: give TIME\n");
	refuses("run --cells 1.5", "profil: --cells '1.5': not a number: give COUNT\n");
	refuses("run --clock mach", "profil: --clock 'mach': choose from machine, task\n");
	refuses("run --frequency 0", "profil: --frequency '0': out of range: give RATE\n");
	refuses("run --frequency",
		"profil: --frequency: needs a value, HZ: see 'profil help run'\n");
	refuses("run --output=", "profil: --output '': an empty name: give a path\n");
	refuses("run --first --second", "profil: one form\n");
	/* The command itself refused, and has said why. */
	refuses("run --quick", "");
}

static void test_choices(void **state)
{
	const char *choices = "machine|task", *word;

	assert_int_equal(choice_next(&choices, &word), 7);
	assert_memory_equal(word, "machine", 7);
	assert_int_equal(choice_next(&choices, &word), 4);
	assert_memory_equal(word, "task", 4);
	assert_int_equal(choice_next(&choices, &word), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_what_goes_together),
		cmocka_unit_test(test_where_options_end),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_choices),
	};

	return cmocka_run_group_tests_name("option", tests, NULL, NULL);
}
