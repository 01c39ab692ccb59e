// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/interval.h"
#include "view/layout.h"
#include "view/section.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The accounting: every tick that fired is charged to one class, and the ticks' periods add up to
 * the CPU time that the kernel says was consumed. */

static void print_classes(const struct section *section)
{
	const struct profile_account *account = &section->account;

	const char *plus = "";

	(void)fprintf(section->out, "%s tick%s =", text_count(account->total).text,
		      text_plural(account->total));
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
	uint64_t fired = section->profile->facts.fired, charged = section->account.total;

	if (fired == charged)
		return;
	(void)fprintf(section->out,
		      "%sTHE ACCOUNTS DO NOT BALANCE: %s ticks fired, %s are charged: do not trust "
		      "this profile, and please report it%s\n",
		      color ? INK_ALARM : "", text_count(fired).text, text_count(charged).text,
		      color ? INK_END : "");
}

/* Ticks × period in nanoseconds: of all ticks, and of those in which something ran. */
static double all_ns(const struct section *section)
{
	const struct profile_facts *facts = &section->profile->facts;

	return (double)facts->fired * (double)facts->period_ns;
}

static double busy_ns(const struct section *section)
{
	uint64_t idle = section->account.ticks[CLASS_IDLE];

	return all_ns(section) - (double)idle * (double)section->profile->facts.period_ns;
}

/* By how much of the CPU time the ticks miss it; 0 where that is not known. */
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
		      "%.3f s of CPU consumed, %.3f s in ticks %s period (%+.1f %%)\n",
		      (double)facts->cpu_ns / 1e9, busy_ns(section) / 1e9, section->marks->times,
		      percent(deviation(section)));
}

/* Whose ticks lack: a CPU that is idle sleeps, and a virtual one is woken late by its host; or the
 * host has kept it from running at all.  A late timer is not made up for. */
static const char *why_short(const struct section *section)
{
	const struct profile_facts *facts = &section->profile->facts;
	double lacks = (double)facts->machine_ns - all_ns(section);
	double idle = (double)facts->idle_ns - (all_ns(section) - busy_ns(section));

	if (lacks < 0.02 * (double)facts->machine_ns)
		return "";
	if (idle > lacks / 2)
		return ": an idle CPU of a virtual machine delivers fewer ticks than asked";
	return ": a virtual machine's host takes time from its CPUs, and ticks with it";
}

/* Of a whole machine: all the time of all its CPUs, against all ticks. */
static void print_machine(const struct section *section)
{
	const struct profile_facts *facts = &section->profile->facts;
	double off;

	if (!facts->machine_ns || !facts->period_ns)
		return;
	off = all_ns(section) / (double)facts->machine_ns - 1;
	(void)fprintf(section->out,
		      "%.3f s on all CPUs, %.3f s of it idle by the kernel's account, %.3f s in "
		      "ticks %s period (%+.1f %%)%s\n",
		      (double)facts->machine_ns / 1e9, (double)facts->idle_ns / 1e9,
		      all_ns(section) / 1e9, section->marks->times, percent(off),
		      why_short(section));
}

/* Chance alone moves a count by its square root; three of those it seldom passes.  Where ticks
 * lack, that is the root of those that were due, for of none that came nothing could be off. */
static bool may_be_chance(const struct section *section)
{
	double period = fmax(1, (double)section->profile->facts.period_ns);
	double due = (double)section->profile->facts.cpu_ns / period;
	double ticks = busy_ns(section) / period;

	return fabs(ticks - due) <= 3 * sqrt(fmax(ticks, due));
}

static const char *why_off(const struct section *section, double off)
{
	const struct profile_facts *facts = &section->profile->facts;

	if (may_be_chance(section))
		return ": so few ticks differ by chance";
	if (off < 0 && facts->remainder_ns)
		return strcmp(profile_text(section->profile, facts->engine), "timer") != 0
			       ? ": a task clock does not see the end of each thread's life"
			       : ": timers do not see or enter everything";
	if (off > 0 && facts->stolen_ns)
		return ": the machine's host took time from it, which only the clock sees";
	return ": the clock lost or gained ticks (a virtual machine's often does)";
}

static void print_deviation(const struct section *section)
{
	double off = deviation(section);

	if (fabs(off) <= 0.02)
		return;
	(void)fprintf(section->out, "%sticks account for %.1f %% %s than was consumed%s%s\n",
		      section->style->color ? INK_WARN : "", 100 * fabs(off),
		      off < 0 ? "less" : "more", why_off(section, off),
		      section->style->color ? INK_END : "");
}

static void print_reading(const struct section *section)
{
	const char *faint = section->style->color ? INK_FAINT : INK_NONE;
	uint64_t total = section->account.total;

	if (section->ranks)
		(void)fprintf(section->out,
			      "%sshare: ticks of all ticks; interval: Wilson's 95 %% score "
			      "interval, taking ticks as independent%s\n",
			      faint, *faint ? INK_END : "");
	else if (total)
		(void)fprintf(section->out,
			      "only %s tick%s: too few to rank (%d at least): run longer or raise "
			      "-F\n",
			      text_count(total).text, text_plural(total), EVIDENCE_FLOOR);
	else if (!may_be_chance(section))
		(void)fputs("no ticks: the clock saw nothing of what ran: raise -F, or take "
			    "another --engine\n",
			    section->out);
	else
		(void)fputs("no ticks: less CPU time was used than lies between two of them: "
			    "run longer or raise -F\n",
			    section->out);
}

void account_print_sums(const struct section *section)
{
	print_classes(section);
	print_violation(section);
	print_time(section);
	print_deviation(section);
	print_machine(section);
}

void account_print(const struct section *section)
{
	account_print_sums(section);
	print_reading(section);
}
