// SPDX-License-Identifier: BSD-2-Clause
#include "base/build_id.h"

#include <elf.h>
#include <link.h>
#include <string.h>

/* Up to the next multiple of ALIGN; what goes round the end is refused by whoever compares. */
static size_t padded(size_t size, size_t align)
{
	return (size + align - 1) & ~(align - 1);
}

size_t build_id_find(const void *notes, size_t size, size_t align, uint8_t *ret_id, size_t room)
{
	const char *at = notes;

	align = align == 8 ? 8 : 4;
	while (size >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
		size_t text = sizeof(*note) + padded(note->n_namesz, align);
		size_t next = text + padded(note->n_descsz, align);

		if (text > size || note->n_descsz > size - text)
			return 0;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof("GNU") &&
		    !memcmp(at + sizeof(*note), "GNU", sizeof("GNU")) && note->n_descsz <= room) {
			memcpy(ret_id, at + text, note->n_descsz);
			return note->n_descsz;
		}
		if (next > size)
			return 0;
		at += next;
		size -= next;
	}
	return 0;
}
