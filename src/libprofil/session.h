/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "libprofil/counting.h"

#include <profil.h>

/* What a struct profil_measurement is to the files of this room. */
struct profil_measurement {
	struct counting counting; /* with counting_lock() */
	struct region_table *table;
	uint64_t period_ns;
	bool this_thread;
	char engine[16];   /* the one asked for, "" for any */
	const char *name;  /* of the one that counts, or would */
	struct error why;  /* not a better one */
	bool owns_cells;   /* they are mappings of its own */
	int64_t began_ns;  /* when it was first on, since the epoch; 0: never */
	uint64_t on_ns;	   /* how long it was, without this time */
	uint64_t since_ns; /* CLOCK_MONOTONIC of the start of this time */
};

/* Make one of REGIONS, checked already; they are copied.  Returns it or NULL with errno, and then
 * session_refusal() is filled. */
struct profil_measurement *session_new(const struct profil_options *options,
				       const struct region *regions, size_t count);

/* Public structures grow at their end, and their first field is the caller's size of them.  OBJECT
 * is one of which this version has KNOWN bytes.  Returns 0, or -EINVAL: the size is nonsense, or
 * bytes beyond those known are not 0. */
#define EXTENSIBLE_MAX 4096
int extensible_check(const void *object, size_t known);

/* The bytes that both sides have. */
#define EXTENSIBLE_SIZE(object) \
	((object)->size < sizeof(*(object)) ? (object)->size : sizeof(*(object)))

/* 0 or -EINVAL; *RET_OPTIONS is what is meant, of this version's size, with defaults. */
int session_options(const struct profil_options *options, struct profil_options *ret_options);

/* Why the last profil_open() of this thread failed. */
struct error *session_refusal(void);

/* The engine that counts, or would; with counting_lock(). */
const char *session_engine(const struct profil_measurement *measurement);

/* How long it has been on. */
uint64_t session_duration(const struct profil_measurement *measurement);
