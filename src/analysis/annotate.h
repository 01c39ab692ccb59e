/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/loops.h"
#include "analysis/source_file.h"
#include "analysis/subject.h"
#include "base/strings.h"
#include "symbol/disasm.h"
#include "symbol/symbol.h"

/* One function, instruction by instruction and line by line, with its samples.  Both ways they add
 * up to the samples of the function. */

#define ANNOTATE_NONE UINT32_MAX

/* An instruction; where the code is not to be had, an address with samples. */
struct annotated_row {
	struct instruction instruction; /* .text is "" without code */
	uint64_t ticks;
	uint32_t line;	     /* in lines */
	const char *inlined; /* the innermost function that was inlined there, NULL: none */
	const char *callee;  /* the name of what a call or a jump out goes to, NULL: unknown */
	/* Its samples are likely those of the slow instruction above it, see annotate_skids(). */
	bool skid;
};

struct annotated_line {
	uint32_t file; /* in files */
	uint32_t number;
	uint64_t ticks;
	uint32_t first_row, last_row; /* the lowest and highest of its rows */
	const char *inlined;	      /* that of its first row */
};

struct annotated_file {
	const char *path; /* "" has what no line is known of; text of the profile or of names */
	uint64_t ticks;
	struct source_file source;
	bool is_newer; /* than the object: its lines may have moved since */
};

struct annotation {
	const struct profile *profile;
	const char *function, *object, *path; /* text of profile */
	enum profile_class class;
	uint64_t start, end;   /* of the code; equal when not known */
	uint64_t ticks;	       /* in the rows */
	uint64_t same_name;    /* in other code of that name in the object, which is not shown */
	uint64_t total;	       /* in the profile */
	char why_no_code[256]; /* "" when there is code */
	bool is_precise;       /* the event names the instruction that it happened in */
	struct annotated_row *rows; /* by address */
	size_t row_count, row_capacity;
	struct annotated_line *lines; /* by file, most samples first, then by number */
	size_t line_count, line_capacity;
	struct annotated_file *files;
	size_t file_count, file_capacity;
	struct step *steps; /* the rows as loops_find() takes them */
	struct loops loops; /* none without code */
	struct strings *texts;
};

/* Annotate the subject NUMBER of SUBJECTS.  SYMBOLS are asked for the lines of its instructions.
 * Returns 0 or -ENOMEM.  PROFILE must outlive *RET_ANNOTATION, which annotation_free() frees. */
int annotate(const struct profile *profile, const struct subjects *subjects, uint32_t number,
	     struct symbols *symbols, struct annotation **ret_annotation);
struct annotation *annotation_free(struct annotation *annotation);

/* Does EVENT, as perf names it, give the very instruction?  "cycles:pp" does (precise_ip 2, see
 * perf_event_open(2)); cpu-clock, being an interrupt, never does. */
bool annotate_is_precise(const char *event);

/* Mark the skids of ROWS: an instruction behind a slow one that has significantly more samples than
 * it, by the low end of the 95 % interval of its share in the samples of both. */
void annotate_skids(struct annotated_row *rows, size_t count);
