// SPDX-License-Identifier: BSD-2-Clause
#include "base/strings.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	char *text;
	size_t length;
};

struct strings {
	struct entry *entries;
	size_t count, capacity;
	struct slots slots;
};

static bool member_is(const void *set, uint32_t number, const void *key)
{
	const struct strings *strings = set;
	const struct entry *member = &strings->entries[number], *asked = key;

	return member->length == asked->length &&
	       !memcmp(member->text, asked->text, member->length);
}

struct strings *strings_new(void)
{
	struct strings *strings = calloc(1, sizeof(*strings));
	uint32_t empty;

	if (!strings)
		return NULL;
	if (strings_add(strings, "", 0, &empty)) {
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
	slots_done(&strings->slots);
	free(strings);
}

int strings_add(struct strings *strings, const char *text, size_t length, uint32_t *ret_id)
{
	const struct entry asked = {(char *)text, length};
	uint32_t *slot;
	char *copy;

	if (slots_grow(&strings->slots, strings->count))
		return -ENOMEM;
	slot = slots_find(&strings->slots, member_is, strings, &asked, hash_bytes(text, length));
	if (*slot) {
		*ret_id = *slot - 1;
		return 0;
	}
	if (strings->count >= UINT32_MAX / 2)
		return -ENOMEM;
	if (ARRAY_RESERVE(strings->entries, strings->capacity, strings->count + 1))
		return -ENOMEM;
	copy = malloc(length + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, length);
	copy[length] = '\0';
	strings->entries[strings->count] = (struct entry){copy, length};
	*ret_id = (uint32_t)strings->count++;
	*slot = (uint32_t)strings->count;
	return 0;
}

bool strings_find(struct strings *strings, const char *text, size_t length, uint32_t *ret_id)
{
	const struct entry asked = {(char *)text, length};
	const uint32_t *slot =
		slots_find(&strings->slots, member_is, strings, &asked, hash_bytes(text, length));

	if (*slot)
		*ret_id = *slot - 1;
	return *slot;
}

const char *strings_get(const struct strings *strings, uint32_t id)
{
	return id < strings->count ? strings->entries[id].text : "";
}

uint32_t strings_count(const struct strings *strings)
{
	return (uint32_t)strings->count;
}

uint64_t strings_looks(const struct strings *strings)
{
	return strings->slots.looks;
}
