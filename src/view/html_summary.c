// SPDX-License-Identifier: BSD-2-Clause
#include "view/html_section.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

/* Whose time it was, how it was taken, and the accounting. */

static void print_fact(FILE *out, const char *name, const char *value)
{
	if (!*value)
		return;
	(void)fprintf(out, "<div><dt>%s<dd>", name);
	html_print_name(out, value);
	(void)fputs("</div>\n", out);
}

static void print_seconds(FILE *out, const char *name, uint64_t nanoseconds)
{
	char text[40];

	(void)snprintf(text, sizeof(text), "%.2f s", (double)nanoseconds / 1e9);
	print_fact(out, name, nanoseconds ? text : "");
}

static void print_clock(FILE *out, const struct profile *profile)
{
	const struct profile_facts *facts = &profile->facts;
	const char *event = profile_text(profile, facts->event);
	uint64_t rate;
	char text[160];

	if (!facts->period_ns) {
		(void)snprintf(text, sizeof(text), "%.100s, one sample each %s", event,
			       text_count(facts->period).text);
		print_fact(out, facts->period ? "event" : "clock",
			   facts->period > 1 ? text : event);
		return;
	}
	rate = (uint64_t)(1e9 / (double)facts->period_ns + 0.5);
	(void)snprintf(text, sizeof(text), "%s Hz%s%.100s", text_count(rate).text,
		       *event ? ", " : "", event);
	print_fact(out, "clock", text);
}

static void print_facts(const struct html_part *part)
{
	const struct profile *profile = part->view->profile;
	const struct profile_facts *facts = &profile->facts;
	FILE *out = part->section->out;

	(void)fputs("<dl class=facts>\n", out);
	print_fact(out, "samples", text_count(part->section->account.total).text);
	print_seconds(out, "CPU time", facts->cpu_ns);
	print_seconds(out, "elapsed", facts->duration_ns);
	print_clock(out, profile);
	print_fact(out, "engine", profile_text(profile, facts->engine));
	print_fact(out, "taken", text_date(facts->time_ns, /* with_seconds= */ false).text);
	print_fact(out, "system", profile_text(profile, facts->system));
	(void)fputs("</dl>\n", out);
}

/* The picture says what the table below it says, so that it is none for those who cannot see it. */
static void print_stripe(const struct html_part *part)
{
	const struct profile_account *account = &part->section->account;
	FILE *out = part->section->out;

	(void)fputs("<div class=whose aria-hidden=true>", out);
	for (int i = 0; i < PROFILE_CLASSES; i++)
		if (account->ticks[i])
			(void)fprintf(out, "<span class=c%d style=flex-grow:%" PRIu64 "></span>", i,
				      account->ticks[i]);
	(void)fputs("</div>\n", out);
}

static void print_class(const struct html_part *part, int class)
{
	const struct section *section = part->section;
	uint64_t ticks = section->account.ticks[class], total = section->account.total;
	FILE *out = section->out;

	(void)fprintf(out, "<tr class=%s><th scope=row><span class=\"dot c%d\"></span>%s",
		      ticks ? "some" : "none", class,
		      profile_class_name((enum profile_class) class));
	html_print_share(out, ticks, total, section->ranks);
	html_print_interval(out, ticks, total, section->ranks);
	(void)fprintf(out, "<td class=n data-samples=%" PRIu64 ">%s\n", ticks,
		      text_count(ticks).text);
}

static void print_classes(const struct html_part *part)
{
	const struct section *section = part->section;
	FILE *out = section->out;

	(void)fprintf(out,
		      "<table class=classes><caption class=vh>Samples by whose code they were in"
		      "</caption><thead><tr><th scope=col>whose %s%s<th scope=col class=n>samples"
		      "</thead><tbody>\n",
		      section->profile->facts.period ? "code" : "time",
		      section->ranks
			      ? "<th scope=col class=n>share<th scope=col class=v>95 % interval"
			      : "");
	for (int i = 0; i < PROFILE_CLASSES; i++)
		if (section->account.listed[i])
			print_class(part, i);
	(void)fprintf(out,
		      "</tbody><tfoot><tr><th scope=row>all%s<td class=n data-samples=%" PRIu64
		      ">%s"
		      "</tfoot></table>\n",
		      section->ranks ? "<td class=n>100.0 %<td class=v>" : "",
		      section->account.total, text_count(section->account.total).text);
}

/* What threads did with all of their time, if that is known: drawn, and in words. */
static int print_lives(const struct section *section, const void *context)
{
	return lives_print(section);
}

static int print_time(const struct html_part *part)
{
	static const char *const classes[LIFE_STATES] = {
		[LIFE_RUNNING] = "on", [LIFE_QUEUED] = "queued", [LIFE_BLOCKED] = "blocked"};
	const struct html_view *view = part->view;
	FILE *out = part->section->out;
	int ret;

	if (!view->apart_count || !view->apart[0]->has_lives)
		return 0;
	(void)fputs("<section id=time aria-labelledby=time-title>\n"
		    "<h2 id=time-title>What threads did</h2>\n"
		    "<div class=whose aria-hidden=true>",
		    out);
	for (int i = 0; i < LIFE_STATES; i++)
		if (view->apart[0]->lives[i])
			(void)fprintf(out, "<span class=%s style=flex-grow:%" PRIu64 "></span>",
				      classes[i], view->apart[0]->lives[i]);
	(void)fputs("</div>\n<p class=legend aria-hidden=true><span class=\"dot on\"></span>on CPU "
		    "<span class=\"dot queued\"></span>waiting for a CPU "
		    "<span class=\"dot blocked\"></span>blocked</p>\n",
		    out);
	(void)fputs("<div class=account>\n", out);
	ret = html_print_lines(part->section, print_lives, NULL, "p");
	(void)fputs("</div>\n</section>\n", out);
	return ret;
}

static int print_account(const struct section *section, const void *context)
{
	if (section->table->has_totals) {
		paths_print(section);
		paths_print_reasons(section);
	}
	head_print_no_stacks(section);
	account_print(section, /* intervals= */ true);
	return 0;
}

static int print_notes(const struct section *section, const void *context)
{
	return notes_print(section);
}

int html_summary(const struct html_part *part)
{
	const struct section *section = part->section;
	FILE *out = section->out;
	int ret;

	print_facts(part);
	ret = print_time(part);
	if (ret)
		return ret;
	(void)fprintf(out,
		      "<section id=summary aria-labelledby=summary-title>\n"
		      "<h2 id=summary-title>Whose %s it was</h2>\n",
		      section->profile->facts.period ? "code" : "time");
	print_stripe(part);
	(void)fputs("<div class=sides>\n", out);
	print_classes(part);
	(void)fprintf(out, "<div id=account class=\"account%s\">\n",
		      section->profile->facts.samples == section->account.total ? "" : " bad");
	ret = html_print_lines(section, print_account, NULL, "p");
	(void)fputs("</div>\n</div>\n<ul class=notes>\n", out);
	if (!ret)
		ret = html_print_lines(section, print_notes, NULL, "li");
	(void)fputs("</ul>\n</section>\n", out);
	return ret;
}
