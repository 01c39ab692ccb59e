// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/hex.h"
#include "symbol/perfmap_file.h"
#include "symbol/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* perf's convention for code made at run time: the program writes "START SIZE name" for each
 * function it makes into /tmp/perf-PID.map.  perf reads both numbers by strtoull(3) of base 16, and
 * programs rely on it: a JVM writes "0x" before them.  Memory is used again, so a later line is
 * truer than an earlier one: the lines are read from the last to the first, and an address keeps
 * the first name it gets. */

#define MAP_MAX (64 << 20) /* of a longer file the end is read */

struct map {
	char *text; /* heap; lines are cut into strings as they are read */
	size_t size;
	bool is_end; /* of a longer file: begins in the middle of a line */
};

/* The names of a batch.  NEXT[i] leads to the first address from I on that has no name yet, so that
 * no address is looked at twice, however much the lines overlap. */
struct answers {
	const struct symbol_batch *batch;
	const char **names;
	size_t *next;
};

static size_t read_fully(int fd, char *text, size_t size, off_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, text + done, size - done, offset + (off_t)done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

/* Returns 0 or -errno; the caller frees the text. */
static int read_map(const char *folder, uint32_t pid, struct map *ret_map)
{
	off_t whole;
	int fd = perfmap_open(folder, pid, &whole);
	off_t skipped;
	struct map map;

	if (fd < 0)
		return fd;
	skipped = whole > MAP_MAX ? whole - MAP_MAX : 0;
	map.text = malloc((size_t)(whole - skipped) + 1);
	map.size = map.text ? read_fully(fd, map.text, (size_t)(whole - skipped), skipped) : 0;
	map.is_end = skipped > 0;
	close(fd);
	if (!map.text)
		return -ENOMEM;
	*ret_map = map;
	return 0;
}

static size_t unnamed_from(struct answers *answers, size_t index)
{
	size_t end = index, next;

	while (answers->next[end] != end)
		end = answers->next[end];
	for (; index != end; index = next) {
		next = answers->next[index];
		answers->next[index] = end;
	}
	return end;
}

static bool map_field(const char **line, uint64_t *ret_value)
{
	const char *at = *line + strspn(*line, " \t");

	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		at += 2;
	if (!hex_field(&at, ret_value))
		return false;
	*line = at;
	return true;
}

/* Name after LINE, "START SIZE name", the addresses that are in its range.  What is not of that
 * form is passed over. */
static void apply(struct answers *answers, const char *line)
{
	const struct symbol_batch *batch = answers->batch;
	uint64_t start, size;
	size_t index;

	if (!map_field(&line, &start) || !map_field(&line, &size) || !*line)
		return;
	index = unnamed_from(answers, batch_lower_bound(batch, start));
	while (index < batch->count && batch->addresses[index] - start < size) {
		answers->names[index] = line;
		answers->next[index] = index + 1;
		index = unnamed_from(answers, index + 1);
	}
}

/* A line without its newline is still being written: what follows the last one is left out, as is
 * the line the text begins in the middle of. */
static void apply_all(struct answers *answers, const struct map *map)
{
	char *end = map->size ? memrchr(map->text, '\n', map->size) : NULL;

	while (end) {
		char *before = memrchr(map->text, '\n', (size_t)(end - map->text));

		if (!before && map->is_end)
			break;
		*end = '\0';
		apply(answers, before ? before + 1 : map->text);
		end = before;
	}
}

static int take_all(const struct answers *answers)
{
	const struct symbol_batch *batch = answers->batch;
	int result = 0;

	for (size_t i = 0; i < batch->count && !result; i++) {
		if (answers->names[i])
			result = batch_take(batch, i, SYMBOL_NAMED, answers->names[i]);
		else
			result = batch_take_unknown(batch, i, "[anon]");
	}
	return result;
}

static int name_by(const struct map *map, const struct symbol_batch *batch)
{
	struct answers answers = {
		.batch = batch,
		.names = calloc(batch->count, sizeof(*answers.names)),
		.next = calloc(batch->count + 1, sizeof(*answers.next)),
	};
	int result = -ENOMEM;

	if (answers.names && answers.next) {
		for (size_t i = 0; i <= batch->count; i++)
			answers.next[i] = i;
		apply_all(&answers, map);
		result = take_all(&answers);
	}
	free(answers.names);
	free(answers.next);
	return result;
}

static int perfmap_name_batch(const struct symbol_batch *batch)
{
	struct map map;
	uint32_t pid = batch->object->pid;
	int result = pid ? read_map(batch->symbols->perfmap_folder, pid, &map) : -ESRCH;

	if (result == -ENOMEM)
		return result;
	if (result)
		return batch_take_all_unknown(batch, "[anon]");
	result = name_by(&map, batch);
	free(map.text);
	return result;
}

const struct symbol_source_ops perfmap_source = {
	.name = "perfmap",
	.name_batch = perfmap_name_batch,
};
