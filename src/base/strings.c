// SPDX-License-Identifier: BSD-2-Clause
#include "base/strings.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	char *text;
	size_t length;
	uint32_t hash;
};

struct strings {
	struct entry *entries;
	size_t count, capacity;
	uint32_t *slots;   /* entry number + 1, 0 where free */
	size_t slot_count; /* a power of two, at most half full */
};

static uint32_t hash_of(const char *text, size_t length)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash;
}

static uint32_t *slot_of(const struct strings *strings, const char *text, size_t length,
			 uint32_t hash)
{
	size_t mask = strings->slot_count - 1;

	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		const struct entry *entry;

		if (!strings->slots[i])
			return &strings->slots[i];
		entry = &strings->entries[strings->slots[i] - 1];
		if (entry->hash == hash && entry->length == length &&
		    !memcmp(entry->text, text, length))
			return &strings->slots[i];
	}
}

static int rehash(struct strings *strings, size_t slot_count)
{
	uint32_t *slots = calloc(slot_count, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	free(strings->slots);
	strings->slots = slots;
	strings->slot_count = slot_count;
	for (size_t i = 0; i < strings->count; i++) {
		const struct entry *entry = &strings->entries[i];

		*slot_of(strings, entry->text, entry->length, entry->hash) = (uint32_t)i + 1;
	}
	return 0;
}

struct strings *strings_new(void)
{
	struct strings *strings = calloc(1, sizeof(*strings));
	uint32_t empty;

	if (!strings)
		return NULL;
	if (rehash(strings, 256) || strings_add(strings, "", 0, &empty)) {
		strings_free(strings);
		return NULL;
	}
	return strings;
}

void strings_free(struct strings *strings)
{
	if (!strings)
		return;
	for (size_t i = 0; i < strings->count; i++)
		free(strings->entries[i].text);
	free(strings->entries);
	free(strings->slots);
	free(strings);
}

int strings_add(struct strings *strings, const char *text, size_t length, uint32_t *ret_id)
{
	uint32_t hash = hash_of(text, length);
	uint32_t *slot = slot_of(strings, text, length, hash);
	char *copy;

	if (*slot) {
		*ret_id = *slot - 1;
		return 0;
	}
	if (strings->count >= UINT32_MAX / 2)
		return -ENOMEM;
	if (ARRAY_RESERVE(strings->entries, strings->capacity, strings->count + 1))
		return -ENOMEM;
	if (strings->count * 2 >= strings->slot_count) {
		if (rehash(strings, strings->slot_count * 2))
			return -ENOMEM;
		slot = slot_of(strings, text, length, hash);
	}
	copy = malloc(length + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, length);
	copy[length] = '\0';
	strings->entries[strings->count] = (struct entry){copy, length, hash};
	*ret_id = (uint32_t)strings->count++;
	*slot = (uint32_t)strings->count;
	return 0;
}

const char *strings_get(const struct strings *strings, uint32_t id)
{
	return id < strings->count ? strings->entries[id].text : "";
}

uint32_t strings_count(const struct strings *strings)
{
	return (uint32_t)strings->count;
}
