// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/elf.h"

#include "symbol/object.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Opened files stay open for the next call, but only so many: each holds a descriptor and its
 * debug information. */
#define OPEN_MAX_FILES 8

struct elf_file {
	char *path, *build_id; /* NULL where nothing is open */
	struct object *object; /* NULL when the file could not be opened */
	uint64_t used;	       /* when last, by the cache's count of uses */
};

struct elf_cache {
	struct elf_file files[OPEN_MAX_FILES];
	uint64_t uses;
};

static void close_file(struct elf_file *file)
{
	free(file->path);
	free(file->build_id);
	object_close(file->object);
	*file = (struct elf_file){0};
}

static int open_file(struct elf_file *file, const struct symbol_object *object)
{
	int result;

	close_file(file);
	result = object_open(object->path, &file->object);
	if (result == -ENOMEM)
		return result;
	file->path = strdup(object->path);
	file->build_id = strdup(object->build_id ? object->build_id : "");
	if (file->path && file->build_id)
		return 0;
	close_file(file);
	return -ENOMEM;
}

static bool is_of(const struct elf_file *file, const struct symbol_object *object)
{
	const char *build_id = object->build_id ? object->build_id : "";

	return file->path && !strcmp(file->path, object->path) && !strcmp(file->build_id, build_id);
}

/* The opened file of OBJECT, in the place of the one that was not used for longest if need be. */
static int find_file(struct elf_cache *cache, const struct symbol_object *object,
		     struct elf_file **ret_file)
{
	struct elf_file *oldest = &cache->files[0];
	int result;

	for (size_t i = 0; i < OPEN_MAX_FILES; i++) {
		struct elf_file *file = &cache->files[i];

		if (is_of(file, object)) {
			*ret_file = file;
			return 0;
		}
		if (file->used < oldest->used)
			oldest = file;
	}
	result = open_file(oldest, object);
	if (!result)
		*ret_file = oldest;
	return result;
}

static int elf_name_batch(const struct symbol_batch *batch)
{
	struct elf_cache *cache = batch->symbols->elf_cache;
	const char *path = batch->object->path;
	const char *slash = strrchr(path, '/');
	const char *label = slash ? slash + 1 : path;
	struct elf_file *file;
	int result = find_file(cache, batch->object, &file);

	if (result)
		return result;
	file->used = ++cache->uses;
	if (!file->object)
		return batch_take_all_unknown(batch, label);
	return object_name(file->object, batch, /* bias= */ 0, label);
}

struct elf_cache *elf_cache_new(void)
{
	return calloc(1, sizeof(struct elf_cache));
}

void elf_cache_free(struct elf_cache *cache)
{
	if (!cache)
		return;
	for (size_t i = 0; i < OPEN_MAX_FILES; i++)
		close_file(&cache->files[i]);
	free(cache);
}

const struct symbol_source_ops elf_source = {
	.name = "elf",
	.name_batch = elf_name_batch,
};
