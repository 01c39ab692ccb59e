/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "gmon/gzip.h"
#include "gmon/places.h"
#include "gmon/pprof.h"

/* A profile on its way into its file. */
struct pprof {
	struct gzip gzip;
	struct places places;
	const struct pprof_facts *facts;
	size_t comment_count;
	bool is_counting; /* comments: they are not written yet */
	struct text key, value;
	char command[4096];
};

/* The text of COUNT PARTS, one after the other, as the table's next one. */
void pprof_text(struct pprof *pprof, const char *const *parts, size_t count);

/* Of OBJECT (NULL: nowhere): whole pages, by the file's own addresses. */
struct pprof_extent {
	uint64_t start, limit, offset;
};
struct pprof_extent pprof_extent(const struct object *object);

/* What the format has no field for (profil(5), FACTS), as the table's next texts; sets
 * comment_count, and where is_counting does nothing else. */
void pprof_comments(struct pprof *pprof);
