/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <stdint.h>

/* A .PRF, as PROFIL writes it, in memory.  A paragraph is 16 bytes. */
struct prf {
	uint16_t clock_grain; /* microseconds between two ticks */
	uint16_t bucket_num;
	uint16_t bucket_siz;   /* paragraphs, 1 at least */
	uint16_t prog_low_pa;  /* where the program is loaded ... */
	uint16_t prog_high_pa; /* ... and the paragraph behind it */
	uint16_t dos_pa;       /* where the I/O system ends and DOS begins */
	uint16_t hit_io, hit_dos, hit_high;
	uint16_t *buckets; /* heap */
};

#define PARAGRAPH 16
/* A counter stays there: the ticks may be more.  At 65,535 PROHST 1.0 never ends. */
#define COUNT_FULL (UINT16_MAX - 1)

/* Read the file at PATH.  Returns 0, or -errno with a sentence: -EBADMSG when it is not as long as
 * its header says.  prf_done() frees *RET_PRF's buckets. */
int prf_load(const char *path, struct prf *ret_prf, struct error *reterr);
void prf_done(struct prf *prf);

/* Write PRF to FD.  Returns 0 or -errno. */
int prf_put(int fd, const struct prf *prf);
