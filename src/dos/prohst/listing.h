/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_DOS_PROHST_LISTING_H
#define PROFIL_DOS_PROHST_LISTING_H

#include "dos/prohst/map.h"
#include "dos/prohst/stream.h"

/* The listing of PROHST, the histogram utility of MS-DOS 2.0's PROFIL: a header and a line for each
 * bucket that was hit.  docs/dos.md describes it, with what is mended. */

/* What is read and written.  The profile and the map are read twice at a time, each from its
 * beginning, so that nothing of them is kept in memory. */
struct prohst_files {
	struct prohst_input sums, rows;	    /* the .PRF */
	struct prohst_input modules, lines; /* the .MAP; next is NULL: there is none */
	struct prohst_output listing;
	const struct prohst_complaint *complaint; /* about the map; may be NULL */
};

/* ORIGINAL: as PROHST 1.0 printed it, to the byte, with those of its faults that do not hang on
 * what its memory held.  UNIX_TEXT: lines end with LF and the file without 1Ah. Returns 0, or -1
 * when the .PRF is shorter than it says; then nothing was put. */
int prohst_list(const struct prohst_files *files, int original, int unix_text);

#endif
