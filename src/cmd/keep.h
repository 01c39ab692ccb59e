/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/table.h"
#include "cmd/moving.h"
#include "cmd/shared.h"
#include "engine/engine.h"
#include "profile/profile.h"
#include "view/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engines;

/* What is to become of a measurement. */
struct keeping {
	const char *output; /* NULL: it is not kept */
	enum table_by by;   /* of the report at the end, with at most ROWS rows (0: all) */
	size_t rows;
	bool no_report;
};

#define KEEPING_USUAL                                \
	{                                            \
		.output = PROFILE_USUAL, .rows = 25, \
	}

/* The options that fill KEEPING, a member of TYPE.  TAKE: of the file, keeping_take_output(); what
 * --by is for besides, or NULL. */
#define OPTION_PROFILE_ROW(type, keeping, take_)                                 \
	OPTION_OUTPUT_ROW("Profile", "write the profile to FILE (profil.pb.gz)", \
			  INTO(type, keeping.output), .take = take_)
#define OPTION_KEEPING_ROWS(type, keeping, choices, take_)                                        \
	OPTION_BY_ROW("Report at the end", choices, INTO(type, keeping.by), .take = take_),       \
		OPTION_ROWS_ROW("show at most N rows, 0 for all (25)", INTO(type, keeping.rows)), \
	{                                                                                         \
		0, "no-report", NULL, "write the profile and show nothing of it",                 \
			SETS(type, keeping.no_report, true)                                       \
	}

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

/* Answer MOVER, which asks for the profile so far.  Returns false when who has shown it has ended.
 */
bool keeper_show(struct keeper *keeper, struct engine *engine, uint64_t elapsed_ns,
		 struct mover *mover);

/* Measuring is over; ENDED: because the program that was started has.  Write the whole profile,
 * without names and then with them, and report it on stderr if asked.  A first signal ends the
 * search for names, a second one all that is left to do.  MOVER has the profile first, and is
 * waited for; where there is no file to write, that was all.  Returns 0, EXIT_PROFIL after having
 * said why, or 128 and the second signal. */
int keeper_final(struct keeper *keeper, struct engine *engine, uint64_t elapsed_ns, bool ended,
		 struct mover *mover);

/* The file of KEEPING is what PATTERN stands for (output_name()); it is valid until the next call.
 * Returns 0, or EXIT_PROFIL after having said why. */
int keeping_take_output(struct keeping *keeping, const char *pattern);

/* The report at the end of a measurement, on stderr: PROFILE, as KEEPING has it.  Returns 0, or
 * -errno and a sentence. */
int keep_report(const struct profile *profile, const struct keeping *keeping, struct error *reterr);
