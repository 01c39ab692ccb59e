// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "analysis/inlines.h"
#include "analysis/tree.h"
#include "cmd/reading.h"
#include "cmd/shared.h"
#include "format/format.h"

#include <errno.h>

struct export_options {
	struct reading reading;
	const char *to;
	const struct format_ops *format; /* of that name */
	const char *output;
	const char *object; /* only samples in this file; NULL: all */
	bool inlines;
	uint32_t value; /* 0: samples; or the enum histogram_value and 1 */
};

#define FORMATS                                                                                  \
	"pprof|folded|callgrind|speedscope|firefox|perf-script|llvm|llvm-contexts|bolt|autofdo|" \
	"gmon|gmon-4.4bsd|gmon-bsd|"                                                             \
	"mon|prf"

const struct option_row export_options[] = {
	{0, "to", "FORMAT", "the format, one of those above", "Options", VALUE_CHOICE,
	 .choices = FORMATS, INTO(struct export_options, to)},
	OPTION_OUTPUT_ROW(NULL, "write to FILE (gmon.out, mon.out; else standard output)",
			  INTO(struct export_options, output)),
	OPTION_INLINES_ROW("inlined functions as calls (with call stacks)",
			   SETS(struct export_options, inlines, true)),
	OPTION_VALUE_ROW("what is added up: cpu (samples), blocked, runqueue, wall ...",
			 INTO(struct export_options, value)),
	OPTION_READING_ROWS,
	OPTION_OBJECT_ROW("only samples in this file, by base name or path",
			  INTO(struct export_options, object)),
	OPTION_HELP_ROW,
	{0},
};

/* Make PROFILE what is to be written of it.  Returns 0, or -errno with a sentence. */
static int prepare(const struct export_options *options, struct profile *profile,
		   struct error *reterr)
{
	int ret = 0;

	if (options->inlines && !tree_has_stacks(profile))
		return error_set(reterr, -EINVAL,
				 "--inlines: the profile has no call stacks: take it with -g");
	if (options->object)
		ret = filter_object(options->object, profile, reterr);
	if (ret >= 0)
		ret = reading_name_now(profile, reterr);
	if (ret >= 0 && options->value)
		ret = filter_value(options->value - 1, profile, reterr);
	if (ret >= 0 && options->inlines)
		ret = inlines_open(profile);
	return ret;
}

/* Returns the exit status. */
static int write_out(void *context, struct profile *profile)
{
	const struct export_options *options = context;
	const char *path = options->output ? options->output : options->format->usual;
	struct error error = {""}, left = {""};
	int ret = prepare(options, profile, &error);

	if (ret < 0)
		return cmd_fail_error(ret, &error);
	ret = options->format->write(profile, path, &left, &error);
	if (ret < 0 && !path && ret != -EINVAL && ret != -ENOTSUP)
		return cmd_fail_output(-ret);
	if (ret < 0)
		return cmd_fail_error(ret, &error);
	if (*left.text)
		(void)cmd_fail("%s: %s", options->format->name, left.text);
	return 0;
}

static int check(void *context, int *count, char **operands)
{
	struct export_options *options = context;

	if (!options->to)
		return cmd_fail("export: no format: say --to with one of " FORMATS);
	options->format = format_called(options->to);
	if (options->inlines && !options->format->calls_inlined)
		return cmd_fail("--inlines: it is for folded, callgrind, speedscope and firefox, "
				"not for %s",
				options->to);
	if (options->value && !options->format->calls_inlined)
		return cmd_fail("--value: it is for folded, callgrind, speedscope and firefox, "
				"not for %s",
				options->to);
	return 0;
}

int command_export(int argc, char **argv)
{
	struct export_options options = {0};

	return reading_run("export", argc, argv, &options, check, write_out);
}
