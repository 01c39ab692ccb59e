// SPDX-License-Identifier: BSD-2-Clause
/* The command lines of processes, as the kernel has kept them. */
#include "engine/kernel/private.h"

#include "base/array.h"
#include "target/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

struct title {
	uint32_t pid;
	const struct kernel_title *title;
};

static int compare_titles(const void *a, const void *b)
{
	const struct title *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* A title that was written over the arguments, and what is behind them, ends with its first NUL. */
static char *title_of(const struct kernel_title *from)
{
	size_t length = from->length < sizeof(from->text) ? from->length : sizeof(from->text);
	char *title = calloc(1, sizeof(from->text) + 1);

	if (!title)
		return NULL;
	memcpy(title, from->text, sizeof(from->text));
	if (length && length == from->length && title[length - 1])
		length = strlen(title);
	process_title_settle(title, length);
	return title;
}

/* TITLES are in order. */
static int give_titles(struct histogram *histogram, const struct title *titles, size_t count)
{
	for (size_t i = 0; i < histogram->task_count && count; i++) {
		struct histogram_task *task = &histogram->tasks[i];
		const struct title *title = bsearch(&(struct title){.pid = task->pid}, titles,
						    count, sizeof(*titles), compare_titles);

		if (!title || (task->tid && task->tid != task->pid))
			continue;
		task->title = title_of(title->title);
		if (!task->title)
			return -ENOMEM;
	}
	return 0;
}

int kernel_titles_put(struct engine *engine, struct histogram *histogram)
{
	struct kernel_title *texts;
	struct title *titles;
	uint32_t *pids, count;
	int ret = kernel_map_read(engine->kernel->maps.titles, (void **)&pids, (void **)&texts,
				  &count);

	if (ret)
		return ret;
	titles = calloc((size_t)count + 1, sizeof(*titles));
	for (uint32_t i = 0; titles && i < count; i++)
		titles[i] = (struct title){pids[i], &texts[i]};
	if (titles)
		ARRAY_SORT(titles, count, compare_titles);
	ret = titles ? give_titles(histogram, titles, count) : -ENOMEM;
	free(titles);
	free(pids);
	free(texts);
	return ret;
}
