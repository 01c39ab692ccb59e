// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "analysis/filter.h"
#include "base/progress.h"
#include "cmd/reading.h"
#include "cmd/shared.h"
#include "view/hist.h"
#include "view/html.h"
#include "view/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct html_options {
	struct reading reading;
	const char *output;
	size_t rows;
	size_t functions; /* FUNCTIONS_HOT: not asked for */
	bool moves;
};

const struct option_row html_options[] = {
	OPTION_OUTPUT_ROW("Page", "write to FILE (profil.html)", INTO(struct html_options, output)),
	OPTION_ROWS_ROW("at most N functions in the table, 0 for all (1000)",
			INTO(struct html_options, rows)),
	{0, "functions", "N", "the code of the N hottest, 0 for none (those of 80 %, 12)", NULL,
	 VALUE_COUNT, .max = 1 << 20, .accepted = "a number of functions, 0 for none",
	 INTO(struct html_options, functions)},
	OPTION_READING_MAP_ROW,
	OPTION_READING_PROGRAM_ROW,
	OPTION_FILTER_ROWS,
	OPTION_INPUT_ROW,
	OPTION_HELP_ROW,
	{0},
};

#define OUTPUT_USUAL "profil.html"
#define ROWS_USUAL 1000
#define ROWS_MOVING 200
/* The page of a program with a thousand warm functions is not a thousand times as long. */
#define FUNCTIONS_USUAL 12
#define FUNCTIONS_HOT SIZE_MAX
#define BUCKETS 60
/* The script makes the picture as wide as the page. */
#define FLAME_WIDTH 1200
#define FLAME_NARROW 1

/* What of the page was made of the profile. */
struct made {
	struct table *table;
	struct table *apart[TABLE_BYS];
	size_t apart_count;
	struct hist *hist;
	struct tree_functions functions;
	struct tree *tree;	/* NULL: there are no call stacks */
	struct profile of_time; /* the same profile, its cells all of the time of threads */
	struct tree *wall;	/* of that; NULL: not known */
	struct subjects subjects;
	struct annotation **annotations;
	size_t count;
};

/* How many functions have their code shown: as many as were asked for; else those with four fifths
 * of TOTAL ticks, but only so many. */
static size_t count_functions(const struct html_options *options, const struct subjects *subjects,
			      uint64_t total)
{
	bool is_asked = options->functions != FUNCTIONS_HOT;
	size_t limit = is_asked ? options->functions : FUNCTIONS_USUAL, count = 0;
	uint64_t ticks = 0;

	while (count < subjects->count && count < limit) {
		if (!is_asked && (double)ticks >= 0.8 * (double)total)
			break;
		ticks += subjects->items[count++].ticks;
	}
	return count;
}

/* A profile without a tick at an address has a page, too. */
static int make_code(const struct html_options *options, const struct profile *profile,
		     struct symbols *symbols, struct made *made, struct error *reterr)
{
	int ret = subjects_find(profile, NULL, &made->subjects, reterr);
	size_t count;

	if (ret)
		return ret == -ENOENT ? 0 : ret;
	count = count_functions(options, &made->subjects, made->table->total);
	made->annotations = calloc(count + 1, sizeof(struct annotation *));
	if (!made->annotations)
		return -ENOMEM;
	progress_begin("code", "functions");
	for (; made->count < count && !ret; made->count += !ret) {
		progress_at(made->count, count);
		ret = annotate(profile, &made->subjects, (uint32_t)made->count, symbols,
			       &made->annotations[made->count]);
	}
	progress_end();
	return ret;
}

/* Tables of processes, threads, CPUs and control groups, of which the profile has several; of
 * threads where they are more than processes.  With all of the time of threads, all are of that,
 * and there are two more. */
static int make_apart(const struct profile *profile, struct made *made)
{
	static const enum table_by ways[] = {TABLE_BY_REASON, TABLE_BY_FUNCTION, TABLE_BY_PROCESS,
					     TABLE_BY_THREAD, TABLE_BY_CPU,	 TABLE_BY_CGROUP};
	bool lives = profile_counts(profile, VALUE_LIFETIME);
	size_t processes = 1;
	struct error ignored;

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct table **table = &made->apart[made->apart_count];
		struct table_options options = {.by = ways[i],
						.lives = lives,
						.tree = made->tree,
						.functions = &made->functions,
						.of_cells = made->tree &&
							    ways[i] >= TABLE_BY_PROCESS &&
							    ways[i] != TABLE_BY_REASON};
		size_t few = ways[i] == TABLE_BY_THREAD ? processes : 1;
		int ret;

		if (ways[i] == TABLE_BY_FUNCTION && !lives)
			continue;
		ret = table_build(profile, &options, table, &ignored);
		if (ret == -ENOMEM)
			return ret;
		if (!ret && ways[i] == TABLE_BY_PROCESS)
			processes = (*table)->row_count;
		if (!ret && (*table)->row_count > few)
			made->apart_count++;
		else if (!ret)
			*table = table_free(*table);
	}
	return 0;
}

static int make_tree(const struct profile *profile, struct made *made)
{
	int ret = tree_functions_make(profile, &made->functions);

	return ret ? ret
		   : tree_build(profile, &made->functions, &(struct tree_options){0}, &made->tree);
}

/* All of the time by call stack, where waits have some.  A page that moves is to be made at once.
 */
static int make_wall(const struct html_options *options, const struct profile *profile,
		     struct made *made)
{
	int ret;

	if (options->moves || !made->tree || !profile_counts(profile, VALUE_BLOCKED))
		return 0;
	ret = filter_thread_time(profile, /* waits= */ true, &made->of_time);
	return ret ? ret
		   : tree_build(&made->of_time, &made->functions, &(struct tree_options){0},
				&made->wall);
}

static int make(const struct html_options *options, struct profile *profile, struct made *made,
		struct error *reterr)
{
	const struct hist_options buckets = {.by = HIST_BY_FUNCTION, .rows = BUCKETS};
	struct table_options rows = {.functions = &made->functions};
	struct symbols *symbols;
	int ret = symbols_open(&(struct symbols_options){0}, &symbols, reterr);

	if (ret)
		return ret;
	ret = reading_name(profile, symbols);
	if (!ret && tree_has_stacks(profile))
		ret = make_tree(profile, made);
	rows.tree = made->tree;
	if (!ret)
		ret = table_build(profile, &rows, &made->table, reterr);
	if (!ret)
		ret = make_apart(profile, made);
	if (!ret)
		ret = hist_build(profile, &buckets, &made->hist, reterr);
	if (!ret)
		ret = make_wall(options, profile, made);
	if (!ret)
		ret = make_code(options, profile, symbols, made, reterr);
	(void)symbols_close(symbols);
	return ret;
}

static void made_done(struct made *made)
{
	for (size_t i = 0; i < made->count; i++)
		annotation_free(made->annotations[i]);
	free(made->annotations);
	subjects_done(&made->subjects);
	for (size_t i = 0; i < made->apart_count; i++)
		(void)table_free(made->apart[i]);
	(void)tree_free(made->tree);
	(void)tree_free(made->wall);
	free(made->of_time.cells);
	tree_functions_done(&made->functions);
	(void)hist_free(made->hist);
	(void)table_free(made->table);
}

static int write_page(const struct html_options *options, const struct profile *profile,
		      const struct made *made, size_t *ret_size, struct error *reterr)
{
	const struct annotate_view code = {
		.profile = profile,
		.functions = made->annotations,
		.count = made->count,
		.found = made->subjects.count,
	};
	const struct flame flame = {
		.meaning = &flame_of_profile,
		.profile = profile,
		.tree = made->tree,
		.functions = &made->functions,
		.inverted = true,
		.width = FLAME_WIDTH,
		.narrow = FLAME_NARROW,
	};
	struct flame wall = flame;
	const struct html_view view = {.profile = profile,
				       .table = made->table,
				       .hist = made->hist,
				       .flame = made->tree ? &flame : NULL,
				       .wall = made->wall ? &wall : NULL,
				       .apart = made->apart,
				       .apart_count = made->apart_count,
				       .code = &code};
	const struct html_style style = {
		.rows = options->rows,
		.file = options->reading.file ? options->reading.file : PROFILE_USUAL,
		.moves = options->moves,
	};

	wall.profile = &made->of_time;
	wall.tree = made->wall;
	return html_write(&view, &style, options->output, ret_size, reterr);
}

/* What the page has, for it may be less than all. */
static int say(const struct html_options *options, const struct made *made, size_t size)
{
	size_t rows = made->table->row_count, code = 0;

	if (!strcmp(options->output, "/dev/stdout"))
		return 0;
	if (options->rows && options->rows < rows)
		rows = options->rows;
	for (size_t i = 0; i < made->count; i++)
		code += html_has_code(made->annotations[i]);
	(void)printf("%s: %s: %zu of %zu function%s, the code of %zu\n", options->output,
		     text_size(size).text, rows, made->table->row_count,
		     made->table->row_count == 1 ? "" : "s", code);
	errno = 0;
	return fflush(stdout) || ferror(stdout) ? cmd_fail_output(errno) : 0;
}

/* Returns the exit status. */
static int show(void *context, struct profile *profile)
{
	const struct html_options *options = context;
	struct made made = {0};
	struct error error = {""};
	size_t size = 0;
	int ret = make(options, profile, &made, &error), status;

	if (!ret)
		ret = write_page(options, profile, &made, &size, &error);
	status = ret ? cmd_fail_error(ret, &error) : say(options, &made, size);
	made_done(&made);
	return status;
}

int command_html(int argc, char **argv)
{
	struct html_options options = {
		.output = OUTPUT_USUAL, .rows = ROWS_USUAL, .functions = FUNCTIONS_HOT};

	return reading_run("html", argc, argv, &options, NULL, show);
}

int html_print_moving(const char *file)
{
	struct html_options options = {
		.output = "/dev/stdout", .rows = ROWS_MOVING, .functions = 0, .moves = true};
	struct profile *profile;
	struct error error = {""};
	int ret = reading_open(file, &options.reading.hints, &profile, &error), status;

	if (ret)
		return cmd_fail_error(ret, &error);
	status = show(&options, profile);
	(void)profile_free(profile);
	return status;
}
