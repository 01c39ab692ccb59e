/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/builder.h"
#include "target/module.h"
#include "target/mounts.h"

/* A measured file beside what stands at its path now: turns file offsets into the addresses that
 * the file itself uses.  A mapping is added to the profile when its first cell is placed. */
struct file_map {
	const struct histogram_file *file; /* NULL before file_map_open() */
	struct module module;
	uint32_t *mappings; /* one a segment, and one more for what lies in none */
	char build_id[sizeof(((struct module *)NULL)->build_id)];
	char root[MOUNTS_ROOT_MAX]; /* what to put before the path to open it, "" most often */
	bool out_of_reach;	    /* in a mount namespace of which no process is left */
};

/* A file that is not at its path here is looked for in the mount namespace it was seen in; MOUNTS
 * is what is known of those.  Returns 0 or -ENOMEM; in both cases file_map_done() frees it (a
 * zeroed one, too). */
int file_map_open(struct file_map *map, const struct histogram_file *file, struct mounts *mounts);
void file_map_done(struct file_map *map);

/* Where OFFSET lies.  Where the file is not known to be the one that ran, its mapping starts at 0
 * and the address is the offset.  Returns 0 or -ENOMEM. */
int file_map_place(struct file_map *map, struct builder *builder, uint64_t offset,
		   uint32_t *ret_mapping, uint64_t *ret_address);

/* The mapping for what is known to be in the file and no more: its first text. */
int file_map_overflow(struct file_map *map, struct builder *builder, uint32_t *ret_mapping,
		      uint64_t *ret_address);
