// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/tables.h"

#include "base/array.h"
#include "engine/clock.h"
#include "unwind/cache.h"
#include "unwind/load.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of all tables: the largest programs' are some megabytes. */
#define BYTES_MOST ((size_t)512 << 20)

/* So much time code is followed for, and a part of all time, while records wait in their rings. */
#define FOLLOWED_AT_ONCE_NS (50 * UINT64_C(1000000))
#define FOLLOWED_PART 3

/* What stands at PATH, if that is FILE as it was when it was mapped: another's table would lead to
 * wrong callers.  Not opened for long, and never waited for. */
static int open_file(const char *path, const struct histogram_file *file)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0 && perf_file_is(file, fd))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* The process may have a root of its own; when it is gone, its path is tried as one of ours. */
static void compile(struct perf_tables *tables, struct perf_table *table,
		    const struct histogram_file *file, pid_t pid)
{
	char path[PATH_MAX + 32];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, file->path);
	fd = open_file(path, file);
	if (fd < 0)
		fd = open_file(file->path, file);
	if (fd < 0)
		return;
	table->is_there = !unwind_load_cached(fd, &table->table);
	if (table->is_there && unwind_has_framed(&table->table))
		table->fd = fd;
	else
		close(fd);
	tables->bytes += table->table.row_count * sizeof(*table->table.rows);
}

static struct perf_table *table_of(struct perf_tables *tables, const struct perf_files *files,
				   uint32_t file)
{
	if (file >= tables->count && ARRAY_RESERVE(tables->all, tables->count, files->count))
		return NULL;
	return &tables->all[file];
}

static const struct unwind_table *vdso_of(struct perf_table *vdso,
					  int (*load)(struct unwind_table *ret_table))
{
	if (!vdso->tried)
		vdso->is_there = !load(&vdso->table);
	vdso->tried = 1;
	return vdso->is_there ? &vdso->table : NULL;
}

const struct unwind_table *perf_tables_of(struct perf_tables *tables,
					  const struct perf_files *files,
					  const struct perf_mapping *mapping, pid_t pid)
{
	struct perf_table *table;

	if (mapping->space == CELL_VDSO)
		return vdso_of(&tables->vdso, unwind_load_vdso);
	if (mapping->space == CELL_VDSO32)
		return vdso_of(&tables->vdso32, unwind_load_vdso32);
	if (mapping->space != CELL_FILE)
		return NULL;
	table = table_of(tables, files, mapping->file);
	if (!table)
		return NULL;
	if (!table->is_there && table->tried != pid && tables->bytes < BYTES_MOST) {
		table->tried = pid;
		compile(tables, table, &files->files[mapping->file], pid);
	}
	return table->is_there ? &table->table : NULL;
}

enum unwind_end perf_tables_framed(struct perf_tables *tables, uint32_t file, uint64_t offset,
				   bool is_exact, struct unwind_rule *ret_rule)
{
	uint64_t began = monotonic_ns();
	const struct unwind_answer *answer;
	bool may_follow;

	if (file >= tables->count || !tables->all[file].fd)
		return UNWIND_NO_RULE;
	if (!tables->following_since_ns)
		tables->following_since_ns = began;
	may_follow = tables->following_ns <
		     FOLLOWED_AT_ONCE_NS + (began - tables->following_since_ns) / FOLLOWED_PART;
	answer = unwind_answer(&tables->answers, tables->all[file].fd, file, offset, is_exact,
			       may_follow);
	tables->following_ns += monotonic_ns() - began;
	if (!answer)
		return UNWIND_NO_TABLE;
	*ret_rule = answer->rule;
	return answer->has_rule ? UNWIND_GOES_ON : UNWIND_NO_RULE;
}

void perf_tables_done(struct perf_tables *tables)
{
	for (size_t i = 0; i < tables->count; i++) {
		unwind_table_done(&tables->all[i].table);
		if (tables->all[i].fd)
			close(tables->all[i].fd);
	}
	free(tables->all);
	unwind_table_done(&tables->vdso.table);
	unwind_table_done(&tables->vdso32.table);
	unwind_answers_done(&tables->answers);
	*tables = (struct perf_tables){0};
}
