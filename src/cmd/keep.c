// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/keep.h"

#include "cmd/command.h"
#include "cmd/destination.h"
#include "cmd/engines.h"
#include "cmd/measure.h"
#include "cmd/naming.h"
#include "cmd/output_name.h"
#include "cmd/signals.h"
#include "cmd/snapshot.h"
#include "engine/clock.h"
#include "profile/facts.h"
#include "profile/main_program.h"
#include "profile/pprof.h"
#include "target/executable.h"
#include "target/proc.h"
#include "target/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STOP_MS 1000 /* in which a search that was stopped hands over what it has */

struct keeper {
	const struct measure_options *options;
	const struct engines *engines; /* the one that counts may change until it has started */
	const char *command;
	char *program;	 /* path of the main one's file; heap or NULL */
	int64_t time_ns; /* when it began, since the epoch */
	uint64_t stolen_before_ns, idle_before_ns;
	struct destination destination;
	int signals;
	struct snapshot snapshot;
};

int64_t keep_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int keeping_take_output(struct keeping *keeping, const char *pattern)
{
	static char path[PATH_MAX];
	struct error why;

	if (output_name(pattern, path, sizeof(path), &why))
		return cmd_fail("-o %s", why.text);
	keeping->output = path;
	return 0;
}

struct keeper *keeper_new(const struct engines *engines, const char *command, const char *program,
			  int signals)
{
	const struct measure_options *options = engines->options;
	struct keeper *keeper = calloc(1, sizeof(*keeper));

	if (!keeper || destination_open(&keeper->destination, options->keeping.output)) {
		free(keeper);
		return NULL;
	}
	keeper->time_ns = keep_now();
	keeper->stolen_before_ns = stolen_ns();
	keeper->idle_before_ns = idle_ns();
	keeper->options = options;
	keeper->engines = engines;
	keeper->command = command;
	keeper->signals = signals;
	keeper->program = program ? executable_path(program) : NULL;
	return keeper;
}

void keeper_free(struct keeper *keeper)
{
	if (!keeper)
		return;
	snapshot_end(&keeper->snapshot);
	destination_close(&keeper->destination);
	free(keeper->program);
	free(keeper);
}

static bool has_task_clock(const struct keeper *keeper)
{
	return engine_clock_of(keeper->engines->ops, keeper->options->engine.clock) == CLOCK_TASK;
}

static int add_words(struct keeper *keeper, struct profile *profile)
{
	const struct event *event = keeper->options->engine.event;
	const struct facts_words words = {
		.producer = KEEP_PRODUCER,
		.command = keeper->command,
		.engine = keeper->engines->ops->name,
		.event = event ? event->name : keeper->engines->ops->event,
		.clock = event			  ? ""
			 : has_task_clock(keeper) ? "task"
						  : "machine",
		.no_stacks = keeper->engines->no_stacks.text,
	};

	return facts_set_words(profile, &words);
}

/* When a measurement is looked at, and what the machine has done by then. */
struct moment {
	uint64_t elapsed_ns, stolen_ns, idle_ns;
	bool final, ended;
};

static struct moment now_at(uint64_t elapsed_ns)
{
	return (struct moment){elapsed_ns, stolen_ns(), idle_ns(), .final = false};
}

static int add_facts(struct keeper *keeper, struct profile *profile,
		     const struct histogram *histogram, const struct moment *moment)
{
	const struct event *event = keeper->options->engine.event;
	struct profile_facts *facts = &profile->facts;

	facts->time_ns = keeper->time_ns;
	facts->duration_ns = moment->elapsed_ns;
	facts->stolen_ns = moment->stolen_ns - keeper->stolen_before_ns;
	if (histogram->machine_ns) {
		facts->duration_ns = histogram->whole_ns;
		facts->machine_ns = histogram->machine_ns;
		facts->idle_ns = moment->idle_ns - keeper->idle_before_ns;
	}
	facts->partial = !moment->final;
	if (moment->ended)
		facts->left_running = histogram->running;
	if (event) {
		facts->period_ns = 0;
		facts->period = event->period;
		facts->counted = histogram->counted;
		facts->counters = histogram->counters;
		return add_words(keeper, profile);
	}
	facts->period_ns = histogram->fired ? histogram->fired_ns / histogram->fired
					    : keeper->options->engine.period_ns;
	if (keeper->options->engine.redraws) {
		facts->asked_ns = keeper->options->engine.period_ns;
		facts->samples_ns = histogram->fired_ns;
	}
	if (has_task_clock(keeper) && histogram->cpu_ns > histogram->fired_ns)
		facts->remainder_ns = histogram->cpu_ns - histogram->fired_ns;
	return add_words(keeper, profile);
}

/* Many processes have one name and tell by their command lines what each is.  Of those that have
 * ended, what the engine knows. */
static int add_titles(const struct keeper *keeper, struct profile *profile)
{
	const struct engine_options *engine = &keeper->options->engine;
	char title[PROCESS_TITLE_MAX];
	int ret = 0;

	if ((!engine->by_process && !engine->by_thread) || !proc_is_own())
		return 0;
	for (size_t i = 0; !ret && i < profile->task_count; i++) {
		struct profile_task *task = &profile->tasks[i];

		if (!task->pid || (task->tid && task->tid != task->pid))
			continue;
		process_title((pid_t)task->pid, profile_text(profile, task->name), title);
		if (*title)
			ret = profile_string(profile, title, &task->title);
	}
	return ret;
}

/* The engine's histogram as a profile, without names. */
static int take(struct keeper *keeper, struct engine *engine, const struct moment *moment,
		struct profile **ret_profile, struct error *reterr)
{
	struct histogram histogram = {};
	struct profile *profile = NULL;
	int ret = keeper->engines->ops->read(engine, moment->final, &histogram, reterr);

	if (ret)
		return ret;
	histogram.program = keeper->program ? strdup(keeper->program) : NULL;
	ret = profile_from_histogram(&histogram, &profile);
	if (!ret)
		ret = add_facts(keeper, profile, &histogram, moment);
	if (!ret)
		ret = add_titles(keeper, profile);
	if (!ret)
		ret = main_program_first(profile);
	histogram_done(&histogram);
	if (ret) {
		profile_free(profile);
		return error_set(reterr, ret, "profile: %s: free some memory", strerror(-ret));
	}
	*ret_profile = profile;
	return 0;
}

bool keeper_snapshot(struct keeper *keeper, struct engine *engine, uint64_t elapsed_ns)
{
	const struct snapshot_options options = {
		.destination = &keeper->destination,
		.raw = keeper->options->raw,
		.naming.server_ns = keeper->options->names_timeout_ns,
	};
	struct profile *profile = NULL;
	struct moment moment;
	struct error why = {};
	int ret;

	if (!keeper->destination.path)
		return true;
	if (snapshot_is_busy(&keeper->snapshot))
		return false;
	moment = now_at(elapsed_ns);
	ret = take(keeper, engine, &moment, &profile, &why);
	if (!ret)
		ret = snapshot_begin(&keeper->snapshot, profile, &options, &why);
	if (ret)
		(void)cmd_fail_error(ret, &why);
	profile_free(profile);
	return true;
}

bool keeper_show(struct keeper *keeper, struct engine *engine, uint64_t elapsed_ns,
		 struct mover *mover)
{
	const struct moment moment = now_at(elapsed_ns);
	enum mover_wish wish = mover_wish(mover);
	struct profile *profile = NULL;
	struct error why = {};

	if (wish == MOVER_PROFILE) {
		(void)take(keeper, engine, &moment, &profile, &why);
		mover_send(mover, profile, &why);
		profile_free(profile);
	}
	if (wish == MOVER_ENDED)
		(void)mover_wait(mover, keeper->signals);
	return wish != MOVER_ENDED;
}

/* Standard error keeps nothing back, and would be written a few bytes at a time.  NULL: as it is.
 */
static FILE *buffered_error(void)
{
	int fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (!file && fd >= 0)
		close(fd);
	return file;
}

int keep_report(const struct profile *profile, const struct keeping *keeping, struct error *reterr)
{
	FILE *out = buffered_error();
	struct table_options what = {.by = keeping->by, .lives = true};
	struct report_style style;
	struct table *table = NULL;
	int ret;

	report_style_detect(stderr, &style);
	style.rows = keeping->rows;
	style.file = keeping->output;
	ret = table_build(profile, &what, &table, reterr);
	if (!ret)
		ret = report_print(out ? out : stderr, profile, table, &style);
	table_free(table);
	if (out && fclose(out) && !ret)
		ret = -EIO;
	return ret;
}

/* With no room for the file, the report is all that is left of the measurement. */
static int report(const struct keeper *keeper, const struct profile *profile)
{
	struct error why = {};
	int ret = keep_report(profile, &keeper->options->keeping, &why);

	if (ret && ret != -EIO)
		(void)cmd_fail_error(ret, &why);
	return ret ? EXIT_PROFIL : 0;
}

/* What is left when the counts are on disk. */
struct ending {
	const struct keeper *keeper;
	struct profile *profile;
	bool once;  /* what is written in place can be written but once */
	int status; /* of writing the counts */
};

/* In the process that has found the names; in this one where none has.  What asked for an end until
 * now meant the search. */
static int finish(void *context)
{
	const struct ending *ending = context;
	const struct keeper *keeper = ending->keeper;
	int status = ending->status;

	if (ending->once)
		signals_let_end(keeper->signals);
	if (!keeper->options->raw && !status)
		status = destination_write(&keeper->destination, ending->profile);
	signals_let_end(keeper->signals);
	if (keeper->options->keeping.no_report)
		return status;
	return report(keeper, ending->profile) ? EXIT_PROFIL : status;
}

/* Each signal that asks for an end goes on to NAMING, which knows whether it may end now.  Returns
 * 0, or the signal that ends everything. */
static int wait_for_names(const struct keeper *keeper, struct naming *naming)
{
	int left = -1, number;
	bool is_stopped = false;

	/* What arrived before a search was stopped is what stops it; then the time runs. */
	while (!apart_wait(&naming->apart, left, keeper->signals)) {
		number = signals_next_end(keeper->signals);
		if (number)
			kill(naming->apart.pid, number);
		if (is_stopped && naming_take_turn(naming))
			return number;
		left = number && !is_stopped ? STOP_MS : -1;
		is_stopped |= number;
		if (number)
			apart_stop(&naming->apart);
	}
	return 0;
}

/* A profile without names is a profile: what goes wrong with them is said, and no more. */
static int name_and_finish(const struct keeper *keeper, struct ending *ending)
{
	const struct naming_options options = {
		.server_ns = keeper->options->names_timeout_ns,
		.is_shown = !keeper->options->quiet,
	};
	struct naming naming;
	struct error why = {};
	int ret = naming_begin(&naming, ending->profile, &options, finish, ending, &why);
	int number = 0;

	if (!ret) {
		number = wait_for_names(keeper, &naming);
		ret = naming_end(&naming, &why);
	}
	if (number)
		return 128 + number;
	if (ret >= 0)
		return ret;
	(void)cmd_fail_error(ret, &why);
	return finish(ending);
}

/* What is counted is on disk before a name is sought, for which files of anybody's are read and
 * servers are asked. */
static int keep(struct keeper *keeper, struct profile *profile)
{
	const struct measure_options *options = keeper->options;
	struct ending ending = {.keeper = keeper, .profile = profile};

	ending.once = !options->raw && pprof_in_place(options->keeping.output);
	if (!ending.once)
		ending.status = destination_write(&keeper->destination, profile);
	return options->raw && options->keeping.no_report ? finish(&ending)
							  : name_and_finish(keeper, &ending);
}

int keeper_final(struct keeper *keeper, struct engine *engine, uint64_t elapsed_ns, bool ended,
		 struct mover *mover)
{
	struct profile *profile = NULL;
	struct moment moment;
	struct error why = {};
	int ret, shown;

	/* What came while the program ran was the program's. */
	signals_forget(keeper->signals);
	snapshot_end(&keeper->snapshot);
	moment = now_at(elapsed_ns);
	moment.final = true;
	moment.ended = ended;
	ret = take(keeper, engine, &moment, &profile, &why);
	if (ret)
		ret = cmd_fail_error(ret, &why);
	else if (mover->show.keeps)
		ret = destination_write(&keeper->destination, profile);
	mover_send(mover, profile, &why);
	if (mover->show.keeps && !profile)
		mover_stop(mover);
	shown = mover_wait(mover, keeper->signals);
	if (!ret && !mover->show.keeps && keeper->destination.path)
		ret = keep(keeper, profile);
	profile_free(profile);
	/* Where names could not be found, what is written is the profile all the same. */
	return ret || mover->show.keeps ? ret : shown;
}
