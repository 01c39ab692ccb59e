// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/loaded.h"

#include <gelf.h>

uint64_t loaded_base(Elf *elf)
{
	size_t count;

	if (elf_getphdrnum(elf, &count))
		return 0;
	for (size_t i = 0; i < count && i < INT32_MAX; i++) {
		GElf_Phdr header;

		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD)
			return header.p_vaddr - header.p_offset;
	}
	return 0;
}

int loaded_machine(Elf *elf)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header) || header.e_ident[EI_DATA] != ELFDATA2LSB)
		return EM_NONE;
	/* The one machine here that has two widths under one number. */
	if (header.e_machine == EM_RISCV && header.e_ident[EI_CLASS] != ELFCLASS64)
		return EM_NONE;
	return header.e_machine;
}

const uint8_t *loaded_bytes(Elf *elf, uint64_t address, size_t size)
{
	size_t count;

	if (elf_getphdrnum(elf, &count))
		return NULL;
	for (size_t i = 0; i < count && i < INT32_MAX; i++) {
		GElf_Phdr header;
		Elf_Data *data;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    address < header.p_vaddr || size > header.p_filesz ||
		    address - header.p_vaddr > header.p_filesz - size)
			continue;
		data = elf_getdata_rawchunk(elf,
					    (int64_t)(header.p_offset + address - header.p_vaddr),
					    size, ELF_T_BYTE);
		return data ? data->d_buf : NULL;
	}
	return NULL;
}
