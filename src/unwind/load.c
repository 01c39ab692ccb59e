// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/load.h"

#include "unwind/compile.h"
#include "unwind/elf_file.h"
#include "unwind/pclntab.h"
#include "unwind/prologue.h"

#include <errno.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Offsets of rows have 32 bits; debug information may make a file larger. */
#define FILE_MOST (UINT64_C(1) << 36)

/* Of call frame information; no file's is a quarter of that. */
#define FRAMES_MOST (UINT64_C(256) << 20)

/* A file's image in memory: nothing but zeros where it was not read. */
struct image {
	uint8_t *data;
	size_t size;
	int fd;
};

/* Have what of PART is in the file; what cannot be read stays zero. */
static void fetch(const struct image *image, struct unwind_elf_part part)
{
	if (part.offset > image->size)
		return;
	if (part.size > image->size - part.offset)
		part.size = image->size - part.offset;
	while (part.size) {
		ssize_t got =
			pread(image->fd, image->data + part.offset, part.size, (off_t)part.offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return;
		part.offset += (uint64_t)got;
		part.size -= (uint64_t)got;
	}
}

static void fetch_section(const struct image *image, const struct unwind_section *section)
{
	if (section->data)
		fetch(image, (struct unwind_elf_part){(uint64_t)(section->data - image->data),
						      section->size});
}

/* Of a program of Go's the code that switches stacks. */
static void fetch_switch(const struct image *image, const struct unwind_elf *elf)
{
	struct pclntab_function function;
	struct unwind_elf_part code;
	struct pclntab table;
	uint64_t index = 0;

	if (!pclntab_open(&elf->pclntab, &table))
		return;
	while (pclntab_switch(&table, &index, &function))
		if (unwind_elf_part(elf, function.start, function.end, &code))
			fetch(image, code);
}

static int compile(const struct image *image, struct unwind_table *ret_table)
{
	struct unwind_elf_headers headers;
	struct unwind_elf elf;
	int ret;

	fetch(image, (struct unwind_elf_part){0, sizeof(Elf64_Ehdr)});
	ret = unwind_elf_headers(image->data, image->size, &headers);
	if (ret)
		return ret;
	fetch(image, headers.segments);
	fetch(image, headers.sections);
	ret = unwind_elf_headers(image->data, image->size, &headers);
	if (ret)
		return ret;
	fetch(image, headers.names);
	ret = unwind_elf_read(image->data, image->size, &elf);
	if (ret)
		return ret;
	if (elf.frames.size > FRAMES_MOST || elf.debug_frames.size > FRAMES_MOST ||
	    elf.pclntab.size > FRAMES_MOST)
		return -ENOEXEC;
	fetch_section(image, &elf.frames);
	fetch_section(image, &elf.debug_frames);
	fetch_section(image, &elf.pclntab);
	fetch_switch(image, &elf);
	if (elf.ends.size <= UNWIND_INIT_MOST)
		fetch_section(image, &elf.ends);
	if (elf.init.size <= UNWIND_INIT_MOST && elf.fini.size <= UNWIND_INIT_MOST) {
		fetch_section(image, &elf.init);
		fetch_section(image, &elf.fini);
	}
	ret = unwind_compile(image->data, image->size, ret_table);
	/* Without room for more, the table is as good as it was. */
	if (!ret)
		(void)unwind_add_prologues(image->fd, &elf, ret_table);
	return ret;
}

int unwind_load(int fd, struct unwind_table *ret_table)
{
	struct image image = {.fd = fd};
	struct stat status;
	int ret;

	if (fstat(fd, &status))
		return -errno;
	if (!S_ISREG(status.st_mode) || status.st_size <= 0 ||
	    (uint64_t)status.st_size > FILE_MOST || (uint64_t)status.st_size > SIZE_MAX / 2)
		return -ENOEXEC;
	image.size = (size_t)status.st_size;
	image.data = mmap(NULL, image.size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (image.data == MAP_FAILED)
		return -ENOMEM;
	ret = compile(&image, ret_table);
	(void)munmap(image.data, image.size);
	return ret;
}

int unwind_load_vdso(struct unwind_table *ret_table)
{
	const uint8_t *image = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)image;

	if (!image)
		return -ENOENT;
	/* Its section headers are its last. */
	return unwind_compile(
		image, header->e_shoff + (size_t)header->e_shnum * header->e_shentsize, ret_table);
}
