// SPDX-License-Identifier: BSD-2-Clause
#include "view/section.h"

#include "base/array.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Where all of the time of the measured threads went (--wall): the sums of what the profile counts
 * beside samples. */

#define PARTS_SHOWN 5

struct part {
	const char *name; /* text of the profile */
	uint32_t number;
	uint64_t ns;
};

struct parts {
	struct part *items; /* heap */
	size_t count;
};

struct lives {
	uint64_t of[HISTOGRAM_VALUES];
	struct parts reasons; /* of what is blocked, most first */
	struct parts causes;  /* of what is not known, the same */
	struct parts elapsed; /* by how many threads were on a CPU at once */
};

static enum histogram_value value_of(const struct profile *profile,
				     const struct profile_cell *amount)
{
	return histogram_value_called(
		profile_text(profile, profile->values[amount->value - 1].type));
}

/* Add AMOUNT to the part of its name.  PARTS has room for each there can be. */
static void add_part(const struct profile *profile, const struct profile_cell *amount,
		     struct parts *parts)
{
	const struct profile_function *function =
		profile_function_of(profile, &profile->locations[amount->location]);
	const char *name = function ? profile_text(profile, function->name) : "unknown";
	size_t i = 0;

	while (i < parts->count && strcmp(parts->items[i].name, name) != 0)
		i++;
	if (i == parts->count)
		parts->items[parts->count++] =
			(struct part){.name = name, .number = function ? function->start_line : 0};
	parts->items[i].ns += amount->ticks;
}

static int most_first(const void *left, const void *right)
{
	const struct part *a = left, *b = right;

	return a->ns != b->ns ? (a->ns < b->ns) - (a->ns > b->ns) : strcmp(a->name, b->name);
}

static int least_first(const void *left, const void *right)
{
	const struct part *a = left, *b = right;

	return (a->number > b->number) - (a->number < b->number);
}

static void lives_done(struct lives *lives)
{
	free(lives->reasons.items);
	free(lives->causes.items);
	free(lives->elapsed.items);
}

static void add_amount(const struct profile *profile, const struct profile_cell *amount,
		       struct lives *lives)
{
	enum histogram_value value = value_of(profile, amount);

	if (value == HISTOGRAM_VALUES)
		return;
	lives->of[value] += amount->ticks;
	if (value == VALUE_BLOCKED)
		add_part(profile, amount, &lives->reasons);
	else if (value == VALUE_UNACCOUNTED)
		add_part(profile, amount, &lives->causes);
	else if (value == VALUE_ELAPSED)
		add_part(profile, amount, &lives->elapsed);
}

static void sort(struct parts *parts, int (*compare)(const void *left, const void *right))
{
	qsort(parts->items, parts->count, sizeof(*parts->items), compare);
}

/* Returns 0 or -ENOMEM; in both cases lives_done() frees it. */
static int lives_sum(const struct profile *profile, struct lives *ret_lives)
{
	/* No more names than functions, and the unknown one. */
	size_t most = profile->function_count + 1;
	struct lives lives = {
		.reasons.items = calloc(most, sizeof(struct part)),
		.causes.items = calloc(most, sizeof(struct part)),
		.elapsed.items = calloc(most, sizeof(struct part)),
	};

	*ret_lives = lives;
	if (!lives.reasons.items || !lives.causes.items || !lives.elapsed.items)
		return -ENOMEM;
	for (size_t i = 0; i < profile->amount_count; i++)
		add_amount(profile, &profile->amounts[i], &lives);
	sort(&lives.reasons, most_first);
	sort(&lives.causes, most_first);
	sort(&lives.elapsed, least_first);
	*ret_lives = lives;
	return 0;
}

/* ": futex 6.21 s, read 4.10 s, 2 other reasons 1.3 ms" */
static void print_parts(const struct section *section, const struct parts *parts)
{
	size_t shown = parts->count > PARTS_SHOWN + 1 ? PARTS_SHOWN : parts->count;
	uint64_t rest = 0;

	for (size_t i = 0; i < shown; i++) {
		(void)fputs(i ? ", " : ": ", section->out);
		text_print(section->out, parts->items[i].name);
		(void)fprintf(section->out, " %s", text_time(parts->items[i].ns).text);
	}
	for (size_t i = shown; i < parts->count; i++)
		rest += parts->items[i].ns;
	if (shown < parts->count)
		(void)fprintf(section->out, ", %zu other reasons %s", parts->count - shown,
			      text_time(rest).text);
	(void)fputc('\n', section->out);
}

/* An engine that is not told of it has it in what is not accounted for. */
static bool tells_blocked(const struct lives *lives)
{
	return lives->of[VALUE_BLOCKED] || !lives->of[VALUE_UNACCOUNTED];
}

static void print_lives(const struct section *section, const struct lives *lives)
{
	uint64_t threads = section->profile->facts.wall[WALL_THREADS];
	const uint64_t *of = lives->of;

	/* Of a part by callers no life is known, of one by process not how many. */
	if (of[VALUE_LIFETIME])
		(void)fprintf(
			section->out, "%s lived %s: %s on CPU (%s), ",
			threads ? text_many(threads, "thread").text : "its threads",
			text_time(of[VALUE_LIFETIME]).text, text_time(of[VALUE_RUNNING]).text,
			text_share((double)of[VALUE_RUNNING] / (double)of[VALUE_LIFETIME]).text);
	(void)fprintf(section->out, "%s waiting for a CPU", text_time(of[VALUE_RUNQUEUE]).text);
	if (tells_blocked(lives))
		(void)fprintf(section->out, ", %s blocked", text_time(of[VALUE_BLOCKED]).text);
	print_parts(section, &lives->reasons);
}

static void print_elapsed(const struct section *section, const struct lives *lives)
{
	for (size_t i = 0; i < lives->elapsed.count; i++) {
		const struct part *part = &lives->elapsed.items[i];

		(void)fprintf(section->out, i ? ", %s with " : "elapsed: %s with ",
			      text_time(part->ns).text);
		if (i)
			(void)fprintf(section->out, "%" PRIu32, part->number);
		else
			(void)fprintf(section->out, "%" PRIu32 " thread%s on a CPU", part->number,
				      text_plural(part->number));
	}
	if (lives->elapsed.count)
		(void)fputc('\n', section->out);
}

/* What of the time is in no row. */
static void print_left_out(const struct section *section, const struct lives *lives)
{
	uint64_t exact = lives->of[VALUE_RUNNING], in_rows = section->table->lives[LIFE_RUNNING];
	const char *before = "; in no row: ";

	if (exact > in_rows) {
		(void)fprintf(section->out, "%s%s on CPU between samples", before,
			      text_time(exact - in_rows).text);
		before = ", ";
	}
	if (lives->of[VALUE_UNACCOUNTED])
		(void)fprintf(section->out, "%s%s not accounted", before,
			      text_time(lives->of[VALUE_UNACCOUNTED]).text);
	if (section->table->idle)
		(void)fprintf(section->out, "; of no thread: %s idle (samples %s period)",
			      text_time(section->table->idle).text, section->marks->times);
	if (exact && exact < in_rows)
		(void)fprintf(section->out, "; samples stand for %s more than was on CPU",
			      text_time(in_rows - exact).text);
	(void)fputc('\n', section->out);
}

static bool is_wait(const struct profile *profile, const struct profile_cell *amount)
{
	enum histogram_value value = value_of(profile, amount);

	return value == VALUE_RUNQUEUE || value == VALUE_BLOCKED;
}

/* How many of the stacks of waits are whole. */
static int print_paths(const struct section *section)
{
	struct profile waits = *section->profile;
	struct section of_waits = *section;

	waits.cells = calloc(waits.amount_count + 1, sizeof(*waits.cells));
	if (!waits.cells)
		return -ENOMEM;
	waits.cell_count = 0;
	for (size_t i = 0; i < waits.amount_count; i++)
		if (is_wait(&waits, &waits.amounts[i]))
			waits.cells[waits.cell_count++] = waits.amounts[i];
	of_waits.profile = &waits;
	of_waits.value = "waiting or blocked";
	of_waits.is_time = true;
	paths_print(&of_waits);
	free(waits.cells);
	return 0;
}

int lives_print_rows(const struct section *section)
{
	const struct table *table = section->table;
	const uint64_t *states = table->shown_lives;
	struct lives lives;
	int ret;

	if (!table->has_lives)
		return 0;
	ret = lives_sum(section->profile, &lives);
	if (!ret) {
		(void)fprintf(section->out, "%s in the rows = %s on CPU",
			      text_time(table_time(states)).text,
			      text_time(states[LIFE_RUNNING]).text);
		if (!table->is_exact)
			(void)fprintf(section->out, " (samples %s period)", section->marks->times);
		(void)fprintf(section->out, " + %s waiting for a CPU",
			      text_time(states[LIFE_QUEUED]).text);
		if (tells_blocked(&lives))
			(void)fprintf(section->out, " + %s blocked",
				      text_time(states[LIFE_BLOCKED]).text);
		print_left_out(section, &lives);
		if (table->has_totals)
			ret = print_paths(section);
	}
	lives_done(&lives);
	return ret;
}

/* What qualifies the sums, a line each. */
static void print_doubts(const struct section *section, const struct lives *lives)
{
	const uint64_t *wall = section->profile->facts.wall;

	if (lives->of[VALUE_UNACCOUNTED]) {
		(void)fprintf(section->out, "not accounted: %s",
			      text_time(lives->of[VALUE_UNACCOUNTED]).text);
		print_parts(section, &lives->causes);
	}
	if (wall[WALL_UNDER_NS] || wall[WALL_OVER_NS])
		(void)fprintf(section->out,
			      "the parts are %s less than the lives of some threads, and %s more "
			      "than those of others\n",
			      text_time(wall[WALL_UNDER_NS]).text,
			      text_time(wall[WALL_OVER_NS]).text);
	if (wall[WALL_STILL_BLOCKED])
		(void)fprintf(section->out, "%s thread%s still blocked at the end\n",
			      text_count(wall[WALL_STILL_BLOCKED]).text,
			      wall[WALL_STILL_BLOCKED] == 1 ? " was" : "s were");
	else if (lives->of[VALUE_STILL_BLOCKED]) /* of a part: by how many is not known */
		(void)fprintf(section->out,
			      "%s of the blocked time had not ended when the measurement did\n",
			      text_time(lives->of[VALUE_STILL_BLOCKED]).text);
	if (wall[WALL_SAMPLED_NS])
		(void)fprintf(section->out,
			      "of %s of the blocked time the callers are estimates "
			      "(--wall-budget)\n",
			      text_time(wall[WALL_SAMPLED_NS]).text);
	if (wall[WALL_FULL_NS])
		(void)fprintf(section->out,
			      "of %s of the blocked time the callers are not known: the table of "
			      "waits was full (--cells)\n",
			      text_time(wall[WALL_FULL_NS]).text);
	if (wall[WALL_NOT_FOLLOWED])
		(void)fprintf(section->out,
			      "%s thread%s not followed: out of memory in the kernel\n",
			      text_count(wall[WALL_NOT_FOLLOWED]).text,
			      wall[WALL_NOT_FOLLOWED] == 1 ? " was" : "s were");
}

int lives_print(const struct section *section)
{
	struct lives lives;
	int ret;

	if (!profile_counts(section->profile, VALUE_LIFETIME))
		return 0;
	ret = lives_sum(section->profile, &lives);
	if (!ret) {
		print_lives(section, &lives);
		print_elapsed(section, &lives);
		print_doubts(section, &lives);
	}
	lives_done(&lives);
	return ret;
}

static void add_parts(struct json *json, const char *name, const struct parts *parts)
{
	json_open_object(json, name, /* lines= */ false);
	for (size_t i = 0; i < parts->count; i++)
		json_add_count(json, parts->items[i].name, parts->items[i].ns);
	json_close(json);
}

/* What the whole profile has, and no part of it. */
static void add_doubts(struct json *json, const uint64_t *wall)
{
	json_add_count(json, "over_ns", wall[WALL_OVER_NS]);
	json_add_count(json, "under_ns", wall[WALL_UNDER_NS]);
	json_add_count(json, "still_blocked", wall[WALL_STILL_BLOCKED]);
	json_add_count(json, "estimated_ns", wall[WALL_SAMPLED_NS]);
}

int lives_json(const struct section *section, struct json *json)
{
	static const struct {
		const char *key;
		enum histogram_value value;
		bool is_life; /* not known of a part by callers */
	} times[] = {
		{"lifetime_ns", VALUE_LIFETIME, true},
		{"running_ns", VALUE_RUNNING, true},
		{"runqueue_ns", VALUE_RUNQUEUE, false},
		{"blocked_ns", VALUE_BLOCKED, false},
		{"not_accounted_ns", VALUE_UNACCOUNTED, true},
		{"still_blocked_ns", VALUE_STILL_BLOCKED, false},
	};
	const struct profile_facts *facts = &section->profile->facts;
	struct lives lives;
	int ret;

	if (!profile_counts(section->profile, VALUE_LIFETIME))
		return 0;
	ret = lives_sum(section->profile, &lives);
	if (!ret) {
		json_open_object(json, "wall", /* lines= */ false);
		if (facts->wall[WALL_THREADS])
			json_add_count(json, "threads", facts->wall[WALL_THREADS]);
		for (size_t i = 0; i < ARRAY_LENGTH(times); i++)
			if (!times[i].is_life || lives.of[VALUE_LIFETIME])
				json_add_count(json, times[i].key, lives.of[times[i].value]);
		if (!facts->part)
			add_doubts(json, facts->wall);
		add_parts(json, "blocked", &lives.reasons);
		add_parts(json, "not_accounted", &lives.causes);
		add_parts(json, "elapsed", &lives.elapsed);
		json_close(json);
	}
	lives_done(&lives);
	return ret;
}
