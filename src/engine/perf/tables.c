// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/tables.h"

#include "base/array.h"
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

void perf_tables_done(struct perf_tables *tables)
{
	for (size_t i = 0; i < tables->count; i++)
		unwind_table_done(&tables->all[i].table);
	free(tables->all);
	unwind_table_done(&tables->vdso.table);
	unwind_table_done(&tables->vdso32.table);
	*tables = (struct perf_tables){0};
}
