// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/interval.h"
#include "view/layout.h"
#include "view/section.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The accounting: every sample is in one class, and the samples' periods add up to
 * the CPU time that the kernel says was consumed. */

static void print_classes(const struct section *section)
{
	const struct profile_account *account = &section->account;

	const char *plus = "";

	(void)fprintf(section->out, "%s =", text_many(account->total, "sample").text);
	for (int i = 0; i < PROFILE_CLASSES; i++) {
		if (!account->listed[i])
			continue;
		(void)fprintf(section->out, "%s %s %s", plus, text_count(account->ticks[i]).text,
			      profile_class_name((enum profile_class)i));
		plus = " +";
	}
	(void)fputc('\n', section->out);
}

static void print_violation(const struct section *section)
{
	bool color = section->style->color;
	uint64_t taken = section->profile->facts.samples, counted = section->account.total;

	if (taken == counted)
		return;
	(void)fprintf(section->out,
		      "%sTHE ACCOUNTS DO NOT BALANCE: %s samples were taken, %s are counted: do "
		      "not trust "
		      "this profile, and please report it%s\n",
		      color ? INK_ALARM : "", text_count(taken).text, text_count(counted).text,
		      color ? INK_END : "");
}

/* Samples × period in nanoseconds: of all samples, and of those in which something ran. */
static double all_ns(const struct section *section)
{
	const struct profile_facts *facts = &section->profile->facts;

	return (double)facts->samples * (double)facts->period_ns;
}

static double busy_ns(const struct section *section)
{
	uint64_t idle = section->account.ticks[CLASS_IDLE];

	return all_ns(section) - (double)idle * (double)section->profile->facts.period_ns;
}

/* By how much of the CPU time the samples miss it; 0 where that is not known. */
static double deviation(const struct section *section)
{
	const struct profile_facts *facts = &section->profile->facts;

	if (!facts->cpu_ns || !facts->period_ns)
		return 0;
	return busy_ns(section) / (double)facts->cpu_ns - 1;
}

/* In percent with one decimal; never "-0.0". */
static double percent(double share)
{
	return round(1000 * share) / 10 + 0.0;
}

static void print_time(const struct section *section)
{
	const struct profile_facts *facts = &section->profile->facts;

	if (!facts->cpu_ns || !facts->period_ns)
		return;
	(void)fprintf(section->out,
		      "%s%.3f s of CPU consumed, %.3f s in samples %s period (%+.1f %%)\n",
		      facts->cpu_at_least ? "at least " : "", (double)facts->cpu_ns / 1e9,
		      busy_ns(section) / 1e9, section->marks->times, percent(deviation(section)));
}

/* Of an event: how often it came by the kernel's own count, and how much of that is in samples. */
static void print_event(const struct section *section)
{
	const struct profile_facts *facts = &section->profile->facts;
	double sampled = (double)facts->samples * (double)facts->period;
	double lacks = (double)facts->counted - sampled;
	double ends = (double)facts->counters * (double)(facts->period - 1);

	if (!facts->period || !facts->counted)
		return;
	text_print(section->out, profile_text(section->profile, facts->event));
	(void)fprintf(section->out, ": %s counted by the kernel, %s in samples",
		      text_count(facts->counted).text, text_count((uint64_t)sampled).text);
	if (facts->period > 1)
		(void)fprintf(section->out, " %s %s", section->marks->times,
			      text_count(facts->period).text);
	if (lacks > 0 && lacks <= ends)
		(void)fputs(": the rest came after a thread's last sample", section->out);
	else if (lacks != 0)
		(void)fprintf(section->out, ": not explained: %s",
			      text_count((uint64_t)fabs(lacks)).text);
	(void)fputc('\n', section->out);
}

/* What no cause is known for is said as that. */
static void print_unexplained(const struct section *section, double ns)
{
	double period = fmax(1, (double)section->profile->facts.period_ns);
	uint64_t ticks = (uint64_t)llround(ns / period);

	(void)fprintf(section->out, ": not explained: %s", text_many(ticks, "sample").text);
}

static void print_stolen(const struct section *section)
{
	(void)fprintf(section->out, ": %.3f s stolen by the host (steal time)",
		      (double)section->profile->facts.stolen_ns / 1e9);
}

/* Whose samples lack: a CPU that is idle sleeps, and a virtual one is woken late by its host; or
 * the host has kept it from running at all.  A late timer is not made up for. */
static void print_why_short(const struct section *section)
{
	const struct profile_facts *facts = &section->profile->facts;
	double lacks = (double)facts->machine_ns - all_ns(section);
	double idle = (double)facts->idle_ns - (all_ns(section) - busy_ns(section));
	double stolen = (double)facts->stolen_ns;

	if (lacks < 0.02 * (double)facts->machine_ns)
		return;
	if (idle > lacks / 2)
		(void)fputs(
			": most of what is missing was idle: an idle CPU delivers fewer samples "
			"than asked",
			section->out);
	else if (stolen)
		print_stolen(section);
	if (idle <= lacks / 2 && lacks > stolen)
		print_unexplained(section, lacks - stolen);
}

/* Of a whole machine: all the time of all its CPUs, against all samples. */
static void print_machine(const struct section *section)
{
	const struct profile_facts *facts = &section->profile->facts;
	double off;

	if (!facts->machine_ns || !facts->period_ns)
		return;
	off = all_ns(section) / (double)facts->machine_ns - 1;
	(void)fprintf(section->out,
		      "%.3f s on all CPUs, %.3f s of it idle by the kernel's account, %.3f s in "
		      "samples %s period (%+.1f %%)",
		      (double)facts->machine_ns / 1e9, (double)facts->idle_ns / 1e9,
		      all_ns(section) / 1e9, section->marks->times, percent(off));
	print_why_short(section);
	(void)fputc('\n', section->out);
}

/* Chance alone moves a count by its square root at most; beyond 1.96 of those it does once in
 * twenty. Where samples lack, that is the root of those that were due, for of none that came
 * nothing could be off. */
static bool may_be_chance(const struct section *section)
{
	double period = fmax(1, (double)section->profile->facts.period_ns);
	double due = (double)section->profile->facts.cpu_ns / period;
	double ticks = busy_ns(section) / period;

	return fabs(ticks - due) <= 1.96 * sqrt(fmax(ticks, due));
}

/* From this rate on a machine may not come near it.  Why, an interrupt that takes longer than the
 * period or a host that holds timers back, nobody measures. */
#define FAST_HZ 20000

/* Samples that came in a second of CPU time. */
static void print_reached(const struct section *section)
{
	const struct profile_facts *facts = &section->profile->facts;
	double period = (double)facts->period_ns;
	double reached = busy_ns(section) / period / ((double)facts->cpu_ns / 1e9);

	(void)fprintf(section->out, ": %s Hz of %s Hz reached",
		      text_count((uint64_t)llround(reached)).text,
		      text_count((uint64_t)llround(1e9 / period)).text);
}

static bool is_fast(const struct section *section, double lacks)
{
	const struct profile_facts *facts = &section->profile->facts;

	return lacks > (double)facts->stolen_ns && facts->period_ns <= 1000000000 / FAST_HZ;
}

/* By what was measured, or as not explained. */
static void print_why_off(const struct section *section)
{
	const struct profile_facts *facts = &section->profile->facts;
	double lacks = (double)facts->cpu_ns - busy_ns(section);
	double stolen = (double)facts->stolen_ns;

	if (may_be_chance(section))
		(void)fputs(": so few samples may differ by chance", section->out);
	else if (lacks > 0 && facts->remainder_ns)
		(void)fputs(
			strcmp(profile_text(section->profile, facts->engine), "timer") != 0
				? ": a per-thread clock does not see the end of each thread's life"
				: ": timers do not see or enter everything",
			section->out);
	else {
		if (is_fast(section, lacks))
			print_reached(section);
		if (stolen)
			print_stolen(section);
		if (fabs(lacks) > stolen)
			print_unexplained(section, fabs(lacks) - stolen);
	}
}

static void print_deviation(const struct section *section)
{
	double off = deviation(section);

	if (fabs(off) <= 0.02)
		return;
	(void)fprintf(section->out, "%ssamples account for %.1f %% %s than was consumed",
		      section->style->color ? INK_WARN : "", 100 * fabs(off),
		      off < 0 ? "less" : "more");
	print_why_off(section);
	(void)fprintf(section->out, "%s\n", section->style->color ? INK_END : "");
}

/* How to read rows of a value. */
static void print_reading_value(const struct section *section)
{
	const struct table *table = section->table;
	const char *faint = section->style->color ? INK_FAINT : INK_NONE;
	const char *end = *faint ? INK_END : "";

	if (table)
		(void)fprintf(section->out, "%s%s: of %s %s%s%s%s%s\n", faint,
			      table->has_totals ? "self, total" : "share",
			      section_amount(section, table->total).text, section->value,
			      table->has_totals ? "; " : "",
			      table->has_totals ? section->value : "",
			      table->has_totals ? ": of the total" : "", end);
	if (!strcmp(section->value, histogram_value_type(VALUE_WALL)))
		(void)fprintf(section->out,
			      "%swall: each sample's period, divided by how many threads ran just "
			      "then: what would shorten the run if it were faster%s\n",
			      faint, end);
}

static void print_reading(const struct section *section, bool intervals)
{
	const char *faint = section->style->color ? INK_FAINT : INK_NONE;
	uint64_t total = section->account.total;
	bool lives = section->table && section->table->has_lives;
	/* Another program's profile has a frequency that profil's options do not set. */
	const struct profile_facts *facts = &section->profile->facts;
	const char *more = facts->period > 1		     ? "run longer or lower -c"
			   : facts->foreign || facts->period ? "run longer"
							     : "run longer or raise -F";

	if (section->value) {
		print_reading_value(section);
		return;
	}
	if (lives)
		(void)fprintf(section->out, "%s%s%s\n", faint,
			      section->table->has_totals
				      ? "self, total: of the time in all rows; on CPU, waiting for "
					"a CPU, blocked: of the total"
				      : "share: of the time in all rows",
			      *faint ? INK_END : "");
	if (lives && (section->ranks || section->table->is_exact))
		return;
	if (section->ranks)
		(void)fprintf(section->out, "%sshare: of all samples%s%s%s\n", faint,
			      facts->period == 1 ? ", one for each event" : "",
			      intervals ? "; interval: Wilson's 95 % score interval, taking "
					  "samples as independent"
					: "",
			      *faint ? INK_END : "");
	else if (total)
		(void)fprintf(section->out, "only %s: too few %s (%d at least): %s\n",
			      text_many(total, "sample").text,
			      lives ? "for time on CPU" : "to rank", EVIDENCE_FLOOR, more);
	else if (facts->period)
		(void)fprintf(section->out, "no samples: %s: %s\n",
			      facts->period > 1 ? "the event did not come as often as a sample is"
						: "the event did not come",
			      more);
	else if (!may_be_chance(section))
		(void)fputs("no samples: the clock saw nothing of what ran: raise -F, or take "
			    "another --engine\n",
			    section->out);
	else
		(void)fprintf(section->out,
			      "no samples: less CPU time was used than one sample stands for: %s\n",
			      more);
}

void account_print_sums(const struct section *section)
{
	print_classes(section);
	print_violation(section);
	print_event(section);
	print_time(section);
	print_deviation(section);
	print_machine(section);
}

void account_print(const struct section *section, bool intervals)
{
	account_print_sums(section);
	print_reading(section, intervals);
}
