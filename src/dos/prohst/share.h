/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_DOS_PROHST_SHARE_H
#define PROFIL_DOS_PROHST_SHARE_H

#include "dos/prohst/header.h"
#include "dos/prohst/single.h"

/* The listing's percentages and the place of its stars: exact, or in the reals of PROHST 1.0. */

struct share {
	int original;
	unsigned greatest;
	struct wide buckets; /* hits in the program */
	struct wide all;     /* and those in DOS, in the I/O system and above */
	struct wide passed;  /* hits of the rows so far */
	struct single norm, norm_bucket, cumulated;
};

/* SUMS and HEADER are of the same file. */
void share_begin(struct share *share, const struct prf_header *header, const struct prf_sums *sums,
		 int original);

/* Whether there is anything to take a share of; else PROHST 1.0 prints dots. */
int share_is_known(const struct share *share);

/* In tenths, rounded to the nearest, halves up. */
void share_of_hits(const struct share *share, unsigned hits, struct wide *ret_tenths);
void share_of_axis(const struct share *share, struct wide *ret_tenths);

/* The next row, of BUCKET hits: its share, and that of all rows so far. */
void share_row(struct share *share, unsigned bucket, struct wide *ret_tenths,
	       struct wide *ret_cumulated);

/* The column of the star, 0 to 45; 0: none. */
unsigned share_column(const struct share *share, unsigned bucket);

#endif
