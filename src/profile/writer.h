/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

#include <protobuf-c/protobuf-c.h>
#include <zlib.h>

typedef void writer_watch(void *context, const void *bytes, size_t size);

/* A profile on its way to a profile.proto file.  One message is packed and written after the
 * other, the table of strings last, when it is known which are used.  Hence memory for one message
 * and the strings, and hence no beginning of a file is a whole one: it has indexes and lacks the
 * strings.  Each call returns 0 or -errno. */
struct writer {
	const struct profile *profile;
	gzFile out;
	struct strings *strings; /* the file's, in order of first use */
	uint32_t *numbers; /* of each of the profile's strings, the file's number; 0: none yet */
	uint8_t *buffer;   /* one packed message */
	size_t capacity;
	writer_watch *watch; /* sees all bytes before they are packed; NULL: nobody does */
	void *watcher;
};

/* Pack MESSAGE into the buffer; write bytes; write MESSAGE as field NUMBER of the file. */
int writer_pack(struct writer *writer, const ProtobufCMessage *message, size_t *ret_size);
int writer_bytes(struct writer *writer, const void *bytes, size_t size);
int writer_message(struct writer *writer, uint32_t number, const ProtobufCMessage *message);

/* The file's number of the profile's string ID; of a text that the profile need not know. */
int writer_text(struct writer *writer, uint32_t id, int64_t *ret_number);
int writer_own_text(struct writer *writer, const char *text, int64_t *ret_number);

/* How many values a sample has: ticks, nanoseconds and, where the profile has any, calls. */
#define WRITER_VALUES 3
size_t writer_values(const struct writer *writer);

/* Write it all to PATH, as pprof_write() does it, HOW of enum replace_how; the members from
 * .strings to .capacity are its. */
int writer_replace(struct writer *writer, const char *path, unsigned how, struct error *reterr);

/* The parts of the file; strings come last. */
int writer_samples(struct writer *writer);
int writer_places(struct writer *writer);
int writer_head(struct writer *writer);
int writer_strings(struct writer *writer);
