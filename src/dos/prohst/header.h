/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_DOS_PROHST_HEADER_H
#define PROFIL_DOS_PROHST_HEADER_H

#include "dos/prohst/stream.h"
#include "dos/prohst/single.h"

/* A .PRF: nine words, then the buckets, each a word, all little-endian, no magic. */
#define PRF_WORDS 9

struct prf_header {
	unsigned clock_grain; /* microseconds between two samples, 60 to 65,529 */
	unsigned bucket_num;
	unsigned bucket_siz;   /* paragraphs of 16 bytes */
	unsigned prog_low_pa;  /* the first paragraph of the program ... */
	unsigned prog_high_pa; /* ... and the first behind it */
	unsigned dos_pa;       /* where the I/O system ends and DOS begins */
	unsigned hit_io, hit_dos, hit_high;
};

/* The next word, 0 to 65,535.  Returns 1, or 0 at the end. */
int prf_word(const struct prohst_input *input, unsigned *ret_word);

/* Returns 1, or 0 where the file is too short. */
int prf_header(const struct prohst_input *input, struct prf_header *ret_header);

/* The buckets added up. */
struct prf_sums {
	struct wide total;
	struct single reals; /* the same, in the reals of PROHST 1.0, one bucket after the other */
	unsigned greatest;
};

/* Read the header and all buckets of INPUT.  Returns 1, or 0 where the file is too short. */
int prf_sums(const struct prohst_input *input, struct prf_header *ret_header,
	     struct prf_sums *ret_sums);

#endif
