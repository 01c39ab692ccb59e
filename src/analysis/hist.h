/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "base/strings.h"
#include "profile/profile.h"

/* The histogram itself: each object's text from low to high addresses, in buckets. */

enum hist_by {
	HIST_BY_FUNCTION, /* as it stands in the code */
	HIST_BY_LINE,	  /* the innermost source line; a bucket stands at its lowest address */
	HIST_BY_BYTES,
};

struct hist_options {
	enum hist_by by;
	uint64_t bytes;	    /* HIST_BY_BYTES: of a bucket; 1 at least */
	const char *object; /* only this one, by base name or path; NULL: all */
	size_t rows;	    /* so many of the hottest buckets are rows of their own, 0: all */
};

/* A bucket with samples; or a run of what is not shown on its own. */
struct hist_row {
	uint64_t start, end; /* end exclusive; equal to start when not known */
	uint64_t ticks;
	uint64_t peak, hottest; /* the most samples at one address of it, and which that is */
	uint32_t location;	/* one of those there */
	uint64_t sum;		/* samples up to here, those of this row included, in all objects */
	const char *name;	/* of what stands there, or has its hottest address; "": a run */
	uint64_t into;		/* how far into what NAME says the bucket begins, bytes */
	size_t begins;		/* functions that begin in it, where their starts are known */
	size_t folded;		/* buckets with samples in this run */
	bool is_fold;		/* it is a run */
};

struct hist_hit {
	uint64_t address, ticks; /* the file's own addresses */
	uint32_t location;	 /* one of those there */
};

#define HIST_PAGE 4096
#define HIST_HUGE_PAGE (2 << 20)

struct hist_object {
	const char *object, *path; /* text of the profile */
	enum profile_class class;
	uint32_t mapping; /* the first of its mappings */
	uint64_t ticks;
	uint64_t start, end;	     /* of its text; of what has samples, where that is not known */
	uint64_t bytes;		     /* of its text; 0 when not known */
	size_t pages, pages_hit;     /* of HIST_PAGE bytes from start to end | those with samples */
	size_t pages_hot;	     /* so few of them have 90 % of its samples */
	size_t huge_pages, huge_hit; /* the same of HIST_HUGE_PAGE bytes */
	char why_no_code[256];	     /* why its text is not known; "" when it is */
	struct hist_hit *hits;	     /* rising, each address once */
	size_t hit_count, hit_capacity;
	struct hist_row *rows; /* rising */
	size_t row_count, row_capacity;
};

struct hist {
	const struct profile *profile;
	struct hist_options options;
	struct hist_object *objects; /* most samples first; the order is total */
	size_t object_count;
	uint64_t shown;	   /* samples in the rows */
	uint64_t nowhere;  /* samples without an address, of the objects asked for */
	uint64_t filtered; /* samples in objects not asked for */
	uint64_t total;	   /* all three */
	uint64_t peak;	   /* the samples of the hottest bucket */
	struct strings *texts;
};

/* Returns 0, -ENOMEM, or -ENOENT with a sentence when no object is called options->object.  PROFILE
 * and OPTIONS->object must outlive *RET_HIST, which hist_free() frees. */
int hist_build(const struct profile *profile, const struct hist_options *options,
	       struct hist **ret_hist, struct error *reterr);
struct hist *hist_free(struct hist *hist);

/* The text of an object, from start to end, cut into equal parts. */
struct hist_strip {
	size_t count;
	uint64_t *ticks; /* of each; heap */
	uint64_t peak;	 /* the most of them */
	uint64_t bytes;	 /* of a part, rounded up */
};

/* Cut OBJECT into MOST parts, or as many as it has bytes.  Returns 0 or -ENOMEM. */
int hist_strip(const struct hist_object *object, size_t most, struct hist_strip *ret_strip);
