// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"
#include "cmd/cross_check.h"
#include "cmd/foreign.h"
#include "cmd/measuring.h"

#include "base/array.h"

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

static const struct foreign_programs *foreign_of(const char *path)
{
	static const struct foreign_programs *const all[] = {&dos_programs};

	for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
		if (all[i]->include(path))
			return all[i];
	return NULL;
}

int command_run(int argc, char **argv)
{
	const struct foreign_programs *foreign;
	struct run run = {0};
	int first;

	measuring_defaults(&run.options);
	first = options_read(command_find("run"), argc, argv, take_option, &run);
	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (first == argc)
		return cmd_fail("no program: nothing to measure: see 'profil help run'");
	foreign = foreign_of(argv[first]);
	if (foreign)
		return foreign->measure(&run.options, argv + first);
	return run.cross_check ? cross_check(&run.options, argv + first)
			       : measure_program(&run.options, argv + first);
}
