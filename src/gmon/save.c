// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/save.h"

#include "gmon/clock.h"
#include "gmon/output.h"
#include "gmon/pprof.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t began_ns, began_steady_ns;

static int64_t now_ns(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

bool save_is_wanted(void)
{
	const char *name = getenv("PROFIL_GMON_FORMAT");

	return name && !strcmp(name, "pprof");
}

void save_begin(void)
{
	began_ns = now_ns(CLOCK_REALTIME);
	began_steady_ns = now_ns(CLOCK_MONOTONIC);
}

/* profil.pb.gz; of a child profil.PID.pb.gz; with GMON_OUT_PREFIX, PREFIX.PID.pb.gz. */
static void name_file(struct text *path, bool is_child)
{
	const char *prefix = getenv("GMON_OUT_PREFIX");
	bool has_prefix = prefix && *prefix;

	path->length = 0;
	path->is_cut = false;
	text_add(path, has_prefix ? prefix : "profil");
	if (has_prefix || is_child) {
		text_add(path, ".");
		text_add_number(path, (unsigned long)getpid());
	}
	text_add(path, ".pb.gz");
}

/* In a handler it is not asked who counts, for that may be changing just then. */
static void take_facts(struct pprof_facts *facts, bool is_final)
{
	if (is_final)
		clock_account(&facts->account);
	else
		clock_noted(&facts->account);
	facts->engine = clock_engine();
	facts->period_ns = clock_period();
	facts->began_ns = began_ns;
	facts->duration_ns = (uint64_t)(now_ns(CLOCK_MONOTONIC) - began_steady_ns);
	facts->is_partial = !is_final;
}

void save_profile(const struct arcs_table *calls, bool is_child, bool is_final)
{
	struct pprof_facts facts;
	struct output output;
	struct text path;
	int ret, written;

	name_file(&path, is_child);
	take_facts(&facts, is_final);
	ret = output_open(&output, &path);
	if (!ret) {
		written = pprof_put(&output, calls, &facts);
		if (!output.error)
			output.error = written;
		ret = output_close(&output, &path);
	}
	if (ret)
		output_complain(path.start, strerrordesc_np(-ret),
				"run it where it may write, or set GMON_OUT_PREFIX");
}
