// SPDX-License-Identifier: BSD-2-Clause
#include "profile/merge_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stands behind the words of a command line that all have, where there were more. */
#define CUT " …"
#define CUT_LENGTH (sizeof(CUT) - 1)

int merge_facts_check(const struct merge *merge, const struct profile *profile, const char *name,
		      struct error *reterr)
{
	const char *event = profile_text(profile, profile->facts.event);
	const char *before =
		profile_text(merge->builder.profile, merge->builder.profile->facts.event);
	uint64_t period = facts_asked(&profile->facts),
		 period_before = facts_asked(&merge->builder.profile->facts);

	if (!merge->begun)
		return 0;
	if (strcmp(event, before) != 0)
		return error_set(reterr, -EINVAL,
				 "%s: its samples are of the event '%s', those before it of '%s': "
				 "merge profiles of one event",
				 name, event, before);
	if (period != period_before)
		return error_set(reterr, -EINVAL,
				 "%s: its period is %" PRIu64 " ns, of those before it %" PRIu64
				 " ns: merge profiles of one period",
				 name, period, period_before);
	if (profile->facts.period != merge->builder.profile->facts.period)
		return error_set(reterr, -EINVAL,
				 "%s: a sample of it is %" PRIu64
				 " events, of those before it %" PRIu64
				 ": merge profiles of one count (-c)",
				 name, profile->facts.period, merge->builder.profile->facts.period);
	if (profile->facts.cell_size != merge->builder.profile->facts.cell_size)
		return error_set(reterr, -EINVAL,
				 "%s: its cells are of %" PRIu64
				 " bytes of code, those before it of %" PRIu64
				 " (0: of one address): merge profiles of one size",
				 name, profile->facts.cell_size,
				 merge->builder.profile->facts.cell_size);
	return 0;
}

static void add_up(uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = UINT64_MAX;
}

/* A sum of which a part is not known (0) is not known. */
static void add_known(uint64_t *sum, uint64_t more)
{
	if (*sum && more)
		add_up(sum, more);
	else
		*sum = 0;
}

/* What a file cannot hold is held at the most it can. */
static void limit(uint64_t *number)
{
	if (*number > INT64_MAX)
		*number = INT64_MAX;
}

/* The sum of the periods of all its ticks. */
static uint64_t samples_ns(const struct profile_facts *facts)
{
	uint64_t product;

	if (facts->samples_ns)
		return facts->samples_ns;
	return __builtin_mul_overflow(facts->samples, facts->period_ns, &product) ? UINT64_MAX
										  : product;
}

/* Where no tick was drawn around its period, all have the one that was asked for; elsewhere the
 * mean follows from the exact sum, as long as that is exact, and so does not depend on the order of
 * additions. */
static void add_samples(struct profile_facts *sum, const struct profile_facts *more)
{
	uint64_t ns = samples_ns(sum);

	add_up(&ns, samples_ns(more));
	add_up(&sum->samples, more->samples);
	limit(&sum->samples);
	if (!sum->asked_ns && !more->asked_ns)
		return;
	sum->asked_ns = facts_asked(more);
	sum->samples_ns = ns;
	sum->period_ns = sum->asked_ns;
	if (sum->samples && sum->samples < TICKS_MAX && ns < UINT64_MAX)
		sum->period_ns = ns / sum->samples;
}

/* How much of A are the words with which both begin.  The mark of an earlier cut is no word. */
static size_t common_length(const char *a, const char *b)
{
	size_t end = 0;

	for (size_t i = 0;; i++) {
		if ((!a[i] || a[i] == ' ') && (!b[i] || b[i] == ' '))
			end = i;
		if (a[i] != b[i] || !a[i])
			break;
	}
	while (end >= CUT_LENGTH && !memcmp(a + end - CUT_LENGTH, CUT, CUT_LENGTH))
		end -= CUT_LENGTH;
	return end;
}

static int common_words(struct profile *profile, uint32_t left, uint32_t right, uint32_t *ret_id)
{
	const char *a = profile_text(profile, left), *b = profile_text(profile, right);
	size_t length = common_length(a, b);
	char *text;
	int ret;

	*ret_id = left == right ? left : 0;
	if (left == right || !length)
		return 0;
	if (asprintf(&text, "%.*s" CUT, (int)length, a) < 0)
		return -ENOMEM;
	ret = profile_string(profile, text, ret_id);
	free(text);
	return ret;
}

/* The first item of *LIST, which is moved behind it; items are in order. */
static struct item {
	const char *text;
	size_t length;
} next_item(const char **list)
{
	struct item item = {*list, strcspn(*list, ",")};

	*list += item.length;
	*list += strspn(*list, ", ");
	return item;
}

static int compare_items(const struct item *a, const struct item *b)
{
	size_t shorter = a->length < b->length ? a->length : b->length;
	int order = memcmp(a->text, b->text, shorter);

	return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* All items of two lists, in order, each once. */
static int join_lists(struct profile *profile, uint32_t left, uint32_t right, uint32_t *ret_id)
{
	const char *a = profile_text(profile, left), *b = profile_text(profile, right);
	char *text = malloc(strlen(a) + strlen(b) + 3);
	size_t used = 0;
	int ret;

	if (!text)
		return -ENOMEM;
	text[0] = '\0';
	while (*a || *b) {
		const char *next_a = a, *next_b = b;
		struct item from_a = next_item(&next_a), from_b = next_item(&next_b);
		int order = !*a ? 1 : !*b ? -1 : compare_items(&from_a, &from_b);
		struct item item = order <= 0 ? from_a : from_b;

		used += (size_t)sprintf(text + used, "%s%.*s", used ? ", " : "", (int)item.length,
					item.text);
		a = order <= 0 ? next_a : a;
		b = order >= 0 ? next_b : b;
	}
	ret = profile_string(profile, text, ret_id);
	free(text);
	return ret;
}

static uint32_t agreed(uint32_t left, uint32_t right)
{
	return left == right ? left : 0;
}

static uint64_t runs(const struct profile_facts *facts)
{
	return facts->runs ? facts->runs : 1;
}

/* Of several reasons the first in the alphabet: the same in any order. */
static uint32_t one_reason(const struct profile *profile, uint32_t left, uint32_t right)
{
	if (!left || !right)
		return left ? left : right;
	return strcmp(profile_text(profile, left), profile_text(profile, right)) < 0 ? left : right;
}

/* Of a sum with a part these are not known. */
static void add_wall(struct profile_facts *sum, const struct profile_facts *more)
{
	for (int i = 0; i < WALL_FACTS; i++) {
		add_up(&sum->wall[i], more->wall[i]);
		limit(&sum->wall[i]);
	}
	sum->part |= more->part;
	if (sum->part)
		memset(sum->wall, 0, sizeof(sum->wall));
}

static void add_numbers(struct profile_facts *sum, const struct profile_facts *more)
{
	sum->runs = runs(sum);
	add_up(&sum->runs, runs(more));
	limit(&sum->runs);
	add_samples(sum, more);
	if (more->time_ns < sum->time_ns)
		sum->time_ns = more->time_ns;
	add_known(&sum->duration_ns, more->duration_ns);
	limit(&sum->duration_ns);
	add_known(&sum->cpu_ns, more->cpu_ns);
	add_known(&sum->counted, more->counted);
	add_up(&sum->counters, more->counters);
	add_up(&sum->remainder_ns, more->remainder_ns);
	add_up(&sum->stolen_ns, more->stolen_ns);
	add_known(&sum->machine_ns, more->machine_ns);
	add_up(&sum->idle_ns, more->idle_ns);
	add_up(&sum->task_total, more->task_total);
	add_up(&sum->not_followed, more->not_followed);
	add_up(&sum->untold, more->untold);
	add_up(&sum->cpus_joined, more->cpus_joined);
	add_up(&sum->unclocked_ns, more->unclocked_ns);
	add_up(&sum->left_running, more->left_running);
	add_wall(sum, more);
	if (more->cell_limit > sum->cell_limit)
		sum->cell_limit = more->cell_limit;
	if (more->cell_size > sum->cell_size)
		sum->cell_size = more->cell_size;
	sum->cpu_at_least |= more->cpu_at_least;
	sum->partial |= more->partial;
	sum->foreign |= more->foreign;
}

int merge_facts_add(struct merge *merge, const struct profile_facts *more)
{
	struct profile_facts *sum = &merge->builder.profile->facts;
	int ret;

	if (!merge->begun) {
		*sum = *more;
		limit(&sum->samples);
		merge->begun = true;
		return profile_string(merge->builder.profile, "profil " PROFIL_VERSION,
				      &sum->producer);
	}
	ret = common_words(merge->builder.profile, sum->command, more->command, &sum->command);
	sum->engine = agreed(sum->engine, more->engine);
	sum->clock = agreed(sum->clock, more->clock);
	sum->system = agreed(sum->system, more->system);
	sum->no_stacks = one_reason(merge->builder.profile, sum->no_stacks, more->no_stacks);
	if (!ret)
		ret = join_lists(merge->builder.profile, sum->unknown_python, more->unknown_python,
				 &sum->unknown_python);
	add_numbers(sum, more);
	return ret;
}

static void take_off(uint64_t *sum, uint64_t less)
{
	*sum = *sum > less ? *sum - less : 0;
}

void merge_facts_take_off(struct merge *merge, const struct profile_facts *before)
{
	struct profile_facts *sum = &merge->builder.profile->facts;

	if (__builtin_add_overflow(before->time_ns, before->duration_ns, &sum->time_ns))
		sum->time_ns = INT64_MAX;
	take_off(&sum->duration_ns, before->duration_ns);
	take_off(&sum->samples, before->samples);
	take_off(&sum->samples_ns, before->samples_ns);
	take_off(&sum->cpu_ns, before->cpu_ns);
	take_off(&sum->counted, before->counted);
	take_off(&sum->remainder_ns, before->remainder_ns);
	take_off(&sum->stolen_ns, before->stolen_ns);
	take_off(&sum->machine_ns, before->machine_ns);
	take_off(&sum->idle_ns, before->idle_ns);
	take_off(&sum->unclocked_ns, before->unclocked_ns);
	memset(sum->wall, 0, sizeof(sum->wall));
	sum->part = true;
}
