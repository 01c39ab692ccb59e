// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "format/format.h"
#include "profile/merge.h"
#include "profile/pprof.h"
#include "view/merged.h"

#include <errno.h>

enum {
	KEY_MAP = OPTION_LONG_ONLY,
	KEY_PROGRAM,
	KEY_JSON,
};

const struct option_row merge_options[] = {
	{'o', "output", "FILE", "write the sum here (needed)", "Profile", VALUE_FILE},
	{KEY_MAP, "map", "FILE", "the MAP file of a DOS program (beside the .PRF)", NULL,
	 VALUE_FILE},
	{KEY_PROGRAM, "program", "FILE", "the program that gmon.out or gperftools' files are of",
	 NULL, VALUE_FILE},
	{KEY_JSON, "json", NULL, "say what was done as one JSON object", "Form"},
	OPTION_HELP_ROW,
	{0},
};

struct merge_options {
	const char *output;
	struct format_hints hints;
	bool json;
};

static int take_option(void *context, int key, const struct option_value *value)
{
	struct merge_options *options = context;

	switch (key) {
	case 'o':
		options->output = value->text;
		break;
	case KEY_MAP:
		options->hints.map = value->text;
		break;
	case KEY_PROGRAM:
		options->hints.program = value->text;
		break;
	case KEY_JSON:
		options->json = true;
		break;
	}
	return 0;
}

/* One profile at a time is in memory beside the sum. */
static int add_file(struct merge *merge, const char *path, const struct format_hints *hints,
		    struct error *reterr)
{
	struct profile *profile;
	int r = format_read(path, hints, &profile, reterr);

	if (r)
		return r;
	r = merge_add(merge, profile, path, reterr);
	profile_free(profile);
	return r;
}

static int add_files(char **paths, size_t count, const struct format_hints *hints,
		     struct profile **ret_sum, struct error *reterr)
{
	struct merge *merge = merge_new();
	int r = merge ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !r; i++)
		r = add_file(merge, paths[i], hints, reterr);
	if (!r)
		r = merge_sum(merge, ret_sum);
	merge_free(merge);
	return r;
}

/* Returns the exit status. */
static int merge_files(const struct merge_options *options, char **paths, size_t count)
{
	struct merged merged = {.path = options->output, .files = count};
	struct error error = {""};
	struct pprof_digest digest;
	struct profile *sum;
	int r;

	r = add_files(paths, count, &options->hints, &sum, &error);
	if (r)
		return cmd_fail_error(r, &error);
	r = pprof_write_digest(sum, options->output, &digest, &error);
	if (!r) {
		merged.sum = sum;
		merged.digest = digest.text;
		merged_print(stdout, &merged, options->json);
	}
	profile_free(sum);
	return r ? cmd_fail_error(r, &error) : 0;
}

int command_merge(int argc, char **argv)
{
	struct merge_options options = {0};
	struct error error = {""};
	int first, r;

	first = options_read(command_find("merge"), argc, argv, take_option, &options);
	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (first == argc)
		return cmd_fail("merge: no files: name the profiles to add up");
	if (!options.output)
		return cmd_fail("merge: no file for the sum: name one with -o");
	/* Before hours of reading, not after. */
	r = pprof_check(options.output, &error);
	if (r)
		return cmd_fail_error(r, &error);
	return merge_files(&options, argv + first, (size_t)(argc - first));
}
