/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* The profiles that may be shown: files that were named, or what is in a folder, which is then the
 * working directory.  Nothing else is ever opened for a reader. */
struct shelf {
	char **files; /* the caller's; of a folder: none */
	size_t count;
	bool is_folder;
	const char *moves; /* the path of the page of what is measured now; NULL: nothing is */
};

/* OPERANDS, COUNT of them, are files or one folder.  Returns 0, or -errno with a sentence. */
int shelf_open(struct shelf *shelf, char **operands, size_t count, struct error *reterr);

/* The file for NAME: of a folder its name, of files their number, from 1.  NULL: there is none. */
const char *shelf_find(const struct shelf *shelf, const char *name);

/* Print the page that lists them, newest first.  Returns an exit status. */
int shelf_print(const void *shelf);
