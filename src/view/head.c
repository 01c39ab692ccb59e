// SPDX-License-Identifier: BSD-2-Clause
#include "view/layout.h"
#include "view/section.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS 1e9

/* Whose clock it was, in words: CLOCK is as the facts have it. */
static const char *clock_text(const char *clock)
{
	if (!strcmp(clock, "machine"))
		return "per-CPU";
	return !strcmp(clock, "task") ? "per-thread" : clock;
}

int head_describe(const struct section *section, char **ret_text)
{
	const struct profile *profile = section->profile;
	const struct profile_facts *facts = &profile->facts;
	const char *engine = profile_text(profile, facts->engine);
	const char *clock = profile_text(profile, facts->clock);
	size_t size;
	FILE *text = open_memstream(ret_text, &size);

	if (!text)
		return -ENOMEM;
	if (facts->cpu_ns)
		(void)fprintf(text, "%.2f s of CPU", (double)facts->cpu_ns / SECOND_NS);
	if (facts->duration_ns)
		(void)fprintf(text, facts->cpu_ns ? " in %.2f s" : "%.2f s elapsed",
			      (double)facts->duration_ns / SECOND_NS);
	if (facts->duration_ns && facts->runs > 1)
		(void)fprintf(text, ", the sum of %s runs", text_count(facts->runs).text);
	if (facts->cpu_ns || facts->duration_ns)
		(void)fputs(", ", text);
	(void)fputs(text_many(section->account.total, "sample").text, text);
	if (facts->period_ns)
		(void)fprintf(
			text, " at %s Hz",
			text_count((uint64_t)(SECOND_NS / (double)facts->period_ns + 0.5)).text);
	else if (facts->period) {
		(void)fputs(" of ", text);
		text_print(text, profile_text(profile, facts->event));
		if (facts->period > 1)
			(void)fprintf(text, ", one each %s", text_count(facts->period).text);
		(void)fprintf(text, " (%s engine)", engine);
	}
	if (*engine && *clock)
		(void)fprintf(text, " (%s engine, %s clock)", engine, clock_text(clock));
	/* Short of memory at the very end, glibc closes well and leaves no text. */
	if (fclose(text) == 0 && *ret_text)
		return 0;
	free(*ret_text);
	return -ENOMEM;
}

const char *head_subject(const struct section *section)
{
	const char *command = profile_text(section->profile, section->profile->facts.command);

	if (*command)
		return command;
	return section->style->file ? section->style->file : "a profile";
}

/* What most reports have and this one has not, and nobody asked for that. */
void head_print_no_stacks(const struct section *section)
{
	const char *why = profile_text(section->profile, section->profile->facts.no_stacks);
	bool color = section->style->color;

	if (!*why)
		return;
	(void)fprintf(section->out, "%sno call stacks: ", color ? INK_WARN : "");
	text_print(section->out, why);
	(void)fprintf(section->out, "%s\n", color ? INK_END : "");
}

/* NAME and what is told of it on one line, or on two where the page is too narrow. */
static int print_subject(const struct section *section, const char *description)
{
	static const char prefix[] = "profil: ";
	const struct report_style *style = section->style;
	const char *name = head_subject(section);
	size_t width = strlen(prefix) + text_width(name, style->utf8) + strlen(" - ") +
		       text_width(description, style->utf8);
	bool fits = !style->width || width <= style->width;
	char *cut = text_cut(name, fits ? SIZE_MAX : style->width - strlen(prefix), style->utf8);

	if (!cut)
		return -ENOMEM;
	(void)fprintf(section->out, "%s%s", prefix, style->color ? INK_STRONG : "");
	text_print(section->out, cut);
	(void)fprintf(section->out, "%s%s%s%s", style->color ? INK_END : "", fits ? " " : "\n",
		      fits ? section->marks->dot : "", fits ? " " : "");
	text_print(section->out, description);
	(void)fputc('\n', section->out);
	free(cut);
	return 0;
}

static int print_what_and_how(const struct section *section)
{
	char *description;
	int ret;

	ret = head_describe(section, &description);
	if (ret < 0)
		return ret;
	ret = print_subject(section, description);
	free(description);
	return ret;
}

static struct text_number class_amount(const struct section *section, enum profile_class class)
{
	uint64_t ticks = section->account.ticks[class];

	if (!section->ranks)
		return text_count(ticks);
	return text_share((double)ticks / (double)section->account.total);
}

static size_t classes_width(const struct section *section)
{
	size_t width = 0;

	for (int i = 0; i < PROFILE_CLASSES; i++) {
		enum profile_class class = (enum profile_class)i;

		if (!section->account.listed[i])
			continue;
		width += strlen(profile_class_name(class)) + 1 +
			 strlen(class_amount(section, class).text) + (i ? 3 : 0);
	}
	return width;
}

/* Whose time it was, which is what most people want to know first.  Where the line is too long for
 * the page, the classes that had nothing are left out. */
static void print_classes(const struct section *section)
{
	bool color = section->style->color;
	bool fold = section->style->width && classes_width(section) > section->style->width;
	const char *gap = "";

	for (int i = 0; i < PROFILE_CLASSES; i++) {
		enum profile_class class = (enum profile_class)i;

		if (!section->account.listed[i] || (fold && !section->account.ticks[class]))
			continue;
		(void)fprintf(section->out, "%s%s%s%s %s", gap, color ? section_ink(class) : "",
			      profile_class_name(class), color ? INK_END : "",
			      class_amount(section, class).text);
		gap = "   ";
	}
	(void)fputc('\n', section->out);
}

int head_print(const struct section *section)
{
	int ret;

	print_classes(section);
	ret = print_what_and_how(section);
	if (!ret)
		ret = lives_print(section);
	if (ret)
		return ret;
	head_print_no_stacks(section);
	(void)fputc('\n', section->out);
	return 0;
}
