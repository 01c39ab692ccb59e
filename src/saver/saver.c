// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/export.h"
#include "libprofil/save.h"
#include "profile/facts.h"
#include "profile/pprof.h"
#include "saver/cells.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* The words of /proc/self/cmdline, which end in NUL each, with blanks between them. */
static void read_command(char *ret_text, size_t size)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, ret_text, size - 1);

	if (fd >= 0)
		close(fd);
	if (length < 0)
		length = 0;
	ret_text[length] = '\0';
	for (ssize_t i = 0; i + 1 < length; i++) {
		if (!ret_text[i])
			ret_text[i] = ' ';
	}
}

static int add_words(const struct save_job *job, struct profile *profile)
{
	char command[4096];
	const struct facts_words words = {
		.producer = "libprofil " PROFIL_VERSION,
		.command = command,
		.engine = job->engine,
		.event = "cpu-clock",
		.clock = "task",
	};

	read_command(command, sizeof(command));
	return facts_set_words(profile, &words);
}

static int add_facts(const struct save_job *job, struct profile *profile)
{
	struct profile_facts *facts = &profile->facts;

	facts->time_ns = job->began_ns;
	facts->duration_ns = job->duration_ns;
	facts->period_ns = job->period_ns;
	facts->partial = job->is_on;
	return add_words(job, profile);
}

/* What was fired and is in no cell.  What the cells hold (FIRED until now) may be
 * less than went there, for they are of a width; and more, for they held something before, or have
 * moved on since the account was read. */
static void add_account(const struct inside_account *account, struct histogram *histogram)
{
	uint64_t went = account->counted + account->saturated, held = histogram->fired;

	histogram->unresolved[UNRESOLVED_NO_REGION] = account->outside;
	histogram->unresolved[UNRESOLVED_LOST] = account->lost;
	histogram->unresolved[UNRESOLVED_CELL_FULL] = went > held ? went - held : 0;
	histogram->fired = account->ticks + (held > went ? held - went : 0);
}

EXPORT int profil_save_write(const struct save_job *job, const char *path)
{
	struct histogram histogram = {};
	struct profile *profile = NULL;
	int ret = cells_read(job->table, &histogram);

	add_account(&job->account, &histogram);
	histogram.cpu_ns = job->account.cpu_ns;
	histogram.fired_ns = histogram.fired * job->period_ns;
	if (!ret)
		ret = profile_from_histogram(&histogram, &profile);
	if (!ret)
		ret = add_facts(job, profile);
	if (!ret)
		ret = pprof_write(profile, path, NULL);
	profile_free(profile);
	histogram_done(&histogram);
	return ret;
}
