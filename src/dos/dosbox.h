/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* A DOS program measured by PROFIL.COM in DOSBox, which is a process of its own. */

struct dosbox_job {
	const char *program;	/* its path; C: is the folder it is in */
	char *const *arguments; /* ended by NULL */
	unsigned bucket_size;	/* paragraphs of 16 bytes */
	unsigned interval_us;
	unsigned cycles; /* instructions in a millisecond of the emulated clock */
	bool window;	 /* show it; else its console output is kept, and its keyboard is the end of
			    a file, or what standard input has where that is no terminal */
};

struct dosbox_result {
	char *report;	    /* path of the .PRF, in the program's folder; heap */
	char *counts;	    /* where a signal ended it: what is to be the .PRF; else NULL; heap */
	size_t counts_size; /* bytes */
	char *output;	    /* what it wrote to DOS's standard output; heap, NULL with a window */
	size_t output_size; /* bytes */
	bool aborted;	    /* Ctrl-C or a divide error ended it */
	int status;	    /* its exit code, 0 to 255; where a signal ended it, 128 and that */
};

/* Measure JOB and wait for it.  SIGINT and the like meanwhile end DOSBox, not the caller; then the
 * report is not written, but its bytes are handed over.
 * Returns 0, or -errno with a sentence: -ENOENT where there is no DOSBox or no PROFIL.COM, -EINVAL
 * for what DOS cannot say, -ECANCELED where DOSBox ended before the program, -ENOEXEC with what
 * PROFIL said.  dosbox_done() frees what *RET_RESULT has.
 * Signal-safe: no.  Thread-safe: no (signal mask, environment). */
int dosbox_measure(const struct dosbox_job *job, struct dosbox_result *ret_result,
		   struct error *reterr);
void dosbox_done(struct dosbox_result *result);
