/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "dos/dosmap.h"

/* A map as it is read, line by line. */

struct dosmap_part {
	uint32_t start, limit;
	char *name; /* heap */
};

struct dosmap {
	struct dosmap_part *segments; /* as the map lists them; may overlap */
	size_t segment_count, segment_capacity;
	struct dosmap_symbol *symbols; /* their names are heap */
	size_t symbol_count, symbol_capacity;
	struct dosmap_line *lines; /* their files are among .files */
	size_t line_count, line_capacity;
	char **files; /* heap, as are the names */
	bool has_entry;
	uint32_t entry; /* where the program starts */
	size_t file_count, file_capacity;
};

struct dosmap_reader {
	struct dosmap *map;
	int table;	       /* which table of the map is being read, dosmap_rows.c's */
	char *section;	       /* GNU ld: a section's name that stood alone on its line; heap */
	const char *line_file; /* the source of the line numbers that follow */
};

/* Take one LINE, without its end.  Returns 0 or -ENOMEM. */
int dosmap_take_line(struct dosmap_reader *reader, const char *line);
