// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/measuring.h"

#include "engine/clock.h"
#include "symbol/fetch.h"
#include "view/report.h"

#include <string.h>

/* Nothing that divides a second: a program with a round period of its own falls out of step. */
#define DEFAULT_HERTZ 997

static uint64_t usual_period(void)
{
	return clock_odd_period(SECOND_NS / DEFAULT_HERTZ);
}

static int take_frequency(void *options, const struct option_value *value)
{
	struct measure_options *measure = options;

	measure->engine.period_ns = clock_odd_period(SECOND_NS / value->number);
	return 0;
}

/* A report at the end by what cells are kept apart by asks for that, too. */
static int keep_apart(void *options, const struct option_value *value)
{
	struct engine_options *engine = &((struct measure_options *)options)->engine;
	enum table_by by = (enum table_by)value->number;

	engine->by_process |= by == TABLE_BY_PROCESS || by == TABLE_BY_COMM;
	engine->by_thread |= by == TABLE_BY_THREAD;
	engine->by_cpu |= by == TABLE_BY_CPU;
	engine->by_cgroup |= by == TABLE_BY_CGROUP;
	engine->wall |= by == TABLE_BY_REASON;
	return 0;
}

static int take_wakers(void *options, const struct option_value *value)
{
	((struct measure_options *)options)->engine.wall = true;
	return 0;
}

static int take_output(void *options, const struct option_value *value)
{
	return keeping_take_output(&((struct measure_options *)options)->keeping, value->text);
}

static void count_by(struct measure_options *measure)
{
	if (measure->count)
		measure->event.period = measure->count;
}

static int take_count(void *options, const struct option_value *value)
{
	count_by(options);
	return 0;
}

/* "wall" is no event, but all of the time; and of the time is what there is without one. */
static int take_event(void *options, const struct option_value *value)
{
	struct measure_options *measure = options;
	struct engine_options *engine = &measure->engine;
	struct error why;

	if (engine->event)
		return cmd_fail("-e %s: a second event: one profile has samples of one: leave "
				"'-e %s' out, or run twice",
				value->text, measure->event.name);
	if (!strcmp(value->text, "wall")) {
		engine->wall = true;
		return 0;
	}
	if (event_find(/* root= */ "", value->text, &measure->event, &why) ||
	    event_settle(&measure->event, &why))
		return cmd_fail("-e %s", why.text);
	if (!measure->event.is_clock)
		engine->event = &measure->event;
	count_by(measure);
	return 0;
}

#define TO(member) INTO(struct measure_options, member)
#define ON(member) SETS(struct measure_options, member, true)

const struct option_row measuring_options[] = {
	{'F', "frequency", "HZ", "samples a second, 1 to 100,000 (997)", "Clock", VALUE_RATE,
	 .min = 1, .max = 100000, .accepted = "1 to 100,000 hertz, such as 997 or 10kHz",
	 .take = take_frequency},
	{0, "period", "TIME", "time between samples, 10us to 1s, instead of -F", NULL, VALUE_TIME,
	 .min = 10000, .max = SECOND_NS, .accepted = "10us to 1s, such as 1003us or 2.5ms",
	 TO(engine.period_ns)},
	{'e', "event", "EVENT", "take samples of EVENT: cycles, page-faults... (cpu-clock)", NULL,
	 VALUE_WORD,
	 .choices = "cpu-clock|wall|cycles|instructions|cache-misses|branch-misses|page-faults|"
		    "minor-faults|major-faults|context-switches|cpu-migrations",
	 .take = take_event},
	{'c', "count", "N", "events a sample (1; of the hardware's, thousands)", NULL, VALUE_COUNT,
	 .min = 1, .max = 1000000000000, .accepted = "1 to 1,000,000,000,000, such as 1000",
	 TO(count), .take = take_count},
	{0, "dither", NULL, "randomize the period as it runs", ON(engine.redraws)},
	{0, "clock", "WHOSE", "machine: one per CPU; task: one per thread (by engine)", NULL,
	 VALUE_CHOICE, .choices = "machine|task",
	 SETS(struct measure_options, engine.clock, CLOCK_MACHINE)},
	{0, "engine", "NAME", "who counts: auto, kernel, perf or timer (auto)", NULL, VALUE_CHOICE,
	 .choices = "auto|kernel|perf|timer", TO(engine_name)},
	{0, "cells", "N", "size of the cell table, 64 to 16,777,216 (131,072)", NULL, VALUE_COUNT,
	 .min = 64, .max = 1 << 24, .accepted = "64 to 16,777,216, such as 262144",
	 TO(engine.cell_limit)},

	{'g', "call-stacks", NULL, "with call stacks, or not at all (with them where it can)",
	 "Call stacks", ON(stacks_asked)},
	{0, "flat", NULL, "without: count where the program was, and not who called",
	 SETS(struct measure_options, engine.call_stacks, false)},
	{0, "max-stack", "N", "calls of a stack at most, 1 to 512 (256)", NULL, VALUE_COUNT,
	 .min = 1, .max = 512, .accepted = "1 to 512, such as 64", TO(engine.max_stack)},
	{0, "contexts", "N", "size of the table of contexts, 64 to 16,777,216 (262,144)", NULL,
	 VALUE_COUNT, .min = 64, .max = 1 << 24, .accepted = "64 to 16,777,216, such as 1048576",
	 TO(engine.max_contexts)},
	{0, "tables", "MIB", "memory for unwind tables, 1 to 1,024 MiB (as needed)", NULL,
	 VALUE_COUNT, .min = 1, .max = 1024, .accepted = "1 to 1,024, such as 64",
	 TO(engine.tables_mib)},
	{0, "no-fold", NULL, "keep each call of a function that calls itself", ON(engine.no_fold)},
	{0, "no-python", NULL, "show Python's interpreter, not Python's functions",
	 ON(engine.no_python)},
	{0, "stack-size", "BYTES", "stack to copy a sample, 1,024 to 61,440 (16,384)", NULL,
	 VALUE_COUNT, .min = 1024, .max = 61440, .accepted = "1,024 to 61,440, such as 32768",
	 TO(engine.stack_size)},

	{0, "wall", NULL, "all of the time: what threads waited for, and how long",
	 "All of the time", ON(engine.wall)},
	{0, "wakers", NULL, "and who ended each wait (--wall)", ON(engine.wakers),
	 .take = take_wakers},
	{0, "wall-budget", "N", "stacks of waits a second and CPU, 1 to 1,000,000 (2,000)", NULL,
	 VALUE_COUNT, .min = 1, .max = 1000000, .accepted = "1 to 1,000,000, such as 500",
	 TO(engine.wall_budget)},

	OPTION_PROFILE_ROW(struct measure_options, keeping, take_output),
	{0, "raw", NULL, "leave names out of the profile", ON(raw)},
	{0, "by-process", NULL, "keep the samples of each process apart", ON(engine.by_process)},
	{0, "by-thread", NULL, "keep the samples of each thread apart", ON(engine.by_thread)},
	{0, "by-cpu", NULL, "keep the samples of each CPU apart", ON(engine.by_cpu)},
	{0, "by-cgroup", NULL, "keep the samples of each control group apart",
	 ON(engine.by_cgroup)},
	{0, "every", "TIME", "write the profile so far each TIME, 100ms to 24h", NULL, VALUE_TIME,
	 .min = SECOND_NS / 10, .max = 24 * 3600 * SECOND_NS,
	 .accepted = "100ms to 24h, such as 10s", TO(every_ns)},
	{0, "names-timeout", "TIME", "wait for debuginfod, 0 to 24h in all (10s)", NULL, VALUE_TIME,
	 .max = 24 * 3600 * SECOND_NS, .accepted = "0 to 24h, such as 30s", TO(names_timeout_ns)},

	OPTION_KEEPING_ROWS(struct measure_options, keeping, TABLE_BY_CHOICES, keep_apart),
	{'q', "quiet", NULL, "no line that shows how far it is", "General", ON(quiet)},
	{'v', "verbose", NULL, "say how much memory it took", ON(verbose)},
	OPTION_HELP_ROW,
	{0},
};

void measuring_defaults(struct measure_options *options)
{
	*options = (struct measure_options){
		.engine.period_ns = usual_period(),
		.engine.call_stacks = true,
		.engine_name = "auto",
		.keeping = KEEPING_USUAL,
		.names_timeout_ns = FETCH_TIMEOUT_NS,
	};
}

struct engine_wish measuring_wish(const struct measure_options *options)
{
	return (struct engine_wish){
		.name = options->engine_name,
		.clock = options->engine.clock,
		.dither = options->engine.redraws,
		.everyone = options->engine.everyone,
		.by_cpu = options->engine.by_cpu,
		.by_cgroup = options->engine.by_cgroup,
		.call_stacks = options->stacks_asked,
		.event = options->engine.event,
		.waits = options->engine.wakers || options->engine.wall_budget,
	};
}

/* The option that speaks of call stacks where there are to be none, or NULL. */
static const char *stray_option(const struct measure_options *options)
{
	const struct engine_options *engine = &options->engine;

	if (options->stacks_asked)
		return "-g";
	if (engine->max_stack)
		return "--max-stack";
	if (engine->max_contexts)
		return "--contexts";
	if (engine->tables_mib)
		return "--tables";
	if (engine->stack_size)
		return "--stack-size";
	if (engine->wakers)
		return "--wakers";
	if (engine->no_python)
		return "--no-python";
	return engine->no_fold ? "--no-fold" : NULL;
}

/* What is of time alone, where samples are of an event. */
static int check_event(const struct measure_options *options)
{
	const struct engine_options *engine = &options->engine;
	const char *stray = engine->wall			  ? "--wall"
			    : engine->redraws			  ? "--dither"
			    : engine->period_ns != usual_period() ? "-F"
								  : NULL;

	if (engine->event && stray)
		return cmd_fail("%s and -e %s: that is of the CPU clock: leave one out%s", stray,
				engine->event->name,
				*stray == '-' && stray[1] == 'F'
					? "; -c says how many events a sample has"
					: "");
	if (options->count && !engine->event)
		return cmd_fail("-c: the CPU clock has a frequency: take -F, or name an event "
				"with -e");
	return 0;
}

int measuring_check(const struct measure_options *options)
{
	const char *stray = options->engine.call_stacks ? NULL : stray_option(options);

	if (check_event(options))
		return EXIT_PROFIL;
	return stray ? cmd_fail("%s and --flat: with call stacks, or without: leave one out", stray)
		     : 0;
}
