// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/section.h"

#include <errno.h>
#include <string.h>

Elf_Scn *section_find(Elf *elf, const char *name, GElf_Shdr *ret_header)
{
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		const char *found;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		found = elf_strptr(elf, names, header.sh_name);
		if (!found || strcmp(found, name))
			continue;
		*ret_header = header;
		return section;
	}
	return NULL;
}

static int add(struct spans *code, uint64_t start, uint64_t size)
{
	uint64_t end = size > UINT64_MAX - start ? UINT64_MAX : start + size;

	return spans_add(code, start, end, /* rank= */ 0, start);
}

static int add_sections(Elf *elf, struct spans *code)
{
	const GElf_Xword executable = SHF_ALLOC | SHF_EXECINSTR;

	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header) || (header.sh_flags & executable) != executable)
			continue;
		if (add(code, header.sh_addr, header.sh_size))
			return -ENOMEM;
	}
	return 0;
}

static int add_segments(Elf *elf, struct spans *code)
{
	size_t count;

	if (elf_getphdrnum(elf, &count))
		return 0;
	for (size_t i = 0; i < count && i < INT32_MAX; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header))
			break;
		if (header.p_type != PT_LOAD || !(header.p_flags & PF_X))
			continue;
		if (add(code, header.p_vaddr, header.p_memsz))
			return -ENOMEM;
	}
	return 0;
}

int section_code(Elf *elf, struct spans *ret_code)
{
	struct spans code = {0};
	int result = add_sections(elf, &code);

	if (!result && !code.count)
		result = add_segments(elf, &code);
	if (!result)
		result = spans_finish(&code, spans_by_rank);
	if (result) {
		spans_done(&code);
		return result;
	}
	*ret_code = code;
	return 0;
}
