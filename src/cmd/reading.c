// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/reading.h"

#include "analysis/names.h"
#include "base/visible.h"
#include "cmd/command.h"
#include "cmd/naming.h"
#include "cmd/shared.h"
#include "symbol/fetch.h"

#include <errno.h>

int reading_take_form(enum report_form *form, int key)
{
	enum report_form wanted = key == KEY_JSON	? REPORT_JSON
				  : key == KEY_CSV	? REPORT_CSV
				  : key == KEY_MARKDOWN ? REPORT_MARKDOWN
							: *form;

	if (*form != REPORT_TEXT && *form != wanted)
		return cmd_fail("--json, --csv, --markdown: one form at a time: name one");
	*form = wanted;
	return 0;
}

void reading_take_filter(struct filter *filter, int key, const struct option_value *value)
{
	switch (key) {
	case KEY_ONLY_PID:
		filter->pid = (uint32_t)value->number;
		break;
	case KEY_ONLY_TID:
		filter->tid = (uint32_t)value->number;
		break;
	case KEY_ONLY_COMM:
		filter->comm = value->text;
		break;
	}
}

int reading_take(struct reading *reading, int key, const struct option_value *value)
{
	switch (key) {
	case 'i':
		reading->file = value->text;
		break;
	case KEY_MAP:
		reading->hints.map = value->text;
		break;
	case KEY_PROGRAM:
		reading->hints.program = value->text;
		break;
	case KEY_UNDER:
		reading->under = value->text;
		break;
	case KEY_COLOR:
		reading->color = (enum reading_color)value->number;
		break;
	default:
		reading_take_filter(&reading->filter, key, value);
		return reading_take_form(&reading->form, key);
	}
	return 0;
}

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

int reading_operand(const char *name, int count, char **operands, const char **file)
{
	if (count + !!*file > 1)
		return cmd_fail("%s: more than one file: name one", name);
	if (count)
		*file = operands[0];
	return 0;
}

int reading_show(const struct reading *reading, int (*show)(void *context, struct profile *profile),
		 void *context)
{
	struct error error = {""};
	struct profile *profile;
	int status, ret = reading_open(reading->file, &reading->hints, &profile, &error);

	if (ret < 0)
		return cmd_fail_error(ret, &error);
	ret = filter_apply(&reading->filter, profile, &error);
	if (!ret && reading->under)
		ret = reading_name_now(profile, &error);
	if (!ret && reading->under)
		ret = filter_under(reading->under, profile, &error);
	status = ret ? cmd_fail_error(ret, &error) : show(context, profile);
	(void)profile_free(profile);
	return status;
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
