/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "format/imported.h"
#include "profile/file_map.h"

/* The text of a process's /proc/PID/maps, which says what its addresses are: an offset in a file,
 * or memory of no file.  Where the hints name the program, all its files are taken to be those that
 * are here, and addresses become the files' own; else they stay offsets, with a note. */
struct maps_file {
	char *name;		    /* in the text; heap */
	struct histogram_file file; /* where it is here; path on the heap */
	struct file_map map;
	uint32_t mapping; /* of offsets, or of what is no file */
	bool has_map, has_mapping;
};

struct maps_range {
	uint64_t start, limit, offset;
	uint32_t file; /* index in files */
};

struct maps_text {
	struct maps_range *ranges; /* in rising order, as the kernel has them */
	size_t range_count, range_capacity;
	struct maps_file *files;
	size_t file_count, file_capacity;
	struct strings *names; /* of the files, a number each; NULL: none yet */
	uint32_t nowhere;      /* mapping of addresses in no range, when it is there */
	bool has_nowhere;
};

/* Read TEXT of SIZE bytes; lines that are of another form are passed over.  Returns 0, or -errno
 * with a sentence where a file cannot be had; in both cases maps_text_done() frees it. */
int maps_text_read(struct maps_text *maps, const struct imported *imported, const char *text,
		   size_t size, struct error *reterr);

/* Whether there is anything at ADDRESS. */
bool maps_text_has(const struct maps_text *maps, uint64_t address);

/* Where ADDRESS lies, as the builder's location.  Returns 0 or -ENOMEM. */
int maps_text_place(struct maps_text *maps, struct imported *imported, uint64_t address,
		    uint32_t *ret_location);

void maps_text_done(struct maps_text *maps);
