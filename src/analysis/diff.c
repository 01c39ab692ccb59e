// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff_private.h"

#include "analysis/tree.h"
#include "base/array.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const match_names[DIFF_MATCHES] = {
	[DIFF_SAME] = "same", [DIFF_NAMED] = "named", [DIFF_MOVED] = "moved",
	[DIFF_NEW] = "new",   [DIFF_GONE] = "gone",
};

const char *diff_match_name(enum diff_match match)
{
	return match < DIFF_MATCHES ? match_names[match] : "unknown";
}

/* ---- what may be compared ---- */

static int check_event(const struct differ *differ, struct error *reterr)
{
	enum diff_side side;
	const struct profile *first = differ_run(differ, 0, &side);
	const char *event = profile_text(first, first->facts.event);

	for (size_t run = 1; run < differ->run_count; run++) {
		const struct profile *profile = differ_run(differ, run, &side);
		const char *other = profile_text(profile, profile->facts.event);

		if (strcmp(event, other) != 0)
			return error_set(reterr, -EINVAL,
					 "diff: samples of the event '%s' and of '%s' are not the "
					 "same thing: give profiles of one event",
					 event, other);
	}
	return 0;
}

static uint64_t asked(const struct profile_facts *facts)
{
	return facts->period ? facts->period : facts_asked(facts);
}

/* Runs of a side are added up, too; the sides may differ. */
static int check_periods(const struct differ *differ, struct error *reterr)
{
	const struct profile_facts *first[DIFF_SIDES] = {0};

	for (size_t run = 0; run < differ->run_count; run++) {
		enum diff_side side;
		const struct profile_facts *facts = &differ_run(differ, run, &side)->facts;

		if (!first[side])
			first[side] = facts;
		if (asked(facts) != asked(first[side]))
			return error_set(reterr, -EINVAL,
					 "diff: runs %s with periods of %" PRIu64 " and %" PRIu64
					 " %s are not repeats: give runs of one period a side",
					 side == DIFF_BEFORE ? "before" : "after",
					 asked(first[side]), asked(facts),
					 facts->period ? "events" : "ns");
	}
	return 0;
}

static int check_stacks(const struct differ *differ, struct error *reterr)
{
	bool asked = differ->diff->by_path || differ->diff->by_frame;

	for (size_t run = 0; asked && run < differ->run_count; run++) {
		enum diff_side side;

		if (!tree_has_stacks(differ_run(differ, run, &side)))
			return error_set(reterr, -EINVAL,
					 "diff: --by path: a profile %s has no call stacks: take "
					 "it with -g",
					 side == DIFF_BEFORE ? "before" : "after");
	}
	return 0;
}

static int check_totals(const struct diff *diff, struct error *reterr)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		uint64_t ticks = diff->totals[side].ticks;

		if (diff->value)
			continue;
		if (ticks < EVIDENCE_FLOOR)
			return error_set(reterr, -ENODATA,
					 "diff: only %d sample%s %s: too few to compare (%d at "
					 "least): run longer or raise -F",
					 (int)ticks, ticks == 1 ? "" : "s",
					 side == DIFF_BEFORE ? "before" : "after", EVIDENCE_FLOOR);
		if (diff->per != DIFF_PER_TICKS && !(diff->totals[side].seconds > 0))
			return error_set(reterr, -EINVAL,
					 "diff: --per: a profile does not say what CPU time its "
					 "samples stand for: compare it --per samples");
	}
	return 0;
}

/* ---- order ---- */

static int compare_rows(const void *left, const void *right)
{
	const struct diff_row *a = left, *b = right;
	double a_change = fabs(a->change), b_change = fabs(b->change);
	int order;

	if (a->significant != b->significant)
		return a->significant ? -1 : 1;
	if (a_change != b_change)
		return a_change > b_change ? -1 : 1;
	order = strcmp(a->name, b->name);
	order = order ? order : strcmp(a->function, b->function);
	order = order ? order : strcmp(a->path, b->path);
	order = order ? order : strcmp(a->file, b->file);
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

/* ---- all of it ---- */

static int build(struct differ *differ, struct error *reterr)
{
	struct diff *diff = differ->diff;
	int ret = check_event(differ, reterr);

	ret = ret ? ret : check_stacks(differ, reterr);
	ret = ret ? ret : check_periods(differ, reterr);
	ret = ret ? ret : diff_rows_build(differ);
	if (ret)
		return ret;
	diff_add_totals(differ);
	ret = check_totals(diff, reterr);
	if (ret)
		return ret;
	if (diff->by == TABLE_BY_FUNCTION && !diff->by_path && !diff->by_frame)
		diff_rows_move(differ);
	ret = diff_compare(differ);
	if (!ret && !diff->by_frame)
		ARRAY_SORT(diff->rows, diff->row_count, compare_rows);
	return ret;
}

static int make_room(struct differ *differ)
{
	differ->diff = calloc(1, sizeof(*differ->diff));
	differ->keys = strings_new();
	differ->run_ticks = calloc(differ->run_count + 1, sizeof(*differ->run_ticks));
	differ->run_seconds = calloc(differ->run_count + 1, sizeof(*differ->run_seconds));
	differ->numbers = calloc(differ->run_count + 1, sizeof(*differ->numbers));
	if (!differ->diff || !differ->keys || !differ->run_ticks || !differ->run_seconds ||
	    !differ->numbers)
		return -ENOMEM;
	differ->diff->by = differ->options->by;
	differ->diff->by_path = differ->options->by_path;
	differ->diff->by_frame = differ->options->by_frame;
	differ->diff->value = differ->options->value;
	differ->diff->per = differ->options->per;
	differ->diff->strings = strings_new();
	differ->diff->paths = calloc(1, sizeof(*differ->diff->paths));
	return differ->diff->strings && differ->diff->paths ? 0 : -ENOMEM;
}

static void clear_away(struct differ *differ)
{
	for (size_t run = 0; differ->numbers && run < differ->run_count; run++)
		free(differ->numbers[run]);
	free(differ->numbers);
	free(differ->run_ticks);
	free(differ->run_seconds);
	free(differ->ticks);
	free(differ->votes);
	strings_free(differ->keys);
	diff_objects_done(&differ->objects);
}

int diff_build(const struct diff_profiles sides[DIFF_SIDES], const struct diff_options *options,
	       struct diff **ret_diff, struct error *reterr)
{
	struct differ differ = {
		.sides = sides,
		.options = options,
		.run_count = sides[DIFF_BEFORE].count + sides[DIFF_AFTER].count,
	};
	regex_t regex;
	int ret = 0;

	if (options->function) {
		ret = table_compile_function(options->function, &regex, reterr);
		if (ret)
			return ret;
		differ.function = &regex;
	}
	ret = make_room(&differ);
	ret = ret ? ret : build(&differ, reterr);
	clear_away(&differ);
	if (differ.function)
		regfree(&regex);
	if (ret)
		(void)diff_free(differ.diff);
	else
		*ret_diff = differ.diff;
	return ret;
}

struct diff *diff_free(struct diff *diff)
{
	if (!diff)
		return NULL;
	strings_free(diff->strings);
	diff_paths_free(diff->paths);
	free(diff->rows);
	free(diff);
	return NULL;
}
