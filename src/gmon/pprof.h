/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "gmon/arcs.h"
#include "gmon/clock.h"
#include "gmon/output.h"

/* What the profile tells beside cells and calls. */
struct pprof_facts {
	struct clock_account account;
	const char *engine;
	uint64_t period_ns, duration_ns;
	int64_t began_ns; /* since the epoch */
	bool is_partial;  /* the program goes on meanwhile */
};

/* Write all objects' cells and CALLS as profil(5) has it, gzipped without packing, whatever is
 * written by profile/pprof.h: that cannot be called by the handler of a fatal signal.
 * Returns 0 or -ENOMEM.  Signal-safe: yes.  Thread-safe: yes. */
int pprof_put(struct output *output, const struct arcs_table *calls,
	      const struct pprof_facts *facts);
