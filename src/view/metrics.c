// SPDX-License-Identifier: BSD-2-Clause
#include "view/metrics.h"

#include "analysis/table.h"
#include "base/array.h"
#include "view/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* While a program runs, the profile of all of its time only grows, and so does each number here:
 * also that of a function that leaves the list and comes back. */

#define NAME_MAX_CHARACTERS 240
#define NS UINT64_C(1000000000)

enum family { ELAPSED, CPU, STOLEN, SAMPLES, UNKEPT, FUNCTION, FAMILIES };

static const struct {
	const char *name, *help;
	uint64_t unit; /* of what is counted */
} families[] = {
	[ELAPSED] = {"elapsed_seconds_total", "How long it was measured.", NS},
	[CPU] = {"cpu_seconds_total", "CPU time by the kernel's own count.", NS},
	[STOLEN] = {"stolen_seconds_total", "Taken by the host meanwhile.", NS},
	[SAMPLES] = {"samples_total", "Samples by the class of code that they were taken in.", 1},
	[UNKEPT] = {"unkept_samples_total",
		    "Samples whose address was not kept, because the cell table was full.", 1},
	[FUNCTION] = {"function_cpu_seconds_total",
		      "CPU time in the function itself: its samples by their period.", NS},
};

struct counter {
	enum family family;
	char *labels; /* "" or "{...}" */
	uint64_t value;
};

struct metrics {
	struct counter *items;
	size_t count, capacity;
};

struct metrics *metrics_new(void)
{
	return calloc(1, sizeof(struct metrics));
}

struct metrics *metrics_free(struct metrics *metrics)
{
	for (size_t i = 0; metrics && i < metrics->count; i++)
		free(metrics->items[i].labels);
	if (metrics)
		free(metrics->items);
	free(metrics);
	return NULL;
}

/* LABELS is taken; NULL: there was no memory for it. */
static int add(struct metrics *metrics, enum family family, char *labels, uint64_t value)
{
	int ret = labels ? ARRAY_RESERVE(metrics->items, metrics->capacity, metrics->count + 1)
			 : -ENOMEM;

	if (ret)
		free(labels);
	else
		metrics->items[metrics->count++] = (struct counter){family, labels, value};
	return ret;
}

/* ---- of a profile ---- */

static int add_account(struct metrics *metrics, const struct profile *profile)
{
	const struct profile_facts *facts = &profile->facts;
	struct profile_account account;
	int ret = 0;

	profile_account(profile, &account);
	if (facts->duration_ns)
		ret = add(metrics, ELAPSED, strdup(""), facts->duration_ns);
	if (!ret && facts->cpu_ns)
		ret = add(metrics, CPU, strdup(""), facts->cpu_ns);
	if (!ret && facts->stolen_ns)
		ret = add(metrics, STOLEN, strdup(""), facts->stolen_ns);
	for (int class = 0; class < PROFILE_CLASSES && !ret; class ++) {
		const char *name = profile_class_name((enum profile_class) class);
		char *labels = NULL;

		if (!account.listed[class])
			continue;
		if (asprintf(&labels, "{class=\"%s\"}", name) < 0)
			labels = NULL;
		ret = add(metrics, SAMPLES, labels, account.ticks[class]);
	}
	return ret ? ret : add(metrics, UNKEPT, strdup(""), account.overflow);
}

static void put(FILE *out, const char *character, size_t size)
{
	if (*character == '"' || *character == '\\')
		(void)fputc('\\', out);
	(void)fwrite(character, 1, size, out);
}

/* NULL when memory is short. */
static char *labels_of(const struct table_row *row)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	(void)fputs("{function=\"", out);
	text_print_each(out, row->name, NAME_MAX_CHARACTERS, put);
	(void)fputs("\",object=\"", out);
	text_print_each(out, *row->path ? row->path : row->object, NAME_MAX_CHARACTERS, put);
	(void)fputs("\"}", out);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

int metrics_add(struct metrics *metrics, const struct profile *profile, struct error *reterr)
{
	struct table *table;
	int ret = table_build(profile, &(struct table_options){0}, &table, reterr);

	if (ret)
		return ret;
	ret = add_account(metrics, profile);
	for (size_t i = 0; i < table->row_count && !ret; i++) {
		const struct table_row *row = &table->rows[i];

		if (row->class != CLASS_IDLE)
			ret = add(metrics, FUNCTION, labels_of(row),
				  row->ticks * facts_asked(&profile->facts));
	}
	(void)table_free(table);
	return ret;
}

/* ---- of what was printed ---- */

static int read_line(struct metrics *metrics, char *line)
{
	char *end = strrchr(line, ' ');
	uint64_t whole, rest = 0;

	if (!end || sscanf(end, " %" SCNu64 ".%9" SCNu64, &whole, &rest) < 1)
		return -EBADMSG;
	*end = '\0';
	for (size_t i = 0; i < FAMILIES; i++) {
		size_t length = strlen(families[i].name);
		const char *name = line + strlen("profil_");

		if (!strncmp(name, families[i].name, length) && strchr("{", name[length]))
			return add(metrics, (enum family)i, strdup(name + length),
				   whole * families[i].unit + rest);
	}
	return -EBADMSG;
}

int metrics_read(struct metrics *metrics, FILE *in)
{
	char *line = NULL;
	size_t size = 0;
	int ret = 0;

	while (!ret && getline(&line, &size, in) > 0)
		if (*line != '#')
			ret = strncmp(line, "profil_", strlen("profil_")) != 0
				      ? -EBADMSG
				      : read_line(metrics, line);
	free(line);
	return ret;
}

/* ---- printing ---- */

static int compare_name(const void *a, const void *b)
{
	const struct counter *one = a, *other = b;

	ARRAY_COMPARE(one->family, other->family);
	return strcmp(one->labels, other->labels);
}

/* The account as it comes, and the functions that have most. */
static int compare_value(const void *a, const void *b)
{
	const struct counter *one = a, *other = b;

	ARRAY_COMPARE(one->family, other->family);
	if (one->family == FUNCTION)
		ARRAY_COMPARE(other->value, one->value);
	return strcmp(one->labels, other->labels);
}

/* Those of one name are one: a file that was replaced has rows of its own. */
static void fold(struct metrics *metrics)
{
	size_t kept = 0;

	ARRAY_SORT(metrics->items, metrics->count, compare_name);
	for (size_t i = 0; i < metrics->count; i++) {
		struct counter *item = &metrics->items[i];

		if (kept && !compare_name(&metrics->items[kept - 1], item)) {
			metrics->items[kept - 1].value += item->value;
			free(item->labels);
		} else
			metrics->items[kept++] = *item;
	}
	metrics->count = kept;
	ARRAY_SORT(metrics->items, metrics->count, compare_value);
}

static void print_head(FILE *out, enum family family)
{
	const char *name = families[family].name;

	(void)fprintf(out, "# HELP profil_%s %s\n# TYPE profil_%s counter\n", name,
		      families[family].help, name);
}

void metrics_print(FILE *out, struct metrics *metrics, size_t top)
{
	enum family family = FAMILIES;

	fold(metrics);
	for (size_t i = 0; i < metrics->count && (family != FUNCTION || top); i++) {
		const struct counter *item = &metrics->items[i];

		if (item->family != family)
			print_head(out, item->family);
		family = item->family;
		top -= family == FUNCTION;
		(void)fprintf(out, "profil_%s%s %" PRIu64, families[family].name, item->labels,
			      item->value / families[family].unit);
		if (families[family].unit != 1)
			(void)fprintf(out, ".%09" PRIu64, item->value % families[family].unit);
		(void)fputc('\n', out);
	}
}
