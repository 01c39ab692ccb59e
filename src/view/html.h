/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/hist.h"
#include "analysis/table.h"
#include "base/error.h"
#include "view/annotate.h"
#include "view/flame.h"

/* All views of a profile on one page of HTML, which holds all it needs: it fetches nothing, works
 * from a file, and without its script. */

struct html_view {
	const struct profile *profile;
	const struct table *table;  /* by function, all rows */
	const struct hist *hist;    /* by function */
	const struct flame *flame;  /* NULL: there are no call stacks */
	const struct flame *wall;   /* all of the time of threads; NULL: not known */
	struct table *const *apart; /* by what else the profile keeps apart */
	size_t apart_count;
	const struct annotate_view *code; /* the functions whose code is shown; may have none */
};

struct html_style {
	size_t rows;	  /* at most so many functions have rows in the table, 0: all */
	const char *file; /* the profile's path */
	bool moves;	  /* it is served while it is measured, and asks for what is newer */
};

/* Whatever the profile has, a page has at most so many ... */
#define HTML_OBJECTS 16 /* objects drawn */
#define HTML_HOTTEST \
	150 /* instructions, or source lines, of a function shown for their samples ... */
#define HTML_CONTEXT 3	   /* ... each with so many around it */
#define HTML_NAME 240	   /* characters of a name */
#define HTML_OPEN 10	   /* rows of functions, and functions' code, are not folded */
#define HTML_CODE_TEXT 160 /* characters of a source line or an instruction */

/* Is there code, or are there lines of it?  Where only addresses are known the page has none. */
bool html_has_code(const struct annotation *function);

/* Write the page to PATH, which is replaced whole or not at all; *RET_SIZE is its bytes.  What of
 * VIEW has no room on it stands there as a sum, so that all samples are.
 * Returns 0, or -errno with a sentence (-ENOMEM has none).  Signal-safe: no.  Thread-safe: yes. */
int html_write(const struct html_view *view, const struct html_style *style, const char *path,
	       size_t *ret_size, struct error *reterr);
