// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/whom.h"

#include "base/lent.h"
#include "base/parse.h"
#include "cmd/command.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "12,34,56" */
int whom_take_pids(void *options, const struct option_value *value)
{
	struct processes *processes = &((struct whom *)options)->processes;
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

int whom_take_comm(void *options, const struct option_value *value)
{
	struct whom *whom = options;
	struct error why;
	int ret = processes_add_called(&whom->processes, value->text, &why);

	return ret ? cmd_fail_error(ret, &why) : 0;
}

/* What all processes do is nobody's to see but root's.  A profil that carries file capabilities may
 * be anybody's, so it is not they that count. */
static int refuse_others(const char *name)
{
	if (!getuid() && !geteuid())
		return 0;
	return cmd_fail("%s: user %u may not see what all others do, whatever profil's file may: "
			"run it as root",
			name, (unsigned)getuid());
}

int whom_measure_machine(const struct whom *whom, const char *name)
{
	int status;

	if (lent_keep(0))
		return cmd_fail(
			"capabilities: they cannot be given up: see 'getcap' of profil's file");
	if (whom->options.engine.clock == CLOCK_TASK)
		return cmd_fail("--clock task: a CPU that is idle has no task: leave it out");
	status = measuring_check(&whom->options);
	status = status ? status : refuse_others(name);
	return status ? status : measure_machine(&whom->options);
}

int whom_measure_processes(struct whom *whom, const char *name)
{
	if (whom->options.engine.clock == CLOCK_TASK)
		return cmd_fail("--clock task: cannot follow threads that run already: leave it "
				"out");
	if (!whom->processes.count)
		return cmd_fail("%s: no process: nothing to measure: name some with -p or --comm",
				name);
	if (measuring_check(&whom->options))
		return EXIT_PROFIL;
	return measure_processes(&whom->options, &whom->processes);
}

bool whom_is_running(const struct whom *whom)
{
	return whom->options.engine.everyone || whom->processes.count;
}

int whom_measure(struct whom *whom, const char *name, char **argv)
{
	if (whom->options.engine.everyone && whom->processes.count)
		return cmd_fail("-p and -a: some processes, or the whole machine: leave one out");
	if (*argv && whom_is_running(whom))
		return cmd_fail("%s: '%s' beside it: it measures what runs already: leave one out; "
				"--for says how long",
				whom->options.engine.everyone ? "-a" : "-p", *argv);
	if (whom->options.engine.everyone)
		return whom_measure_machine(whom, name);
	if (whom->processes.count)
		return whom_measure_processes(whom, name);
	if (!*argv)
		return cmd_fail("no program: nothing to measure: see 'profil help %s'", name);
	return measuring_check(&whom->options) ? EXIT_PROFIL
					       : measure_program(&whom->options, argv);
}

void whom_done(struct whom *whom)
{
	processes_done(&whom->processes);
}
