// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/measuring.h"

#include "engine/clock.h"
#include "symbol/fetch.h"
#include "view/report.h"

enum {
	KEY_PERIOD = KEY_MEASURING,
	KEY_DITHER,
	KEY_CLOCK,
	KEY_ENGINE,
	KEY_CELLS,
	KEY_RAW,
	KEY_BY_PROCESS,
	KEY_BY_THREAD,
	KEY_BY_CPU,
	KEY_BY_CGROUP,
	KEY_EVERY,
	KEY_NAMES_TIMEOUT,
	KEY_MAX_STACK,
	KEY_CONTEXTS,
	KEY_TABLES,
	KEY_NO_FOLD,
	KEY_NO_PYTHON,
	KEY_FLAT,
	KEY_STACK_SIZE,
	KEY_WALL,
	KEY_WALL_BUDGET,
	KEY_WAKERS,
};

const struct option_row measuring_options[] = {
	{'F', "frequency", "HZ", "samples a second, 1 to 100,000 (997)", "Clock", VALUE_RATE,
	 .min = 1, .max = 100000, .accepted = "1 to 100,000 hertz, such as 997 or 10kHz"},
	{KEY_PERIOD, "period", "TIME", "time between samples, 10us to 1s, instead of -F", NULL,
	 VALUE_TIME, .min = 10000, .max = SECOND_NS,
	 .accepted = "10us to 1s, such as 1003us or 2.5ms"},
	{KEY_DITHER, "dither", NULL, "randomize the period as it runs"},
	{KEY_CLOCK, "clock", "WHOSE", "machine: one per CPU; task: one per thread (by engine)",
	 NULL, VALUE_CHOICE, .choices = "machine|task"},
	{KEY_ENGINE, "engine", "NAME", "who counts: auto, kernel, perf or timer (auto)", NULL,
	 VALUE_CHOICE, .choices = "auto|kernel|perf|timer"},
	{KEY_CELLS, "cells", "N", "size of the cell table, 64 to 16,777,216 (131,072)", NULL,
	 VALUE_COUNT, .min = 64, .max = 1 << 24, .accepted = "64 to 16,777,216, such as 262144"},

	{'g', "call-stacks", NULL, "with call stacks, or not at all (with them where it can)",
	 "Call stacks"},
	{KEY_FLAT, "flat", NULL, "without: count where the program was, and not who called"},
	{KEY_MAX_STACK, "max-stack", "N", "calls of a stack at most, 1 to 512 (256)", NULL,
	 VALUE_COUNT, .min = 1, .max = 512, .accepted = "1 to 512, such as 64"},
	{KEY_CONTEXTS, "contexts", "N", "size of the table of contexts, 64 to 16,777,216 (262,144)",
	 NULL, VALUE_COUNT, .min = 64, .max = 1 << 24,
	 .accepted = "64 to 16,777,216, such as 1048576"},
	{KEY_TABLES, "tables", "MIB", "memory for unwind tables, 1 to 1,024 MiB (10)", NULL,
	 VALUE_COUNT, .min = 1, .max = 1024, .accepted = "1 to 1,024, such as 64"},
	{KEY_NO_FOLD, "no-fold", NULL, "keep each call of a function that calls itself"},
	{KEY_NO_PYTHON, "no-python", NULL, "show Python's interpreter, not Python's functions"},
	{KEY_STACK_SIZE, "stack-size", "BYTES", "stack to copy a sample, 1,024 to 61,440 (16,384)",
	 NULL, VALUE_COUNT, .min = 1024, .max = 61440,
	 .accepted = "1,024 to 61,440, such as 32768"},

	{KEY_WALL, "wall", NULL, "all of the time: what threads waited for, and how long",
	 "All of the time"},
	{'e', "event", "EVENT", "wall: as --wall; cpu-clock: without", NULL, VALUE_CHOICE,
	 .choices = "cpu-clock|wall"},
	{KEY_WAKERS, "wakers", NULL, "and who ended each wait (--wall)"},
	{KEY_WALL_BUDGET, "wall-budget", "N",
	 "stacks of waits a second and CPU, 1 to 1,000,000 (2,000)", NULL, VALUE_COUNT, .min = 1,
	 .max = 1000000, .accepted = "1 to 1,000,000, such as 500"},

	OPTION_PROFILE_ROW,
	{KEY_RAW, "raw", NULL, "leave names out of the profile"},
	{KEY_BY_PROCESS, "by-process", NULL, "keep the samples of each process apart"},
	{KEY_BY_THREAD, "by-thread", NULL, "keep the samples of each thread apart"},
	{KEY_BY_CPU, "by-cpu", NULL, "keep the samples of each CPU apart"},
	{KEY_BY_CGROUP, "by-cgroup", NULL, "keep the samples of each control group apart"},
	{KEY_EVERY, "every", "TIME", "write the profile so far each TIME, 100ms to 24h", NULL,
	 VALUE_TIME, .min = SECOND_NS / 10, .max = 24 * 3600 * SECOND_NS,
	 .accepted = "100ms to 24h, such as 10s"},
	{KEY_NAMES_TIMEOUT, "names-timeout", "TIME", "wait for debuginfod, 0 to 24h in all (10s)",
	 NULL, VALUE_TIME, .max = 24 * 3600 * SECOND_NS, .accepted = "0 to 24h, such as 30s"},

	OPTION_BY_ROW("Report at the end", TABLE_BY_CHOICES),
	OPTION_ROWS_ROW("show at most N rows, 0 for all (25)"),
	OPTION_NO_REPORT_ROW,
	{'q', "quiet", NULL, "no live line while it runs", "General"},
	OPTION_HELP_ROW,
	{0},
};

static const char *const engine_names[] = {"auto", "kernel", "perf", "timer"};

/* Nothing that divides a second: a program with a round period of its own falls out of step. */
#define DEFAULT_HERTZ 997

void measuring_defaults(struct measure_options *options)
{
	*options = (struct measure_options){
		.engine.period_ns = clock_odd_period(SECOND_NS / DEFAULT_HERTZ),
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
		.dither = options->dither,
		.everyone = options->engine.everyone,
		.by_cpu = options->engine.by_cpu,
		.by_cgroup = options->engine.by_cgroup,
		.call_stacks = options->stacks_asked,
		.wall = options->engine.wall,
	};
}

/* A report at the end by what cells are kept apart by asks for that, too. */
static void keep_apart(struct engine_options *engine, enum table_by by)
{
	engine->by_process |= by == TABLE_BY_PROCESS || by == TABLE_BY_COMM;
	engine->by_thread |= by == TABLE_BY_THREAD;
	engine->by_cpu |= by == TABLE_BY_CPU;
	engine->by_cgroup |= by == TABLE_BY_CGROUP;
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

int measuring_check(const struct measure_options *options)
{
	const char *stray = options->engine.call_stacks ? NULL : stray_option(options);

	return stray ? cmd_fail("%s and --flat: with call stacks, or without: leave one out", stray)
		     : 0;
}

static void take_wall(struct engine_options *engine, int key, const struct option_value *value)
{
	switch (key) {
	case KEY_WALL:
		engine->wall = true;
		break;
	case 'e':
		engine->wall = value->number;
		break;
	case KEY_WAKERS:
		engine->wall = engine->wakers = true;
		break;
	case KEY_WALL_BUDGET:
		engine->wall_budget = (uint32_t)value->number;
		break;
	}
}

/* What there is to say of call stacks. */
static void take_stacks(struct measure_options *options, int key, const struct option_value *value)
{
	struct engine_options *engine = &options->engine;

	switch (key) {
	case 'g':
		options->stacks_asked = true;
		break;
	case KEY_FLAT:
		engine->call_stacks = false;
		break;
	case KEY_MAX_STACK:
		engine->max_stack = (uint32_t)value->number;
		break;
	case KEY_CONTEXTS:
		engine->max_contexts = (uint32_t)value->number;
		break;
	case KEY_TABLES:
		engine->tables_mib = (uint32_t)value->number;
		break;
	case KEY_NO_FOLD:
		engine->no_fold = true;
		break;
	case KEY_NO_PYTHON:
		engine->no_python = true;
		break;
	case KEY_STACK_SIZE: /* which the kernel wants in words */
		engine->stack_size = (uint32_t)value->number & ~7u;
		break;
	}
}

void measuring_take(struct measure_options *options, int key, const struct option_value *value)
{
	switch (key) {
	case 'F':
		options->engine.period_ns = clock_odd_period(SECOND_NS / value->number);
		break;
	case KEY_PERIOD:
		options->engine.period_ns = value->number;
		break;
	case KEY_DITHER:
		options->dither = true;
		options->engine.redraws = true;
		break;
	case KEY_CLOCK:
		options->engine.clock = value->number ? CLOCK_TASK : CLOCK_MACHINE;
		break;
	case KEY_ENGINE:
		options->engine_name = engine_names[value->number];
		break;
	case KEY_CELLS:
		options->engine.cell_limit = (uint32_t)value->number;
		break;
	case KEY_RAW:
		options->raw = true;
		break;
	case KEY_BY_PROCESS:
		options->engine.by_process = true;
		break;
	case KEY_BY_THREAD:
		options->engine.by_thread = true;
		break;
	case KEY_BY_CPU:
		options->engine.by_cpu = true;
		break;
	case KEY_BY_CGROUP:
		options->engine.by_cgroup = true;
		break;
	case KEY_EVERY:
		options->every_ns = value->number;
		break;
	case KEY_NAMES_TIMEOUT:
		options->names_timeout_ns = value->number;
		break;
	case KEY_FOR:
		options->for_ns = value->number;
		break;
	case 'q':
		options->quiet = true;
		break;
	case KEY_BY:
		keep_apart(&options->engine, (enum table_by)value->number);
	}
	take_stacks(options, key, value);
	take_wall(&options->engine, key, value);
	keep_take(&options->keeping, key, value);
}
