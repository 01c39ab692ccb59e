/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set of distinct strings, each known by a small number: 0 is always the empty string.  Equal
 * strings have equal numbers, so that names are compared and grouped as integers. */
struct strings;

/* Returns a new set, or NULL when memory is short; strings_free() takes NULL. */
struct strings *strings_new(void);
void strings_free(struct strings *strings);

/* The number of TEXT (LENGTH bytes, copied), which is added if it is new.
 * Returns 0 and the number in *RET_ID, or -ENOMEM. */
int strings_add(struct strings *strings, const char *text, size_t length, uint32_t *ret_id);

/* Whether TEXT is in the set; then *RET_ID is its number. */
bool strings_find(struct strings *strings, const char *text, size_t length, uint32_t *ret_id);

/* The text of ID, NUL-terminated, valid until strings_free(); "" for a number never given. */
const char *strings_get(const struct strings *strings, uint32_t id);

/* How many there are, the empty one included. */
uint32_t strings_count(const struct strings *strings);

/* How many slots of its table were looked at, ever: what adding has cost, whatever the texts. */
uint64_t strings_looks(const struct strings *strings);
