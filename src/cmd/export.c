// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "analysis/inlines.h"
#include "analysis/tree.h"
#include "cmd/reading.h"
#include "cmd/shared.h"
#include "format/format.h"

#include <errno.h>

enum {
	KEY_TO = KEY_OWN,
};

#define FORMATS                                                                                 \
	"pprof|folded|callgrind|speedscope|firefox|perf-script|llvm|gmon|gmon-4.4bsd|gmon-bsd|" \
	"mon|prf"

const struct option_row export_options[] = {
	{KEY_TO, "to", "FORMAT", "the format, one of those above", "Options", VALUE_CHOICE,
	 .choices = FORMATS},
	OPTION_OUTPUT_ROW(NULL, "write to FILE (gmon.out, mon.out; else standard output)"),
	OPTION_INLINES_ROW("inlined functions as calls (with call stacks)"),
	OPTION_READING_ROWS,
	OPTION_HELP_ROW,
	{0},
};

struct export_options {
	const struct format_ops *format;
	const char *output;
	bool inlines;
	struct reading reading;
};

static int take_option(void *context, int key, const struct option_value *value)
{
	struct export_options *options = context;

	switch (key) {
	case KEY_TO:
		options->format = format_called(value->text);
		break;
	case KEY_INLINES:
		options->inlines = true;
		break;
	case 'o':
		options->output = value->text;
		break;
	default:
		return reading_take(&options->reading, key, value);
	}
	return 0;
}

/* Returns the exit status. */
static int write_out(void *context, struct profile *profile)
{
	const struct export_options *options = context;
	const char *path = options->output ? options->output : options->format->usual;
	struct error error = {""}, left = {""};
	int ret;

	if (options->inlines && !tree_has_stacks(profile))
		return cmd_fail("--inlines: the profile has no call stacks: take it with -g");
	ret = reading_name_now(profile, &error);
	if (ret >= 0 && options->inlines)
		ret = inlines_open(profile);
	if (ret >= 0)
		ret = options->format->write(profile, path, &left, &error);
	if (ret < 0 && !path && ret != -EINVAL && ret != -ENOTSUP)
		return cmd_fail_output(-ret);
	if (ret < 0)
		return cmd_fail_error(ret, &error);
	if (*left.text)
		(void)cmd_fail("%s: %s", options->format->name, left.text);
	return 0;
}

int command_export(int argc, char **argv)
{
	struct export_options options = {0};
	int first;

	first = options_read(command_find("export"), argc, argv, take_option, &options);
	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (!options.format)
		return cmd_fail("export: no format: say --to with one of " FORMATS);
	if (options.inlines && !options.format->calls_inlined)
		return cmd_fail("--inlines: it is for folded, callgrind, speedscope and firefox, "
				"not for %s",
				options.format->name);
	if (reading_operand("export", argc - first, argv + first, &options.reading.file))
		return EXIT_PROFIL;
	return reading_show(&options.reading, write_out, &options);
}
