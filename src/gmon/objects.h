/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OBJECT_BUILD_ID_MAX 20

/* The program and its libraries: whose text is where, and the cells of its ticks.  Objects are
 * never freed and, but for GONE, never change: whoever walks the list needs no lock, not even in a
 * handler of a fatal signal. */
struct object {
	struct object *next;
	uintptr_t base;	     /* what the loader has added to the file's addresses */
	uintptr_t low, high; /* of the text, as loaded, in multiples of OBJECT_GRANULE */
	uint64_t *cells;     /* whole pages of their own; high - low over OBJECT_GRANULE of them */
	bool is_program;
	bool is_gone;	     /* atomic; unloaded: another object may have the addresses */
	char name[NAME_MAX]; /* of the file, without folder; "" for the program */
	char path[PATH_MAX]; /* of the file, as the loader has it */
	uint64_t offset;     /* in the file, of LOW */
	uint64_t number;     /* 0 for the program; objects of one file, loaded again, share one */

	/* Which file: all 0 where it could not be asked. */
	uint64_t device, inode;
	int64_t mtime_ns; /* since the epoch */
	uint8_t build_id[OBJECT_BUILD_ID_MAX];
	size_t build_id_size;
};

/* Text bytes a cell, as in every gmon.out. */
#define OBJECT_GRANULE 4

size_t object_cells(const struct object *object);

/* The newest first, those that are gone among them.  Signal-safe: yes.  Thread-safe: yes. */
struct object *objects_first(void);

/* Whose text ADDRESS is in, or was last; NULL: nobody's.  Signal-safe: yes.  Thread-safe: yes. */
struct object *objects_at(uintptr_t address);

/* Look at what is loaded now.  Of an object whose text holds LOW to HIGH, only that counts.
 * Returns 1 when something has come or gone since, 0, or -ENOMEM.
 * Signal-safe: no.  Thread-safe: no. */
int objects_update(uintptr_t low, uintptr_t high);

/* All cells to 0.  Signal-safe: yes.  Thread-safe: no. */
void objects_clear(void);

/* Whether the program itself names LIBRARY among those that it needs. */
bool objects_program_needs(const char *library);
