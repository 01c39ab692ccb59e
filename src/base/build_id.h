/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The name that a linker gave a build, out of an object's notes as they stand in memory: its file
 * may be another one by now.  NOTES are SIZE bytes, a PT_NOTE segment of ALIGN.  Returns how many
 * bytes of RET_ID (ROOM at most) it takes, 0: there is none, or none that fits.
 * Signal-safe: yes.  Thread-safe: yes. */
size_t build_id_find(const void *notes, size_t size, size_t align, uint8_t *ret_id, size_t room);

/* The SIZE bytes of ID as 2 * SIZE hexadecimal digits and a NUL.  Signal-safe: yes.
 * Thread-safe: yes. */
static inline void build_id_print(const void *id, size_t size, char *ret_text)
{
	const uint8_t *bytes = id;

	for (size_t i = 0; i < size; i++) {
		*ret_text++ = "0123456789abcdef"[bytes[i] >> 4];
		*ret_text++ = "0123456789abcdef"[bytes[i] & 15];
	}
	*ret_text = '\0';
}
