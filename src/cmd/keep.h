/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/table.h"
#include "cmd/option.h"
#include "engine/engine.h"
#include "profile/profile.h"
#include "view/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engines;

/* What is to become of a measurement. */
struct keeping {
	const char *output;
	enum table_by by; /* of the report at the end, with at most ROWS rows (0: all) */
	size_t rows;
	bool no_report;
};

#define KEEPING_USUAL                                \
	{                                            \
		.output = PROFILE_USUAL, .rows = 25, \
	}

/* Take one of the shared options that are of KEEPING; a key that is not one is ignored. */
void keep_take(struct keeping *keeping, int key, const struct option_value *value);

/* Who takes the profiles that are kept, and when it is, in nanoseconds since the epoch. */
#define KEEP_PRODUCER "profil " PROFIL_VERSION
int64_t keep_now(void);

/* From what an engine has counted to a file on disk and a report. */
struct keeper;

/* COMMAND says what is measured, in words; it and ENGINES must outlive the keeper.  PROGRAM is what
 * is started, as execvp(3) takes it, or the path of what runs already; NULL: there is none.
 * SIGNALS is of signals_take().  NULL when memory is short; keeper_free() takes NULL. */
struct keeper *keeper_new(const struct engines *engines, const char *command, const char *program,
			  int signals);
void keeper_free(struct keeper *keeper);

/* Write the profile so far, which goes on when this has returned.  What goes wrong is said on
 * stderr, and the measurement goes on.  Returns false when the one before is still being written;
 * then nothing is done. */
bool keeper_snapshot(struct keeper *keeper, struct engine *engine, uint64_t elapsed_ns);

/* Measuring is over; ENDED: because the program that was started has.  Write the whole profile,
 * without names and then with them, and report it on stderr if asked.  A first signal ends the
 * search for names, a second one all that is left to do.  Returns 0, EXIT_PROFIL after having said
 * why, or 128 and the second signal. */
int keeper_final(struct keeper *keeper, struct engine *engine, uint64_t elapsed_ns, bool ended);

/* The report at the end of a measurement, on stderr: PROFILE, as KEEPING has it.  Returns 0, or
 * -errno and a sentence. */
int keep_report(const struct profile *profile, const struct keeping *keeping, struct error *reterr);
