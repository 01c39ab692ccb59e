// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"
#include "cmd/cross_check.h"
#include "cmd/dos.h"
#include "cmd/measuring.h"

#include "base/lent.h"
#include "target/dos_program.h"

enum {
	KEY_CROSS_CHECK = KEY_OWN,
};

const struct option_row run_options[] = {
	{KEY_CROSS_CHECK, "cross-check", NULL, "run it twice, by two engines, and compare them",
	 "Check"},
	{.more = measuring_options},
};

struct run {
	struct measure_options options;
	bool cross_check;
};

static int take_option(void *context, int key, const struct option_value *value)
{
	struct run *run = context;

	if (key == KEY_CROSS_CHECK)
		run->cross_check = true;
	else
		measuring_take(&run->options, key, value);
	return 0;
}

/* A DOS program has DOSBox's clock, and of run's options those that are dos's too. */
static int run_dos(const struct measure_options *options, char **argv)
{
	struct dos_options dos = DOS_OPTIONS_USUAL;
	uint64_t interval_us = options->engine.period_ns / 1000;

	if (interval_us < DOS_INTERVAL_MIN || interval_us > DOS_INTERVAL_MAX)
		return cmd_fail("%s: a DOS program is measured every %d to %d microseconds: change "
				"-F or --period",
				argv[0], DOS_INTERVAL_MIN, DOS_INTERVAL_MAX);
	dos.interval_us = (unsigned)interval_us;
	dos.keeping = options->keeping;
	if (lent_keep(0))
		return cmd_fail(
			"capabilities: they cannot be given up: see 'getcap' of profil's file");
	return dos_measure(&dos, argv);
}

int command_run(int argc, char **argv)
{
	struct run run = {0};
	int first;

	measuring_defaults(&run.options);
	first = options_read(command_find("run"), argc, argv, take_option, &run);
	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (first == argc)
		return cmd_fail("no program: nothing to measure: see 'profil help run'");
	if (dos_program_is(argv[first]))
		return run_dos(&run.options, argv + first);
	return run.cross_check ? cross_check(&run.options, argv + first)
			       : measure_program(&run.options, argv + first);
}
