// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "analysis/callgraph.h"
#include "analysis/callgraph_doubt.h"
#include "analysis/table.h"
#include "base/path.h"
#include "base/progress.h"
#include "cmd/reading.h"
#include "cmd/shared.h"
#include "profile/merge.h"
#include "view/gprof.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define GMON_USUAL "gmon.out"

struct gprof_options {
	struct reading reading; /* the filter and the form alone */
	struct gprof_style style;
	const char *only, *but_not;
	regex_t regexes[2];
};

const struct option_row gprof_options[] = {
	{'p', "flat-profile", NULL, "the flat profile alone", "Parts",
	 SETS(struct gprof_options, style.no_graph, true)},
	{'q', "graph", NULL, "the call graph alone",
	 SETS(struct gprof_options, style.no_flat, true)},
	OPTION_FUNCTION_ROW('f', INTO(struct gprof_options, only)),
	{'e', "except", "REGEX", "no functions that match this extended regex", NULL, VALUE_TEXT,
	 INTO(struct gprof_options, but_not)},
	OPTION_FILTER_ROWS,

	{'b', "brief", NULL, "without explanations", "Form",
	 SETS(struct gprof_options, style.brief, true)},
	{0, "traditional", NULL, "gprof's columns and calls, and no others",
	 SETS(struct gprof_options, style.traditional, true)},
	OPTION_JSON_ROW(NULL),
	OPTION_CSV_ROW("print comma-separated values: functions, with -q calls"),
	OPTION_MARKDOWN_ROW("print tables in Markdown"),
	OPTION_HELP_ROW,
	{0},
};

/* The profiles on their way to one. */
struct adding {
	const struct filter *filter;
	struct merge *merge;
	struct doubts *doubts;
	struct symbols *symbols;
	const char *program; /* whose file the next profiles are of; NULL: they say it themselves */
	size_t count;
};

static bool is_program(const char *path)
{
	char mark[SELFMAG];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is_elf = fd >= 0 && read(fd, mark, sizeof(mark)) == sizeof(mark) &&
		      !memcmp(mark, ELFMAG, SELFMAG);

	if (fd >= 0)
		(void)close(fd);
	return is_elf;
}

/* What libprofil-gmon numbers files of one name by, from .2 on, for a library that was loaded more
 * than once: how much LIBRARY, of LENGTH, is longer by that. */
static size_t number_length(const char *library, size_t length)
{
	size_t digits = 0;

	while (digits < length && isdigit((unsigned char)library[length - 1 - digits]))
		digits++;
	return digits && digits < length && library[length - 1 - digits] == '.' ? digits + 1 : 0;
}

/* libprofil-gmon's gmon.libx.so.1.out is of libx.so.1, which is what its file is called or the
 * beginning of that: taken for the program's, its ticks would get the program's names. */
static int check_name(const char *file, const char *program, struct error *reterr)
{
	const char *base = path_base(file), *end = strstr(base, ".out");
	const char *of = path_base(program), *library = base + strlen("gmon.");
	size_t length;

	if (strncmp(base, "gmon.", strlen("gmon.")) || !end || end <= library)
		return 0;
	length = (size_t)(end - library);
	if (!memmem(library, length, ".so", 3) || !strncmp(library, of, length) ||
	    !strncmp(library, of, length - number_length(library, length)))
		return 0;
	return error_set(reterr, -EINVAL,
			 "%s: is of %.*s, not of %s: name that library's file before it", file,
			 (int)length, library, of);
}

static int add_profile(struct adding *adding, struct profile *profile, const char *file,
		       struct error *reterr)
{
	struct callgraph *graph;
	int ret = reading_name(profile, adding->symbols);

	if (ret >= 0)
		ret = callgraph_build(profile, &graph);
	if (ret < 0)
		return ret;
	ret = doubts_add(adding->doubts, graph);
	(void)callgraph_free(graph);
	return ret < 0 ? ret : merge_add(adding->merge, profile, file, reterr);
}

static int add_file(struct adding *adding, const char *file, struct error *reterr)
{
	struct format_hints hints = {.program = adding->program};
	struct profile *profile;
	int ret = adding->program ? check_name(file, adding->program, reterr) : 0;

	if (ret >= 0 && access(file, F_OK))
		ret = error_set(reterr, -errno,
				"%s: %s: give what a program compiled with -pg leaves when it ends",
				file, strerror(errno));
	if (ret >= 0)
		ret = reading_part(file, &hints, adding->filter, &profile, reterr);
	if (ret < 0)
		return ret;
	ret = add_profile(adding, profile, file, reterr);
	(void)profile_free(profile);
	adding->count++;
	return ret;
}

/* A program or library among the words is whose the files behind it are. */
static int add_words(struct adding *adding, char **words, size_t count, struct error *reterr)
{
	int ret = 0;

	for (size_t i = 0; i < count && ret >= 0; i++) {
		if (is_program(words[i]))
			adding->program = words[i];
		else
			ret = add_file(adding, words[i], reterr);
	}
	if (ret >= 0 && !adding->count)
		ret = add_file(adding, adding->program ? GMON_USUAL : PROFILE_USUAL, reterr);
	return ret;
}

static int add_up(char **words, size_t count, struct adding *adding, struct profile **ret_sum,
		  struct error *reterr)
{
	int ret = adding->merge && adding->doubts ? 0 : -ENOMEM;

	progress_open(STDERR_FILENO);
	if (ret >= 0)
		ret = symbols_open(&(struct symbols_options){0}, &adding->symbols, reterr);
	if (ret < 0)
		return ret;
	ret = add_words(adding, words, count, reterr);
	if (ret >= 0)
		ret = merge_sum(adding->merge, ret_sum);
	(void)symbols_close(adding->symbols);
	return ret;
}

/* As gprof has it, who knows of no call whose caller is in no symbol table it has. */
static void forget_unknown_callers(struct profile *profile)
{
	size_t count = 0;

	for (size_t i = 0; i < profile->call_count; i++)
		if (profile->calls[i].caller != PROFILE_NO_CALLER)
			profile->calls[count++] = profile->calls[i];
	profile->call_count = count;
}

/* Returns the exit status. */
static int print(const struct gprof_options *options, const struct profile *sum,
		 struct doubts *doubts)
{
	struct report_style page;
	struct gprof_style style = options->style;
	struct gprof gprof = {.profile = sum, .doubts = doubts};
	struct callgraph *graph;
	FILE *out = reading_output(options->reading.form);
	int ret = callgraph_build(sum, &graph), why;

	if (ret < 0)
		return cmd_fail_error(ret, &(struct error){""});
	report_style_detect(stdout, &page);
	style.form = options->reading.form;
	style.utf8 = page.utf8;
	gprof.graph = graph;
	ret = doubts_settle(doubts, graph);
	if (ret >= 0)
		ret = out ? gprof_print(out, &gprof, &style) : -ENOMEM;
	why = errno;
	(void)callgraph_free(graph);
	return cmd_printed(ret, why);
}

/* Returns the exit status. */
static int show(const struct gprof_options *options, char **words, size_t count)
{
	struct adding adding = {
		.filter = &options->reading.filter, .merge = merge_new(), .doubts = doubts_new()};
	struct error error = {""};
	struct profile *sum;
	int ret = add_up(words, count, &adding, &sum, &error), status;

	if (ret < 0) {
		status = cmd_fail_error(ret, &error);
	} else {
		if (options->style.traditional)
			forget_unknown_callers(sum);
		status = print(options, sum, adding.doubts);
		(void)profile_free(sum);
	}
	(void)merge_free(adding.merge);
	(void)doubts_free(adding.doubts);
	return status;
}

static int compile(const char *option, const char *pattern, regex_t *regex,
		   const regex_t **ret_regex, struct error *reterr)
{
	if (!pattern)
		return 0;
	if (table_compile_function(pattern, regex, NULL))
		return error_set(reterr, -EINVAL,
				 "--%s '%s': not a pattern: give an extended regex (regex(7))",
				 option, pattern);
	*ret_regex = regex;
	return 0;
}

int command_gprof(int argc, char **argv)
{
	struct gprof_options options = {0};
	struct error error = {""};
	int first = options_read(command_find("gprof"), argc, argv, &options), ret;
	int status;

	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (options.style.no_flat && options.style.no_graph)
		options.style.no_flat = options.style.no_graph = false;
	ret = compile("function", options.only, &options.regexes[0], &options.style.only, &error);
	if (ret >= 0)
		ret = compile("except", options.but_not, &options.regexes[1],
			      &options.style.but_not, &error);
	status = ret < 0 ? cmd_fail_error(ret, &error)
			 : show(&options, argv + first, (size_t)(argc - first));
	if (options.style.only)
		regfree(&options.regexes[0]);
	if (options.style.but_not)
		regfree(&options.regexes[1]);
	return status;
}
