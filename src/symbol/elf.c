// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/elf.h"

#include "base/path.h"
#include "symbol/object.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One file stays open, for a profile that asks about its text segments one after the other.  More
 * would hold the debug information of all objects at once, which is what most memory goes into. */
struct elf_cache {
	char *path, *build_id; /* NULL where nothing is open */
	struct object *object; /* NULL when the file could not be opened */
};

static void close_file(struct elf_cache *cache)
{
	free(cache->path);
	free(cache->build_id);
	object_close(cache->object);
	*cache = (struct elf_cache){0};
}

static int open_file(struct elf_cache *cache, const struct symbol_object *object)
{
	int result;

	close_file(cache);
	result = object_open(object->path, &cache->object);
	if (result == -ENOMEM)
		return result;
	cache->path = strdup(object->path);
	cache->build_id = strdup(object->build_id ? object->build_id : "");
	if (cache->path && cache->build_id)
		return 0;
	close_file(cache);
	return -ENOMEM;
}

static bool is_of(const struct elf_cache *cache, const struct symbol_object *object)
{
	const char *build_id = object->build_id ? object->build_id : "";

	return cache->path && !strcmp(cache->path, object->path) &&
	       !strcmp(cache->build_id, build_id);
}

static int elf_name_batch(const struct symbol_batch *batch)
{
	struct elf_cache *cache = batch->symbols->elf_cache;
	const char *path = batch->object->path;
	const char *label = path_base(path);
	int result = is_of(cache, batch->object) ? 0 : open_file(cache, batch->object);

	if (result)
		return result;
	if (!cache->object)
		return batch_take_all_unknown(batch, label);
	return object_name(cache->object, batch, /* bias= */ 0, label);
}

struct elf_cache *elf_cache_new(void)
{
	return calloc(1, sizeof(struct elf_cache));
}

void elf_cache_free(struct elf_cache *cache)
{
	if (!cache)
		return;
	close_file(cache);
	free(cache);
}

const struct symbol_source_ops elf_source = {
	.name = "elf",
	.name_batch = elf_name_batch,
};
