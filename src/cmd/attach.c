// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"
#include "cmd/measuring.h"

#include "base/parse.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct attach {
	struct measure_options options;
	struct processes processes;
};

/* "12,34,56" */
static int take_pids(void *options, const struct option_value *value)
{
	struct processes *processes = &((struct attach *)options)->processes;
	const char *text = value->text;
	char *copy = strdup(text), *rest = copy, *word;
	struct error why;
	int ret = copy ? 0 : cmd_fail("out of memory: free some");

	while (!ret && (word = strsep(&rest, ","))) {
		uint64_t pid;
		int bad = parse_count(word, 1, INT_MAX, &pid);

		if (bad)
			ret = cmd_fail("-p %s: '%s' is not a process number: give some such as "
				       "1234,5678",
				       text, word);
		else if ((bad = processes_add(processes, (pid_t)pid, &why)))
			ret = cmd_fail_error(bad, &why);
	}
	free(copy);
	return ret;
}

static int take_comm(void *options, const struct option_value *value)
{
	struct attach *attach = options;
	struct error why;
	int ret = processes_add_called(&attach->processes, value->text, &why);

	return ret ? cmd_fail_error(ret, &why) : 0;
}

const struct option_row attach_options[] = {
	{'p', "pid", "PID[,PID...]", "these processes", "Whom", VALUE_TEXT, .take = take_pids},
	{0, "comm", "NAME", "all processes of this name that run now", NULL, VALUE_TEXT,
	 .take = take_comm},
	OPTION_FOR_ROW(NULL),
	{.more = measuring_options},
};

static int run(struct attach *attach, int argc, char **argv)
{
	int first = options_read(command_find("attach"), argc, argv, attach);

	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (first < argc)
		return cmd_fail(
			"attach: '%s': neither an option nor a value of one: name processes "
			"with -p or --comm",
			argv[first]);
	if (attach->options.engine.clock == CLOCK_TASK)
		return cmd_fail("--clock task: cannot follow threads that run already: leave it "
				"out");
	if (!attach->processes.count)
		return cmd_fail("attach: no process: nothing to measure: name some with -p or "
				"--comm");
	if (measuring_check(&attach->options))
		return EXIT_PROFIL;
	return measure_processes(&attach->options, &attach->processes);
}

int command_attach(int argc, char **argv)
{
	struct attach attach = {};
	int status;

	measuring_defaults(&attach.options);
	status = run(&attach, argc, argv);
	processes_done(&attach.processes);
	return status;
}
