// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/object.h"

#include <errno.h>
#include <link.h>
#include <sys/auxv.h>

/* The kernel maps one and the same 64-bit image into every process, so ours tells the names of all.
 * Its mapping has all of the file, section headers included. */

static size_t image_size(const char *image)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)image;
	const ElfW(Phdr) *segments = (const ElfW(Phdr) *)(image + header->e_phoff);
	size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;

	for (size_t i = 0; i < header->e_phnum; i++) {
		size_t end = segments[i].p_offset + segments[i].p_filesz;

		if (segments[i].p_type == PT_LOAD && end > size)
			size = end;
	}
	return size;
}

static int vdso_name_batch(const struct symbol_batch *batch)
{
	char *image = (char *)getauxval(AT_SYSINFO_EHDR);
	struct object *object = NULL;
	int result =
		image ? object_open_image("[vdso]", image, image_size(image), &object) : -ENOENT;

	if (result == -ENOMEM)
		return result;
	if (result)
		return batch_take_all_unknown(batch, "[vdso]");
	result = object_name(object, batch, object_base(object), "[vdso]");
	object_close(object);
	return result;
}

const struct symbol_source_ops vdso_source = {
	.name = "vdso",
	.name_batch = vdso_name_batch,
};
