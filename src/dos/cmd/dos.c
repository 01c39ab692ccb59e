// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"
#include "cmd/foreign.h"
#include "cmd/keep.h"
#include "cmd/shared.h"
#include "cmd/subject.h"

#include "base/lent.h"
#include "dos/dosbox.h"
#include "dos/program.h"
#include "format/format.h"
#include "profile/facts.h"
#include "profile/pprof.h"
#include "profile/replace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CTRL_C_STATUS 130 /* as a shell says it of SIGINT */

#define INTERVAL_MIN 60
#define INTERVAL_MAX 65529

/* What 'profil dos' was asked for. */
struct dos_options {
	unsigned bucket_size, interval_us, cycles;
	bool window;
	const char *map; /* NULL: what stands beside the program */
	struct keeping keeping;
};

/* A round interval would fall in step with programs that have one of their own. */
static const struct dos_options usual = {
	.bucket_size = 1,
	.interval_us = 1003,
	.cycles = 20000,
	.keeping = KEEPING_USUAL,
};

static int take_output(void *options, const struct option_value *value)
{
	return keeping_take_output(&((struct dos_options *)options)->keeping, value->text);
}

const struct option_row dos_options[] = {
	{0, "bucket", "N", "paragraphs of 16 bytes a cell, 1 to 65,529 (1)", "Clock", VALUE_COUNT,
	 .min = 1, .max = 65529, .accepted = "1 to 65,529 paragraphs, such as 4",
	 INTO(struct dos_options, bucket_size)},
	{0, "interval", "US", "microseconds between samples, 60 to 65,529 (1,003)", NULL,
	 VALUE_COUNT, .min = INTERVAL_MIN, .max = INTERVAL_MAX,
	 .accepted = "60 to 65,529 microseconds, such as 1003",
	 INTO(struct dos_options, interval_us)},
	{0, "cycles", "N", "speed: instructions a millisecond, 100 to 1,000,000 (20,000)", NULL,
	 VALUE_COUNT, .min = 100, .max = 1000000,
	 .accepted = "100 to 1,000,000 instructions a millisecond, such as 300 for an 8088",
	 INTO(struct dos_options, cycles)},
	{0, "window", NULL, "show DOSBox's screen and take its keys",
	 SETS(struct dos_options, window, true)},

	OPTION_PROFILE_ROW(struct dos_options, keeping, take_output),
	OPTION_MAP_ROW("the program's MAP file (beside it)", INTO(struct dos_options, map)),

	OPTION_KEEPING_ROWS(struct dos_options, keeping, "function|line|address|object", NULL),
	OPTION_HELP_ROW,
	{0},
};

static int add_facts(struct profile *profile, char **argv)
{
	char *command = subject_command(argv);
	const struct facts_words words = {
		.producer = KEEP_PRODUCER,
		.command = command,
		.system = "DOS in DOSBox",
	};
	int ret = command ? facts_set_words(profile, &words) : -ENOMEM;

	profile->facts.time_ns = keep_now();
	free(command);
	return ret;
}

static int keep(const struct dos_options *options, char **argv, const char *report,
		struct error *reterr)
{
	char *program = realpath(argv[0], NULL);
	const struct format_hints hints = {
		.program = program ? program : argv[0],
		.map = options->map,
	};
	struct profile *profile;
	int ret = format_read(report, &hints, &profile, reterr);

	free(program);
	if (ret)
		return ret;
	ret = add_facts(profile, argv);
	if (!ret)
		ret = pprof_write_keeping(profile, options->keeping.output, reterr);
	if (!ret && !options->keeping.no_report)
		ret = keep_report(profile, &options->keeping, reterr);
	(void)profile_free(profile);
	return ret;
}

/* A program that a signal ended has left its counts, and PROFIL no time to write them. */
static int write_counts(const struct dos_options *options, char **argv,
			const struct dosbox_result *result, struct error *reterr)
{
	if (!result->counts)
		return 0;
	(void)cmd_fail("%s: ended by a signal: what was counted until then is kept%s", argv[0],
		       options->window ? "" : ": --window shows what it waits for");
	return replace_with(result->report, /* how= */ 0, result->counts, result->counts_size,
			    reterr);
}

/* Measure the DOS program ARGV[0] in DOSBox; write the profile; report on stderr; its output on
 * stdout.  Returns the exit status: the program's own, 130 when Ctrl-C ended it, EXIT_PROFIL when
 * it could not be measured. */
static int measure(const struct dos_options *options, char **argv)
{
	const struct dosbox_job job = {
		.program = argv[0],
		.arguments = argv + 1,
		.bucket_size = options->bucket_size,
		.interval_us = options->interval_us,
		.cycles = options->cycles,
		.window = options->window,
	};
	struct dosbox_result result;
	struct error why = {""};
	int ret, status;

	ret = pprof_check(options->keeping.output, REPLACE_KEEP, &why);
	if (!ret && options->map && access(options->map, R_OK))
		return cmd_fail("%s: %s: name a MAP file that can be read", options->map,
				strerror(errno));
	ret = ret ? ret : dosbox_measure(&job, &result, &why);
	if (ret)
		return cmd_fail_error(ret, &why);
	if (result.output)
		(void)fwrite(result.output, 1, result.output_size, stdout);
	(void)fflush(stdout);
	ret = write_counts(options, argv, &result, &why);
	ret = ret ? ret : keep(options, argv, result.report, &why);
	status = result.aborted ? CTRL_C_STATUS : result.status;
	dosbox_done(&result);
	if (!ret)
		return status;
	(void)cmd_fail_error(ret, &why);
	return status ? status : EXIT_PROFIL;
}

int command_dos(int argc, char **argv)
{
	struct dos_options options = usual;
	int first = options_read(command_find("dos"), argc, argv, &options);

	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (first == argc)
		return cmd_fail("dos: no program: nothing to measure: see 'profil help dos'");
	if (access(argv[first], F_OK))
		return cmd_fail("%s: %s: name a DOS program, with its folder and ending",
				argv[first], strerror(errno));
	if (!dos_program_is(argv[first]))
		return cmd_fail("%s: not a DOS program: neither an .EXE for DOS alone nor a .COM",
				argv[first]);
	return measure(&options, argv + first);
}

/* A DOS program has DOSBox's clock, and of run's options those that are dos's too. */
static int measure_as_run(const struct measure_options *options, char **argv)
{
	struct dos_options dos = usual;
	uint64_t interval_us = options->engine.period_ns / 1000;

	if (interval_us < INTERVAL_MIN || interval_us > INTERVAL_MAX)
		return cmd_fail("%s: a DOS program is measured every %d to %d microseconds: change "
				"-F or --period",
				argv[0], INTERVAL_MIN, INTERVAL_MAX);
	if (options->stacks_asked)
		return cmd_fail("-g: %s is a DOS program: DOSBox counts no call stacks: leave it "
				"out",
				argv[0]);
	dos.interval_us = (unsigned)interval_us;
	dos.keeping = options->keeping;
	if (lent_keep(0))
		return cmd_fail(
			"capabilities: they cannot be given up: see 'getcap' of profil's file");
	return measure(&dos, argv);
}

const struct foreign_programs dos_programs = {
	.include = dos_program_is,
	.measure = measure_as_run,
};
