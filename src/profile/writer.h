/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/keyset.h"
#include "base/proto.h"
#include "profile/profile.h"

#include <zlib.h>

typedef void writer_watch(void *context, const void *bytes, size_t size);

/* What is counted beside samples, by sample: those of cells, then those of amounts where no cell
 * is. */
struct writer_amounts {
	struct keyset keys; /* of the places that have amounts or cells; by number are */
	uint64_t *rows;	    /* the amounts of each, one a value */
	uint32_t *without;  /* of those without a cell, in order: the index in amounts */
	size_t without_count;
};

/* A profile on its way to a profile.proto file.  One message is packed and written after the
 * other, the table of strings last, when it is known which are used.  Hence memory for one message
 * and the strings, and hence no beginning of a file is a whole one: it has indexes and lacks the
 * strings.  Each call returns 0 or -errno. */
struct writer {
	const struct profile *profile;
	gzFile out;
	struct strings *strings; /* the file's, in order of first use */
	uint32_t *numbers; /* of each of the profile's strings, the file's number; 0: none yet */
	uint64_t *stack;   /* of a cell, as the file numbers places: where it is, its caller, ... */
	size_t stack_capacity;
	uint64_t *values; /* of a sample */
	struct writer_amounts amounts;
	struct proto message; /* the one that is being put together */
	writer_watch *watch;  /* sees all bytes before they are packed; NULL: nobody does */
	void *watcher;
};

/* Write bytes. */
int writer_bytes(struct writer *writer, const void *bytes, size_t size);

/* Begin the next message, of ROOM bytes at most; write it as field FIELD of the file. */
int writer_begin(struct writer *writer, size_t room);
int writer_message(struct writer *writer, uint32_t field);

/* The file's number of the profile's string ID; of a text that the profile need not know. */
int writer_text(struct writer *writer, uint32_t id, uint64_t *ret_number);
int writer_own_text(struct writer *writer, const char *text, uint64_t *ret_number);

/* The values of a sample, and how many it has: calls only where the profile has any, and behind
 * them what else the profile counts. */
enum { WRITER_TICKS, WRITER_CPU, WRITER_CALLS, WRITER_VALUES };
size_t writer_values(const struct writer *writer);

/* Find the amounts of all samples; a profile without any needs none of it. */
int writer_find_amounts(struct writer *writer);
void writer_done_amounts(struct writer *writer);

/* Those of the sample of CELL into .values; each is taken once. */
int writer_take_amounts(struct writer *writer, const struct profile_cell *cell);

/* Write it all to PATH, as pprof_write() does it, HOW of enum replace_how; the members from
 * .strings to .message are its. */
int writer_replace(struct writer *writer, const char *path, unsigned how, struct error *reterr);

/* The parts of the file; strings come last. */
int writer_samples(struct writer *writer);
int writer_places(struct writer *writer);
int writer_head(struct writer *writer);
int writer_strings(struct writer *writer);
