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

static const struct option_row rows[] = {
	{'F', "frequency", "HZ", "", "One", VALUE_RATE, .min = 1, .max = 100000,
	 .accepted = "RATE"},
	{300, "period", "TIME", "", NULL, VALUE_TIME, .min = 10000, .max = 1000000000,
	 .accepted = "TIME"},
	{301, "clock", "WHOSE", "", NULL, VALUE_CHOICE, .choices = "machine|task"},
	{302, "cells", "N", "", NULL, VALUE_COUNT, .min = 64, .max = 1000, .accepted = "COUNT"},
	{'o', "output", "FILE", "", NULL, VALUE_FILE},
	{'q', "quiet", NULL, "", "Two"},
	{303, "quick", NULL, "", NULL},
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

/* What was taken, as "key=number:text " each. */
struct taken {
	char text[512];
};

static int take(void *context, int key, const struct option_value *value)
{
	struct taken *taken = context;
	size_t length = strlen(taken->text);

	(void)snprintf(taken->text + length, sizeof(taken->text) - length, "%d=%llu:%s ", key,
		       (unsigned long long)value->number, value->text ? value->text : "-");
	return key == 303;
}

/* Read LINE, words between blanks; what went to stderr is in SAID. */
static int read_line(const struct command *command, const char *line, struct taken *taken,
		     char *said, size_t said_size)
{
	char copy[512], *words[32] = {0};
	int count = 0, saved = dup(STDERR_FILENO), r;
	FILE *capture = tmpfile();

	(void)snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		words[count++] = word;
	memset(taken, 0, sizeof(*taken));
	(void)dup2(fileno(capture), STDERR_FILENO);
	r = options_read(command, count, words, take, taken);
	(void)fflush(stderr);
	(void)dup2(saved, STDERR_FILENO);
	(void)close(saved);
	rewind(capture);
	said[fread(said, 1, said_size - 1, capture)] = '\0';
	(void)fclose(capture);
	return r;
}

static void accepts(const struct command *command, const char *line, int first,
		    const char *expected)
{
	struct taken taken;
	char said[1024];

	assert_int_equal(read_line(command, line, &taken, said, sizeof(said)), first);
	assert_string_equal(taken.text, expected);
	assert_string_equal(said, "");
}

static void refuses(const char *line, const char *sentence)
{
	struct taken taken;
	char said[1024];

	assert_int_equal(read_line(&program, line, &taken, said, sizeof(said)), -EINVAL);
	assert_string_equal(said, sentence);
}

static void test_values(void **state)
{
	accepts(&program, "run -F 99 x", 3, "70=99:99 ");
	accepts(&program, "run -F10kHz x", 2, "70=10000:10kHz ");
	accepts(&program, "run --period=2.5ms", 2, "300=2500000:2.5ms ");
	accepts(&program, "run --clock task --cells 64", 5, "301=1:task 302=64:64 ");
	accepts(&program, "run -qo f", 3, "113=0:- 111=0:f ");
	accepts(&program, "run --per 1s", 3, "300=1000000000:1s ");
}

static void test_where_options_end(void **state)
{
	accepts(&program, "run x -q", 1, "");
	accepts(&program, "run -q -- -q", 3, "113=0:- ");
	accepts(&file, "report x -q", 2, "113=0:- ");
	accepts(&file, "report -- -q", 2, "");
	accepts(&program, "run", 1, "");
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
		cmocka_unit_test(test_where_options_end),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_choices),
	};

	return cmocka_run_group_tests_name("option", tests, NULL, NULL);
}
