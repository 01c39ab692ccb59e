/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/keyset.h"
#include "base/proto.h"
#include "base/trie.h"
#include "profile/ids.h"
#include "profile/profile.h"

#include <stdbool.h>

/* A profile.proto file on its way to a profile.  Fields may stand in any order and kinds refer to
 * each other, so the bytes are walked once for each kind: texts, what is there once, mappings,
 * functions, locations, samples.  One message at a time is unpacked, and no number in the file is
 * believed before it is looked up.  Each step returns 0, -ENOMEM, or -EBADMSG with .why. */

#define READER_NONE UINT32_MAX

struct reader_type {
	uint64_t type, unit; /* texts */
};

struct reader_slice {
	const uint8_t *text;
	size_t length;
};

struct reader_numbers {
	uint64_t *items;
	size_t count, capacity;
};

/* A frame of a call stack: a location, marked where it is no plain call. */
#define READER_INTERRUPTED ((uint64_t)1 << 32)
#define READER_FOLDED ((uint64_t)1 << 33)

struct reader_call {
	uint64_t frame;
	uint32_t context; /* index and 1 */
};

struct reader {
	const uint8_t *bytes; /* the whole file, unpacked */
	size_t size;
	struct profile *profile;

	struct reader_slice *texts;
	size_t text_count, text_capacity;

	struct reader_type *types; /* of a sample's values */
	size_t type_count, type_capacity;
	struct reader_type period_type;
	int64_t period;
	uint32_t event;	    /* string of the profile: what the period counts */
	uint64_t *comments; /* texts */
	size_t comment_count, comment_capacity;

	struct ids mappings, functions, locations;
	uint32_t nowhere;   /* the mapping of locations that have none; READER_NONE before */
	uint32_t placeless; /* the location of samples that have none; READER_NONE before */

	/* Of the sample at hand: ids of locations; counts; calls that are no plain ones. */
	struct reader_numbers stack, values, marks;
	/* The callers of a sample before, from the first function on: most of them are the same. */
	struct reader_call *path;
	size_t path_count, path_capacity;
	struct keyset tasks; /* a key's number is the task's */
	struct trie contexts;
	size_t calls;	  /* which of a sample's values is calls; type_count: none is */
	size_t value;	  /* which of a sample's values is ticks, */
	uint64_t divisor; /* or this many times the ticks */

	const char *why; /* this is not a profile */
};

/* Whether the value INDEX of a sample is none of those that every file of profil's has. */
bool reader_is_other(const struct reader *reader, size_t index);

/* Remember WHY; returns -EBADMSG. */
int reader_bad(struct reader *reader, const char *why);

/* Calls TAKE with each field NUMBER, or with every field when NUMBER is 0; one that returns
 * anything but 0 ends the walk and is returned. */
typedef int reader_take(struct reader *reader, const struct proto_field *field);
int reader_walk(struct reader *reader, uint32_t number, reader_take *take);

/* The file's text INDEX: as a number in the profile; whether there is one; whether it is WORD. */
int reader_text(struct reader *reader, uint64_t index, uint32_t *ret_id);
bool reader_has_text(const struct reader *reader, uint64_t index);
bool reader_text_is(const struct reader *reader, uint64_t index, const char *word);

/* The mapping for what has none. */
int reader_nowhere(struct reader *reader, uint32_t *ret_mapping);

/* The steps, in their order; values beside samples may be left out. */
int reader_texts(struct reader *reader);
int reader_head(struct reader *reader);
int reader_values(struct reader *reader);
int reader_places(struct reader *reader);
int reader_samples(struct reader *reader);
