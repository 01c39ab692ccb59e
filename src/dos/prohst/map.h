/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_DOS_PROHST_MAP_H
#define PROFIL_DOS_PROHST_MAP_H

#include "dos/prohst/stream.h"

/* A MAP file of Microsoft's linker as PROHST 1.0 reads it: the list of modules under the line that
 * begins " Start", and the line numbers behind the line that begins "Line numbers for ".  Modules
 * and line numbers are read each from a stream of their own, as far as the listing has come, so
 * that a map of any length takes the same memory. */

#define MODULE_NAME 15
#define MAP_LINE 100

/* Told what is wrong with the map, as often as it is; what was read stands as 0. */
struct prohst_complaint {
	void (*say)(void *context, const char *text);
	void *context;
};

struct prohst_modules {
	struct prohst_text text;
	const struct prohst_complaint *complaint;
	char line[MAP_LINE];
	int at_end;
	unsigned address;	/* the paragraph it begins at */
	char name[MODULE_NAME]; /* columns 23 to 37 */
};

/* Go to the first module.  COMPLAINT may be NULL and must outlive it. */
void modules_open(struct prohst_modules *modules, const struct prohst_input *map,
		  const struct prohst_complaint *complaint);

/* Read the next module; at_end is set where there is none. */
void modules_next(struct prohst_modules *modules);

struct prohst_lines {
	struct prohst_text text;
	const struct prohst_complaint *complaint;
	int mended;
	int available;		/* the map has line numbers, and there is more to read */
	unsigned number, ahead; /* the last one passed and the one read ahead, 0: none */
	unsigned paragraph;	/* from which the one ahead is shown */
};

/* Go to the first line numbers.  MENDED: the last one counts too, no H need follow an offset, and
 * an offset is rounded up by its last digit, not by its first. */
void lines_open(struct prohst_lines *lines, const struct prohst_input *map, int mended,
		const struct prohst_complaint *complaint);

/* Pass over all line numbers at paragraph ADDRESS and below.  Returns the last of them, 0: none. */
unsigned lines_until(struct prohst_lines *lines, unsigned address);

#endif
