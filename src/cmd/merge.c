// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "base/progress.h"
#include "cmd/reading.h"
#include "cmd/shared.h"
#include "profile/merge.h"
#include "profile/pprof.h"
#include "view/merged.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct merge_options {
	struct reading reading;
	const char *output;
};

const struct option_row merge_options[] = {
	OPTION_OUTPUT_ROW("Profile", "write the sum here (needed)",
			  INTO(struct merge_options, output)),
	OPTION_READING_MAP_ROW,
	OPTION_PROGRAM_ROW("the program that gmon.out or gperftools' files are of",
			   INTO(struct reading, hints.program)),
	OPTION_FILTER_ROWS,
	OPTION_FORM_ROW("json", "say what was done as one JSON object", "Form", REPORT_JSON),
	OPTION_HELP_ROW,
	{0},
};

/* One profile at a time is in memory beside the sum. */
static int add_file(struct merge *merge, const struct reading *reading, const char *path,
		    struct error *reterr)
{
	struct profile *profile;
	int ret = reading_part(path, &reading->hints, &reading->filter, &profile, reterr);

	if (ret)
		return ret;
	ret = merge_add(merge, profile, path, reterr);
	profile_free(profile);
	return ret;
}

static int add_files(const struct reading *reading, char **paths, size_t count,
		     struct profile **ret_sum, struct error *reterr)
{
	struct merge *merge = merge_new();
	int ret = merge ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !ret; i++) {
		progress_at(i, count);
		ret = add_file(merge, reading, paths[i], reterr);
	}
	progress_at(count, count);
	if (!ret)
		ret = merge_sum(merge, ret_sum);
	merge_free(merge);
	return ret;
}

/* Returns the exit status. */
static int merge_files(const struct merge_options *options, char **paths, size_t count)
{
	struct merged merged = {.path = options->output, .files = count};
	struct error error = {""};
	struct pprof_digest digest;
	struct profile *sum = NULL;
	int ret;

	progress_open(STDERR_FILENO);
	progress_begin("merge", "profiles");
	ret = add_files(&options->reading, paths, count, &sum, &error);
	if (!ret)
		ret = pprof_write_digest(sum, options->output, &digest, &error);
	progress_end();
	if (!ret) {
		/* Words behind a sum that goes down a pipe would be a part of it. */
		merged.sum = sum;
		merged.digest = digest.text;
		merged_print(strcmp(options->output, "/dev/stdout") ? stdout : stderr, &merged,
			     options->reading.form == REPORT_JSON);
	}
	profile_free(sum);
	return ret ? cmd_fail_error(ret, &error) : 0;
}

int command_merge(int argc, char **argv)
{
	struct merge_options options = {0};
	struct error error = {""};
	int first, ret;

	first = options_read(command_find("merge"), argc, argv, &options);
	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (first == argc)
		return cmd_fail("merge: no files: name the profiles to add up");
	if (!options.output)
		return cmd_fail("merge: no file for the sum: name one with -o");
	/* Before hours of reading, not after. */
	ret = pprof_check(options.output, /* how= */ 0, &error);
	if (ret)
		return cmd_fail_error(ret, &error);
	return merge_files(&options, argv + first, (size_t)(argc - first));
}
