/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <gelf.h>
#include <stddef.h>
#include <stdint.h>

/* The functions of a linked ELF file by its own table of symbols, as programs see them that rewrite
 * it: a debug file elsewhere, or what DWARF says, is nothing to them. */

struct linked_function {
	uint64_t start, end; /* by the size of the symbol; never empty */
	/* Its first global symbol, or else its first local one; NULL where nothing tells that from
	 * other local symbols of its name. */
	const char *name;
	/* Of a local one: the file that the table has it of, NULL where it does not say; and which
	 * of the functions of that name and file it is, 1 for the lowest address.  Else NULL, 0. */
	const char *file;
	uint32_t number;
};

struct linked {
	int fd;
	Elf *elf;			   /* has the names */
	struct linked_function *functions; /* by address, and disjoint; heap */
	size_t count;
};

/* Read the file PATH; where it has no table of symbols, there are no functions.  What begins within
 * a function is an entry of that one, and a symbol without a size is no function.
 * Returns 0, and linked_close() frees *RET_LINKED, -ENOMEM, or another -errno where it cannot be
 * read. */
int linked_open(const char *path, struct linked *ret_linked);
void linked_close(struct linked *linked);

/* The function that holds ADDRESS, or NULL. */
const struct linked_function *linked_find(const struct linked *linked, uint64_t address);
