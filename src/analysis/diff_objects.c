// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff_private.h"

#include "base/array.h"
#include "base/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

/* "[anon] node (1234)" is another process in each run. */
static size_t path_length(const struct profile_mapping *mapping, const char *path)
{
	const char *pid = strstr(path, " (");

	return mapping->class == CLASS_ANONYMOUS && pid ? (size_t)(pid - path) : strlen(path);
}

static int add_object(struct diff_objects *objects, const struct profile *profile,
		      const struct profile_mapping *mapping, uint32_t *ret_number)
{
	const char *path = profile_text(profile, mapping->path);
	const char *build_id = profile_text(profile, mapping->build_id);
	struct diff_object object = {.class = mapping->class};
	struct key key;
	int ret;

	if (strings_add(objects->strings, path, path_length(mapping, path), &object.path) ||
	    strings_add(objects->strings, build_id, strlen(build_id), &object.build_id))
		return -ENOMEM;
	key = (struct key){{object.build_id, object.path, object.class}};
	ret = keyset_add(&objects->keys, &key, ret_number);
	if (ret <= 0)
		return ret;
	if (ARRAY_RESERVE(objects->items, objects->capacity, objects->count + 1))
		return -ENOMEM;
	object.same = *ret_number;
	objects->items[objects->count++] = object;
	return 0;
}

int diff_objects_add(struct diff_objects *objects, const struct profile *profile,
		     enum diff_side side, uint32_t **ret_numbers)
{
	uint32_t *numbers = calloc(profile->mapping_count + 1, sizeof(*numbers));
	int ret = numbers ? 0 : -ENOMEM;

	for (size_t i = 0; i < profile->mapping_count && ret >= 0; i++) {
		ret = add_object(objects, profile, &profile->mappings[i], &numbers[i]);
		if (ret >= 0)
			objects->items[numbers[i]].seen[side] = true;
	}
	if (ret < 0)
		free(numbers);
	else
		*ret_numbers = numbers;
	return ret;
}

/* What was one with HIGH is now one with LOW, and so is HIGH. */
static void unite(struct diff_objects *objects, uint32_t one, uint32_t other)
{
	uint32_t low = objects->items[one].same, high = objects->items[other].same;

	if (low > high)
		low = high, high = objects->items[one].same;
	for (size_t i = 0; low != high && i < objects->count; i++) {
		struct diff_object *object = &objects->items[i];

		if (object->same != high)
			continue;
		object->same = low;
		for (int side = 0; side < DIFF_SIDES; side++)
			objects->items[low].seen[side] |= object->seen[side];
	}
}

/* Unite what has one number in the keys that WORD gives; 0 is none. */
static void unite_by(struct diff_objects *objects, uint32_t (*word)(const struct diff_object *))
{
	uint32_t *first = calloc((size_t)strings_count(objects->strings) + 1, sizeof(*first));

	for (uint32_t i = 0; first && i < objects->count; i++) {
		uint32_t number = word(&objects->items[i]);

		if (!number)
			continue;
		if (first[number])
			unite(objects, first[number] - 1, i);
		else
			first[number] = i + 1;
	}
	free(first);
}

static uint32_t build_id_of(const struct diff_object *object)
{
	return object->build_id;
}

static uint32_t path_of(const struct diff_object *object)
{
	return object->path;
}

static const char *base_of(const struct diff_objects *objects, const struct diff_object *object)
{
	return path_base(strings_get(objects->strings, object->path));
}

/* "libz.so.1.2.13" and "libz.so.1.3" are versions of one library. */
static bool same_stem(const char *left, const char *right)
{
	const char *left_end = strstr(left, ".so"), *right_end = strstr(right, ".so");

	if (!left_end || !right_end)
		return !strcmp(left, right);
	return left_end - left == right_end - right &&
	       !strncmp(left, right, (size_t)(left_end - left));
}

static bool alike(const struct diff_objects *objects, const struct diff_object *left,
		  const struct diff_object *right, bool by_name)
{
	if (left->class != right->class)
		return false;
	return by_name ? same_stem(base_of(objects, left), base_of(objects, right))
		       : left->class == CLASS_PROGRAM;
}

/* The one object that only SIDE has and that is like OBJECT; NOBODY when there is none or more. */
static uint32_t only_one(const struct diff_objects *objects, const struct diff_object *object,
			 enum diff_side side, bool by_name)
{
	uint32_t found = NOBODY;

	for (uint32_t i = 0; i < objects->count; i++) {
		const struct diff_object *other = &objects->items[i];

		if (other->same != i || !other->seen[side] || other->seen[!side] ||
		    !alike(objects, object, other, by_name))
			continue;
		if (found != NOBODY)
			return NOBODY;
		found = i;
	}
	return found;
}

static void unite_left_over(struct diff_objects *objects, bool by_name)
{
	for (uint32_t i = 0; i < objects->count; i++) {
		const struct diff_object *object = &objects->items[i];
		uint32_t other;

		if (object->same != i || object->seen[DIFF_AFTER])
			continue;
		other = only_one(objects, object, DIFF_AFTER, by_name);
		if (other != NOBODY && only_one(objects, object, DIFF_BEFORE, by_name) == i)
			unite(objects, i, other);
	}
}

void diff_objects_match(struct diff_objects *objects)
{
	unite_by(objects, build_id_of);
	unite_by(objects, path_of);
	unite_left_over(objects, /* by_name= */ true);
	unite_left_over(objects, /* by_name= */ false);
}

void diff_objects_done(struct diff_objects *objects)
{
	free(objects->items);
	keyset_done(&objects->keys);
}
