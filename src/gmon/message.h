/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* One small message of a protocol buffer, as profile.proto has them.  All functions are
 * signal-safe. */
struct message {
	size_t used;
	uint8_t bytes[128]; /* more than the largest one of a profile's: six numbers, or five packed
			     */
};

/* Field NUMBER; one that is 0 is left out, as the format has it. */
void message_number(struct message *message, uint32_t field, uint64_t number);

/* COUNT numbers, packed: five at most. */
void message_numbers(struct message *message, uint32_t field, const uint64_t *numbers,
		     size_t count);

/* What stands before SIZE bytes. */
void message_head(struct message *message, uint32_t field, size_t size);
