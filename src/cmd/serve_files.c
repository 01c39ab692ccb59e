// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/serve_files.h"

#include "base/array.h"
#include "cmd/command.h"
#include "cmd/pages.h"
#include "cmd/serve_collect.h"
#include "view/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define TRIES 3 /* to add an interval's metrics */

/* ---- the files ---- */

struct live_file *files_find(const struct live_files *files, uint64_t number)
{
	for (size_t i = 0; i < files->count; i++)
		if (files->items[i].number == number)
			return &files->items[i];
	return NULL;
}

int files_reach(struct live_files *files, uint64_t number)
{
	int ret = 0;

	while (!ret && files->newest < number) {
		ret = ARRAY_RESERVE(files->items, files->capacity, files->count + 1);
		if (!ret)
			files->items[files->count++] =
				(struct live_file){.number = ++files->newest, .fd = -1};
	}
	return ret;
}

bool files_are_last(const struct live_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		if (!files->items[i].is_last)
			return false;
	return files->count;
}

int files_newest(const struct live_files *files)
{
	int fd = -1;

	for (size_t i = 0; i < files->count; i++)
		if (files->items[i].fd >= 0)
			fd = files->items[i].fd;
	return fd;
}

void files_forget(struct live_files *files, uint64_t from)
{
	size_t kept = 0;

	for (size_t i = 0; i < files->count; i++) {
		struct live_file *file = &files->items[i];
		bool is_done = file->is_last && (file->is_stored || file->fd < 0);

		if (!is_done || file->number >= from)
			files->items[kept++] = *file;
		else if (file->fd >= 0)
			close(file->fd);
	}
	files->count = kept;
}

/* ---- the sum of what is over ---- */

static int print_sum(void *context, int stop)
{
	struct live_files *files = context;
	const int inputs[PAGE_INPUTS] = {files->store, files_find(files, files->added)->fd};
	const size_t top = METRICS_KEPT;

	(void)stop;
	if (dup2(files->to, STDOUT_FILENO) < 0 || pages_take_inputs(inputs) ||
	    collect_print_metrics(&top))
		return EXIT_PROFIL;
	return fflush(stdout) ? EXIT_PROFIL : 0;
}

/* What has failed is tried again: it may have been killed. */
static void take_sum(struct live_files *files)
{
	bool has_failed = apart_end(&files->adding);

	if (has_failed)
		close(files->to);
	else if (files->store)
		close(files->store);
	if (!has_failed)
		files->store = files->to;
	files->failures = has_failed ? files->failures + 1 : 0;
	if (has_failed && files->failures < TRIES)
		return;
	if (has_failed)
		(void)cmd_fail("metrics: those of an interval are lost: free some memory");
	files->failures = 0;
	files_find(files, files->added)->is_stored = true;
}

void files_add_up(struct live_files *files)
{
	if (files->adding.pid && !apart_wait(&files->adding, /* ms= */ 0, /* watched= */ -1))
		return;
	if (files->adding.pid)
		take_sum(files);
	for (size_t i = 0; i < files->count && !files->adding.pid; i++) {
		const struct live_file *file = &files->items[i];

		if (!file->is_last || file->is_stored || file->fd < 0)
			continue;
		files->added = file->number;
		files->to = memfd_create("profil-metrics", MFD_CLOEXEC);
		if (files->to < 0)
			return;
		if (apart_begin(&files->adding, print_sum, files)) {
			close(files->to);
			return;
		}
	}
}

void files_done(struct live_files *files)
{
	if (files->adding.pid)
		(void)apart_end(&files->adding);
	for (size_t i = 0; i < files->count; i++)
		if (files->items[i].fd >= 0)
			close(files->items[i].fd);
	free(files->items);
	if (files->store)
		close(files->store);
}
