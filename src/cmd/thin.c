// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/thin.h"

#include "base/array.h"
#include "cmd/command.h"
#include "format/format.h"
#include "profile/merge.h"
#include "profile/pprof.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ENDING ".pb.gz"
#define APART "-apart"

/* A sum is written here; then the journal has its name and those of what is in it, a line each, and
 * from there on all of it is done, if need be by the next one: renamed, and those deleted. */
#define SUM ".thinned" ENDING
#define JOURNAL ".thinning"

#define HOUR 3600
#define DAY (24 * HOUR)

/* From how old on what is not yet added up, is. */
#define HOURS_FROM (6 * HOUR)
#define DAYS_FROM (7 * DAY)

/* What files are called while pprof_write() writes them. */
#define TEMPORARY ".profil-"

/* What a file is of, and how much of its name the file has that it will be added up in. */
enum level { INTERVAL, ONE_HOUR, ONE_DAY };
static const int lengths[] = {[INTERVAL] = 15, [ONE_HOUR] = 11, [ONE_DAY] = 8};

struct kept {
	char name[THIN_NAME_SIZE];
	enum level level;
	bool is_apart;
	int64_t from; /* seconds since the epoch */
	uint64_t size;
};

struct series {
	struct kept *items; /* the oldest first */
	size_t count, capacity;
};

/* ---- names ---- */

void thin_name(int64_t second, char name[THIN_NAME_SIZE])
{
	time_t time = second;
	struct tm tm;

	gmtime_r(&time, &tm);
	(void)strftime(name, THIN_NAME_SIZE, "%Y%m%d-%H%M%S" ENDING, &tm);
}

/* How many digits of "20261128-193000" NAME begins with, the dash one of them; 0: it is not of that
 * form. */
static int digits_of(const char *name)
{
	int count = 0;

	while (count < lengths[INTERVAL] &&
	       (count == 8 ? name[count] == '-' : isdigit((unsigned char)name[count])))
		count++;
	return count;
}

/* Whether NAME is of the series. */
static bool parse(const char *name, struct kept *ret_kept)
{
	int length = digits_of(name);
	const char *rest = name + length;
	struct tm tm = {0};

	*ret_kept = (struct kept){.level = ONE_DAY};
	while (ret_kept->level != INTERVAL && lengths[ret_kept->level] < length)
		ret_kept->level--;
	ret_kept->is_apart = !strncmp(rest, APART, strlen(APART));
	if (ret_kept->is_apart)
		rest += strlen(APART);
	if (lengths[ret_kept->level] != length || strcmp(rest, ENDING) != 0 ||
	    strlen(name) >= sizeof(ret_kept->name))
		return false;
	(void)strcpy(ret_kept->name, name);
	(void)sscanf(name, "%4d%2d%2d-%2d%2d%2d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour,
		     &tm.tm_min, &tm.tm_sec);
	tm.tm_year -= 1900;
	tm.tm_mon--;
	ret_kept->from = timegm(&tm);
	return true;
}

/* ---- the folder ---- */

static int fail(int ret)
{
	return cmd_fail("folder of profiles: %s: look at its rights, and at the room there is",
			strerror(-ret));
}

static int compare(const void *a, const void *b)
{
	const struct kept *one = a, *other = b;

	ARRAY_COMPARE(one->from, other->from);
	ARRAY_COMPARE(other->level, one->level); /* what others are added up in, before them */
	return strcmp(one->name, other->name);
}

/* TAKE each name that is in the folder, until it returns an error. */
static int each_name(int (*take)(struct series *series, const char *name), struct series *series)
{
	DIR *folder = opendir(".");
	const struct dirent *entry;
	int ret = folder ? 0 : -errno;

	while (!ret && (entry = readdir(folder)))
		ret = take(series, entry->d_name);
	if (folder)
		(void)closedir(folder);
	return ret;
}

static int add(struct series *series, const char *name)
{
	struct kept kept;
	struct stat status;
	int ret;

	if (!parse(name, &kept) || lstat(name, &status) || !S_ISREG(status.st_mode))
		return 0;
	kept.size = (uint64_t)status.st_size;
	ret = ARRAY_RESERVE(series->items, series->capacity, series->count + 1);
	if (!ret)
		series->items[series->count++] = kept;
	return ret;
}

static int list(struct series *series)
{
	int ret;

	series->count = 0;
	ret = each_name(add, series);
	if (!ret)
		ARRAY_SORT(series->items, series->count, compare);
	return ret;
}

static int clear(struct series *series, const char *name)
{
	(void)series;
	return !strncmp(name, TEMPORARY, strlen(TEMPORARY)) && unlink(name) ? -errno : 0;
}

int thin_clear(void)
{
	int ret = each_name(clear, /* series= */ NULL);

	return ret ? fail(ret) : 0;
}

/* ---- one sum ---- */

/* Rename what was added up, which is named in the journal's first line, unless that is done, and
 * delete what is in it. */
static int settle(void)
{
	FILE *journal = fopen(JOURNAL, "re");
	char *line = NULL, *target = NULL;
	size_t size = 0;
	int ret = 0;

	if (!journal) {
		ret = errno == ENOENT ? 0 : -errno;
		/* What nobody has noted down is nothing yet. */
		return ret || !unlink(SUM) || errno == ENOENT ? ret : -errno;
	}
	while (!ret && getline(&line, &size, journal) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!target) {
			target = strdup(line);
			ret = !target ? -ENOMEM : rename(SUM, line) && errno != ENOENT ? -errno : 0;
		} else if (strcmp(line, target) != 0 && unlink(line) && errno != ENOENT) {
			ret = -errno;
		}
	}
	(void)fclose(journal);
	free(line);
	free(target);
	return ret ? ret : unlink(JOURNAL) ? -errno : 0;
}

/* What TARGET will be the sum of, is noted down: FIRST to END, but for what stays apart. */
static int note(const char *target, const struct kept *first, const struct kept *end)
{
	FILE *journal = fopen(JOURNAL ".new", "we");
	int ret = 0;

	if (!journal)
		return -errno;
	(void)fprintf(journal, "%s\n", target);
	for (const struct kept *kept = first; kept < end; kept++)
		if (!kept->is_apart)
			(void)fprintf(journal, "%s\n", kept->name);
	if (fflush(journal) || fsync(fileno(journal)))
		ret = -errno;
	if (fclose(journal) && !ret)
		ret = -errno;
	return ret ? ret : rename(JOURNAL ".new", JOURNAL) ? -errno : 0;
}

/* KEPT goes no further, for WHY, which is said. */
static int set_apart(struct kept *kept, const struct error *why)
{
	char name[THIN_NAME_SIZE + sizeof(APART)];

	(void)snprintf(name, sizeof(name), "%.*s" APART ENDING, lengths[kept->level], kept->name);
	(void)cmd_fail("%s; it is kept apart as %s", why->text, name);
	kept->is_apart = true;
	return rename(kept->name, name) ? -errno : 0;
}

static int add_one(struct merge *merge, struct kept *kept)
{
	struct profile *profile;
	struct error why = {""};
	int ret = format_read(kept->name, NULL, &profile, &why);

	if (!ret) {
		ret = merge_add(merge, profile, kept->name, &why);
		(void)profile_free(profile);
	}
	return ret && ret != -ENOMEM ? set_apart(kept, &why) : ret;
}

/* Add FIRST to END up, to the file of their LEVEL. */
static int add_up(struct kept *first, struct kept *end, enum level level)
{
	struct merge *merge = merge_new();
	struct profile *sum = NULL;
	char target[THIN_NAME_SIZE];
	struct error why = {""};
	int ret = merge ? 0 : -ENOMEM;
	size_t count = 0;

	for (struct kept *kept = first; kept < end && !ret; kept++) {
		if (!kept->is_apart)
			ret = add_one(merge, kept);
		count += !kept->is_apart;
	}
	if (!ret && count)
		ret = merge_sum(merge, &sum);
	(void)merge_free(merge);
	if (ret || !count)
		return ret;
	(void)snprintf(target, sizeof(target), "%.*s" ENDING, lengths[level], first->name);
	ret = pprof_write(sum, SUM, &why) ? cmd_fail("%s", why.text) : note(target, first, end);
	(void)profile_free(sum);
	return ret ? ret : settle();
}

/* ---- which ---- */

/* From AT on those that the file of LEVEL has them in; *RET_END is behind them.  Returns whether
 * there are any to be added up. */
static bool find_group(const struct series *series, size_t at, enum level level, size_t *ret_end)
{
	const char *name = series->items[at].name;
	size_t end = at, finer = 0;

	for (;
	     end < series->count && !strncmp(series->items[end].name, name, (size_t)lengths[level]);
	     end++)
		finer += !series->items[end].is_apart && series->items[end].level < level;
	*ret_end = end;
	return finer;
}

/* Add the oldest group of LEVEL up, all of which began before BEFORE.  Returns 1, 0 where there is
 * none, or -errno. */
static int add_up_oldest(struct series *series, enum level level, int64_t before)
{
	size_t end;

	for (size_t i = 0; i < series->count; i = end) {
		bool is_due = find_group(series, i, level, &end);

		if (series->items[end - 1].from >= before)
			return 0;
		if (is_due) {
			int ret = add_up(&series->items[i], &series->items[end], level);

			return ret ? ret : 1;
		}
	}
	return 0;
}

static int delete_oldest(const struct series *series)
{
	return unlink(series->items[0].name) && errno != ENOENT ? -errno : 1;
}

/* The beginning of a UNIT that is at least AGE older than NEWEST: nothing new belongs before it. */
static int64_t rounded(int64_t newest, int64_t age, int64_t unit)
{
	return (newest - age) / unit * unit;
}

/* One step.  Returns 1, 0 where nothing is to be done, or -errno. */
static int step(struct series *series, const struct thin_limits *limits)
{
	const struct kept *oldest = series->items;
	int64_t newest = series->count ? series->items[series->count - 1].from : 0;
	uint64_t size = 0;
	int ret;

	if (series->count < 2)
		return 0;
	if (oldest->from + (oldest->level == ONE_DAY ? DAY : HOUR) <=
	    newest - (int64_t)(limits->keep_ns / 1000000000))
		return delete_oldest(series);
	ret = add_up_oldest(series, ONE_HOUR, rounded(newest, HOURS_FROM, HOUR));
	ret = ret ? ret : add_up_oldest(series, ONE_DAY, rounded(newest, DAYS_FROM, DAY));
	for (size_t i = 0; i < series->count; i++)
		size += series->items[i].size;
	if (ret || size <= limits->size)
		return ret;
	ret = add_up_oldest(series, ONE_HOUR, rounded(newest, 0, HOUR));
	ret = ret ? ret : add_up_oldest(series, ONE_DAY, rounded(newest, 0, DAY));
	return ret ? ret : delete_oldest(series);
}

int thin(const struct thin_limits *limits)
{
	struct series series = {0};
	int ret = settle();

	if (!ret)
		do {
			ret = list(&series);
			ret = ret ? ret : step(&series, limits);
		} while (ret == 1);
	free(series.items);
	if (ret == EXIT_PROFIL || !ret)
		return ret;
	return fail(ret);
}
