/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/callgraph.h"
#include "analysis/callgraph_doubt.h"
#include "profile/profile.h"
#include "view/report.h"

#include <regex.h>
#include <stdio.h>

/* A profile with calls as gprof prints it: the flat profile and the call graph. */

struct gprof_style {
	enum report_form form;
	bool no_flat, no_graph;
	bool brief;		/* without the explanations */
	bool traditional;	/* gprof's columns and lines, and no others */
	bool utf8;		/* the locale shows more than ASCII */
	const regex_t *only;	/* only functions that match; NULL: all */
	const regex_t *but_not; /* no functions that match; NULL: all */
	const char *object;	/* only functions of this file, by base name or path; NULL: all */
};

/* What is printed. */
struct gprof {
	const struct profile *profile;
	const struct callgraph *graph;
	const struct doubts *doubts;
};

/* Returns 0, -ENOMEM, or -EIO when OUT could not be written; then errno has the reason, or 0. */
int gprof_print(FILE *out, const struct gprof *gprof, const struct gprof_style *style);
