// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/reading.h"

#include "analysis/names.h"
#include "base/progress.h"
#include "base/visible.h"
#include "cmd/command.h"
#include "cmd/naming.h"
#include "symbol/fetch.h"

#include <errno.h>
#include <unistd.h>

int reading_open(const char *file, const struct format_hints *hints, struct profile **ret_profile,
		 struct error *reterr)
{
	int ret = format_read(file ? file : PROFILE_USUAL, hints, ret_profile, reterr);

	if (ret == -ENOENT && !file)
		return error_set(reterr, ret,
				 PROFILE_USUAL
				 ": no profile yet: run 'profil PROGRAM' first, or name a file");
	return ret;
}

int reading_part(const char *file, const struct format_hints *hints, const struct filter *filter,
		 struct profile **ret_profile, struct error *reterr)
{
	struct error why = {""};
	int ret = reading_open(file, hints, ret_profile, reterr);

	if (ret < 0)
		return ret;
	ret = filter_apply(filter, *ret_profile, &why);
	if (ret < 0)
		*ret_profile = profile_free(*ret_profile);
	return *why.text ? error_set(reterr, ret, "%s: %s", file, why.text) : ret;
}

/* Returns the exit status. */
static int read_and_show(const struct reading *reading, void *options,
			 int (*show)(void *options, struct profile *profile))
{
	struct error error = {""};
	struct profile *profile;
	int status, ret;

	progress_open(STDERR_FILENO);
	ret = reading_open(reading->file, &reading->hints, &profile, &error);
	if (ret < 0)
		return cmd_fail_error(ret, &error);
	ret = filter_apply(&reading->filter, profile, &error);
	if (!ret && reading->under)
		ret = reading_name_now(profile, &error);
	if (!ret && reading->under)
		ret = filter_under(reading->under, profile, &error);
	status = ret ? cmd_fail_error(ret, &error) : show(options, profile);
	(void)profile_free(profile);
	return status;
}

int reading_run(const char *name, int argc, char **argv, void *options,
		int (*check)(void *options, int *count, char **operands),
		int (*show)(void *options, struct profile *profile))
{
	struct reading *reading = options;
	int first = options_read(command_find(name), argc, argv, options), count = argc - first;
	int status = 0;

	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (check)
		status = check(options, &count, argv + first);
	if (status)
		return status;
	if (count + !!reading->file > 1)
		return cmd_fail("%s: more than one file: name one", name);
	if (count)
		reading->file = argv[first];
	return read_and_show(reading, options, show);
}

/* A file that was named to the reader has an identity; one that a foreign profile names has none.
 */
static bool files_are_here(const struct profile *profile)
{
	for (size_t i = 0; i < profile->mapping_count; i++)
		if (profile->mappings[i].identity.inode)
			return true;
	return false;
}

int reading_name(struct profile *profile, struct symbols *symbols)
{
	if (profile->facts.foreign && (profile_has_names(profile) || !files_are_here(profile)))
		return 0;
	/* A search that was stopped has left some without. */
	return names_resolve(profile, symbols);
}

int reading_name_now(struct profile *profile, struct error *reterr)
{
	struct symbols *symbols;
	int ret = symbols_open(&(struct symbols_options){0}, &symbols, reterr);

	if (ret < 0)
		return ret;
	ret = reading_name(profile, symbols);
	naming_say(FETCH_TIMEOUT_NS, "try again, or unset DEBUGINFOD_URLS");
	(void)symbols_close(symbols);
	return ret;
}

void reading_color(enum reading_color color, struct report_style *style)
{
	if (color != COLOR_AUTO)
		style->color = color == COLOR_ALWAYS;
}

void reading_style(const struct reading *reading, struct report_style *ret_style)
{
	report_style_detect(stdout, ret_style);
	ret_style->form = reading->form;
	ret_style->file = reading->file ? reading->file : PROFILE_USUAL;
	reading_color(reading->color, ret_style);
}

FILE *reading_output(enum report_form form)
{
	static FILE *visible;

	if (form != REPORT_CSV)
		return stdout;
	if (!visible)
		visible = visible_open(stdout);
	return visible;
}
