// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/elf_file.h"

#include <errno.h>
#include <string.h>

struct image {
	const uint8_t *data;
	size_t size;
	bool is_wide; /* 64-bit */
};

static bool copy(const struct image *image, uint64_t offset, void *ret, size_t size)
{
	if (offset > image->size || size > image->size - offset)
		return false;
	memcpy(ret, image->data + offset, size);
	return true;
}

/* The header, segment or section header at OFFSET, a 32-bit file's as a 64-bit one's. */
static bool read_header(const struct image *image, Elf64_Ehdr *ret)
{
	Elf32_Ehdr narrow;

	if (image->is_wide)
		return copy(image, 0, ret, sizeof(*ret));
	if (!copy(image, 0, &narrow, sizeof(narrow)))
		return false;
	*ret = (Elf64_Ehdr){.e_machine = narrow.e_machine,
			    .e_entry = narrow.e_entry,
			    .e_phoff = narrow.e_phoff,
			    .e_phnum = narrow.e_phnum,
			    .e_phentsize = narrow.e_phentsize,
			    .e_shoff = narrow.e_shoff,
			    .e_shnum = narrow.e_shnum,
			    .e_shentsize = narrow.e_shentsize,
			    .e_shstrndx = narrow.e_shstrndx};
	return true;
}

static bool read_segment(const struct image *image, uint64_t offset, Elf64_Phdr *ret)
{
	Elf32_Phdr narrow;

	if (image->is_wide)
		return copy(image, offset, ret, sizeof(*ret));
	if (!copy(image, offset, &narrow, sizeof(narrow)))
		return false;
	*ret = (Elf64_Phdr){.p_type = narrow.p_type,
			    .p_flags = narrow.p_flags,
			    .p_offset = narrow.p_offset,
			    .p_vaddr = narrow.p_vaddr,
			    .p_filesz = narrow.p_filesz};
	return true;
}

static bool read_section(const struct image *image, uint64_t offset, Elf64_Shdr *ret)
{
	Elf32_Shdr narrow;

	if (image->is_wide)
		return copy(image, offset, ret, sizeof(*ret));
	if (!copy(image, offset, &narrow, sizeof(narrow)))
		return false;
	*ret = (Elf64_Shdr){.sh_name = narrow.sh_name,
			    .sh_type = narrow.sh_type,
			    .sh_flags = narrow.sh_flags,
			    .sh_addr = narrow.sh_addr,
			    .sh_offset = narrow.sh_offset,
			    .sh_size = narrow.sh_size};
	return true;
}

static void read_segments(const struct image *image, const Elf64_Ehdr *header,
			  struct unwind_elf *elf)
{
	for (unsigned i = 0; i < header->e_phnum && elf->segment_count < UNWIND_SEGMENTS; i++) {
		Elf64_Phdr segment;

		if (!read_segment(image, header->e_phoff + (uint64_t)i * header->e_phentsize,
				  &segment))
			return;
		if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) &&
		    segment.p_filesz <= UINT64_MAX - segment.p_vaddr)
			elf->segments[elf->segment_count++] = (struct unwind_segment){
				segment.p_vaddr, segment.p_filesz, segment.p_offset};
	}
}

static bool is_called(const struct image *image, const Elf64_Shdr *names, const Elf64_Shdr *section,
		      const char *name)
{
	char text[32] = "";
	size_t size = strlen(name) + 1;

	return section->sh_name < names->sh_size &&
	       copy(image, names->sh_offset + section->sh_name, text, size) && !strcmp(text, name);
}

/* The section called NAME with its content as it is used; false where there is none such. */
static bool find_section(const struct image *image, const Elf64_Ehdr *header, const char *name,
			 struct unwind_section *ret)
{
	uint64_t size = header->e_shentsize;
	Elf64_Shdr names, section;

	if (!read_section(image, header->e_shoff + header->e_shstrndx * size, &names))
		return false;
	for (unsigned i = 0; i < header->e_shnum; i++) {
		if (!read_section(image, header->e_shoff + i * size, &section))
			return false;
		if (!is_called(image, &names, &section, name))
			continue;
		if (section.sh_type == SHT_NOBITS || (section.sh_flags & SHF_COMPRESSED) ||
		    section.sh_offset > image->size ||
		    section.sh_size > image->size - section.sh_offset)
			return false;
		ret->data = image->data + section.sh_offset;
		ret->size = section.sh_size;
		ret->address = section.sh_addr;
		return true;
	}
	return false;
}

/* Whether it is an ELF file whose numbers can be read as they are. */
static bool open_image(struct image *image, Elf64_Ehdr *header)
{
	unsigned char ident[EI_NIDENT];

	if (!copy(image, 0, ident, sizeof(ident)) || memcmp(ident, ELFMAG, SELFMAG) != 0 ||
	    ident[EI_DATA] != UNWIND_BYTE_ORDER)
		return false;
	image->is_wide = ident[EI_CLASS] == ELFCLASS64;
	return read_header(image, header);
}

int unwind_elf_headers(const void *file, size_t size, struct unwind_elf_headers *ret_headers)
{
	struct image image = {.data = file, .size = size};
	Elf64_Shdr names = {0};
	Elf64_Ehdr header;

	if (!open_image(&image, &header))
		return -ENOEXEC;
	read_section(&image, header.e_shoff + (uint64_t)header.e_shstrndx * header.e_shentsize,
		     &names);
	*ret_headers = (struct unwind_elf_headers){
		{header.e_phoff, (uint64_t)header.e_phnum * header.e_phentsize},
		{header.e_shoff, (uint64_t)header.e_shnum * header.e_shentsize},
		{names.sh_offset, names.sh_size},
	};
	return 0;
}

int unwind_elf_read(const void *file, size_t size, struct unwind_elf *ret_elf)
{
	struct image image = {.data = file, .size = size};
	Elf64_Ehdr header;

	*ret_elf = (struct unwind_elf){0};
	if (!open_image(&image, &header))
		return -ENOEXEC;
	ret_elf->entry = header.e_entry;
	ret_elf->machine = unwind_machine(header.e_machine);
	ret_elf->frames.word_size = image.is_wide ? 8 : 4;
	ret_elf->debug_frames = ret_elf->frames;
	ret_elf->debug_frames.is_debug_frame = true;
	read_segments(&image, &header, ret_elf);
	(void)find_section(&image, &header, ".eh_frame", &ret_elf->frames);
	(void)find_section(&image, &header, ".debug_frame", &ret_elf->debug_frames);
	if (!find_section(&image, &header, ".gopclntab", &ret_elf->pclntab))
		(void)find_section(&image, &header, ".data.rel.ro.gopclntab", &ret_elf->pclntab);
	(void)find_section(&image, &header, ".fini_array", &ret_elf->ends);
	(void)find_section(&image, &header, ".init", &ret_elf->init);
	(void)find_section(&image, &header, ".fini", &ret_elf->fini);
	return 0;
}

const struct unwind_segment *unwind_elf_segment(const struct unwind_elf *elf, uint64_t address)
{
	for (unsigned i = 0; i < elf->segment_count; i++)
		if (address - elf->segments[i].address < elf->segments[i].size)
			return &elf->segments[i];
	return NULL;
}

bool unwind_elf_part(const struct unwind_elf *elf, uint64_t start, uint64_t end,
		     struct unwind_elf_part *ret_part)
{
	const struct unwind_segment *segment = unwind_elf_segment(elf, start);

	if (!segment || end - start > segment->size - (start - segment->address))
		return false;
	*ret_part =
		(struct unwind_elf_part){start - segment->address + segment->offset, end - start};
	return true;
}

/* The segment of IMAGE that AT is in, counted in memory or in the file; false: none. */
static bool find_segment(const struct image *image, uint64_t at, bool in_memory, Elf64_Phdr *ret)
{
	Elf64_Ehdr header;

	if (!read_header(image, &header))
		return false;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		if (!read_segment(image, header.e_phoff + (uint64_t)i * header.e_phentsize, ret))
			return false;
		if (ret->p_type == PT_LOAD &&
		    at - (in_memory ? ret->p_vaddr : ret->p_offset) < ret->p_filesz)
			return true;
	}
	return false;
}

bool unwind_elf_moved(const void *head, size_t size, uint64_t offset, int64_t distance,
		      uint64_t *ret_offset)
{
	struct image image = {.data = head, .size = size};
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	uint64_t address;

	if (!open_image(&image, &header) || !find_segment(&image, offset, false, &segment))
		return false;
	address = offset - segment.p_offset + segment.p_vaddr + (uint64_t)distance;
	if (!find_segment(&image, address, true, &segment) || (segment.p_flags & PF_W))
		return false;
	*ret_offset = address - segment.p_vaddr + segment.p_offset;
	return true;
}
