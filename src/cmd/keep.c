// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/keep.h"

#include "base/capability.h"
#include "cmd/command.h"
#include "cmd/measure.h"
#include "cmd/naming.h"
#include "cmd/shared.h"
#include "engine/clock.h"
#include "profile/facts.h"
#include "profile/pprof.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct keeper {
	const struct measure_options *options;
	const struct engine_ops *ops;
	const char *command;
	int64_t time_ns; /* when it began, since the epoch */
	uint64_t stolen_before_ns, idle_before_ns;
	bool has_written; /* what stands there is this measurement's own */
};

void keep_take(struct keeping *keeping, int key, const struct option_value *value)
{
	switch (key) {
	case 'o':
		keeping->output = value->text;
		break;
	case KEY_BY:
		keeping->by = (enum table_by)value->number;
		break;
	case 'n':
		keeping->rows = value->number;
		break;
	case KEY_NO_REPORT:
		keeping->no_report = true;
		break;
	}
}

int64_t keep_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

struct keeper *keeper_new(const struct measure_options *options, const struct engine_ops *ops,
			  const char *command)
{
	struct keeper *keeper = calloc(1, sizeof(*keeper));

	if (!keeper)
		return NULL;
	keeper->time_ns = keep_now();
	keeper->stolen_before_ns = stolen_ns();
	keeper->idle_before_ns = idle_ns();
	keeper->options = options;
	keeper->ops = ops;
	keeper->command = command;
	return keeper;
}

void keeper_free(struct keeper *keeper)
{
	free(keeper);
}

static bool has_task_clock(const struct keeper *keeper)
{
	return engine_clock_of(keeper->ops, keeper->options->engine.clock) == CLOCK_TASK;
}

static int add_words(struct keeper *keeper, struct profile *profile)
{
	const struct facts_words words = {
		.producer = KEEP_PRODUCER,
		.command = keeper->command,
		.engine = keeper->ops->name,
		.event = keeper->ops->event,
		.clock = has_task_clock(keeper) ? "task" : "machine",
	};

	return facts_set_words(profile, &words);
}

/* When a measurement is looked at, and what the machine has done by then. */
struct moment {
	uint64_t elapsed_ns, stolen_ns, idle_ns;
	bool final;
};

static int add_facts(struct keeper *keeper, struct profile *profile,
		     const struct histogram *histogram, const struct moment *moment)
{
	struct profile_facts *facts = &profile->facts;

	facts->time_ns = keeper->time_ns;
	facts->duration_ns = moment->elapsed_ns;
	facts->stolen_ns = moment->stolen_ns - keeper->stolen_before_ns;
	if (histogram->whole_cpus) {
		facts->duration_ns = histogram->whole_ns;
		facts->machine_ns = histogram->whole_ns * histogram->whole_cpus;
		facts->idle_ns = moment->idle_ns - keeper->idle_before_ns;
	}
	facts->partial = !moment->final;
	facts->period_ns = histogram->fired ? histogram->fired_ns / histogram->fired
					    : keeper->options->engine.period_ns;
	if (keeper->options->dither) {
		facts->asked_ns = keeper->options->engine.period_ns;
		facts->fired_ns = histogram->fired_ns;
	}
	if (has_task_clock(keeper) && histogram->cpu_ns > histogram->fired_ns)
		facts->remainder_ns = histogram->cpu_ns - histogram->fired_ns;
	return add_words(keeper, profile);
}

/* A profile without names is a profile: what goes wrong with them is said, and no more. */
static void name_all(struct profile **profile)
{
	struct error why;
	int r = naming_apart(profile, &why);

	if (r)
		(void)cmd_fail_error(r, &why);
}

/* The engine's histogram as a profile, with names unless --raw. */
static int take(struct keeper *keeper, struct engine *engine, uint64_t elapsed_ns, bool final,
		struct profile **ret_profile, struct error *reterr)
{
	const struct moment moment = {elapsed_ns, stolen_ns(), idle_ns(), final};
	struct histogram histogram = {};
	struct profile *profile = NULL;
	int r = keeper->ops->read(engine, final, &histogram, reterr);

	if (r)
		return r;
	r = profile_from_histogram(&histogram, &profile);
	if (!r)
		r = add_facts(keeper, profile, &histogram, &moment);
	histogram_done(&histogram);
	if (r)
		(void)error_set(reterr, r, "profile: %s: free some memory", strerror(-r));
	if (r) {
		profile_free(profile);
		return r;
	}
	if (!keeper->options->raw)
		name_all(&profile);
	*ret_profile = profile;
	return 0;
}

/* Who may look into others has a profile for himself. */
static bool sees_others(void)
{
	uint64_t rights = 1ull << CAP_BPF | 1ull << CAP_PERFMON | 1ull << CAP_SYS_ADMIN |
			  1ull << CAP_SYS_PTRACE;

	return capability_effective() & rights;
}

/* What was there before the measurement is kept, and of the measurement the last snapshot. */
static int write_profile(struct keeper *keeper, struct profile *profile, struct error *reterr)
{
	const char *path = keeper->options->keeping.output;
	int r;

	profile->is_private = sees_others();
	r = keeper->has_written ? pprof_write(profile, path, reterr)
				: pprof_write_keeping(profile, path, reterr);
	keeper->has_written |= !r;
	return r;
}

void keeper_snapshot(struct keeper *keeper, struct engine *engine, uint64_t elapsed_ns)
{
	struct profile *profile = NULL;
	struct error why = {};
	int r = take(keeper, engine, elapsed_ns, false, &profile, &why);

	if (!r)
		r = write_profile(keeper, profile, &why);
	if (r)
		(void)cmd_fail_error(r, &why);
	profile_free(profile);
}

int keep_report(const struct profile *profile, const struct keeping *keeping, struct error *reterr)
{
	struct table_options what = {.by = keeping->by};
	struct report_style style;
	struct table *table = NULL;
	int r;

	report_style_detect(stderr, &style);
	style.rows = keeping->rows;
	style.file = keeping->output;
	r = table_build(profile, &what, &table, reterr);
	if (!r)
		r = report_print(stderr, profile, table, &style);
	table_free(table);
	return r;
}

int keeper_final(struct keeper *keeper, struct engine *engine, uint64_t elapsed_ns)
{
	struct profile *profile = NULL;
	struct error why = {};
	int r = take(keeper, engine, elapsed_ns, true, &profile, &why);
	int written = r ? r : write_profile(keeper, profile, &why);

	if (written)
		(void)cmd_fail_error(written, &why);
	/* With no room for the file, the report is all that is left of the measurement. */
	if (!r && !keeper->options->keeping.no_report) {
		if (keeper->options->raw)
			name_all(&profile);
		r = keep_report(profile, &keeper->options->keeping, &why);
		if (r && r != -EIO)
			(void)cmd_fail_error(r, &why);
	}
	profile_free(profile);
	return written || r ? EXIT_PROFIL : 0;
}
