// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/plt.h"

#include "base/array.h"
#include "symbol/section.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Linkers order and pad stubs each in their own way, but every stub jumps through a slot of the
 * GOT, and a relocation says whose slot it is.  So the jump is read, not the order trusted. */

struct plt {
	Elf *elf;
	struct spans slots; /* GOT slot to the name of its function */
};

struct relocations {
	Elf_Data *entries, *symbols;
	size_t strings; /* the section of the symbols' names */
};

static const char *name_of(Elf *elf, const struct relocations *relocations, GElf_Xword info)
{
	GElf_Sym symbol;

	if (!gelf_getsym(relocations->symbols, (int)GELF_R_SYM(info), &symbol))
		return NULL;
	return elf_strptr(elf, relocations->strings, symbol.st_name);
}

static int add_slots(struct plt *plt, const struct relocations *relocations, size_t count)
{
	for (size_t i = 0; i < count && i < INT32_MAX; i++) {
		GElf_Rela entry;
		GElf_Xword type;
		const char *name;

		if (!gelf_getrela(relocations->entries, (int)i, &entry))
			break;
		type = GELF_R_TYPE(entry.r_info);
		if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
			continue;
		name = name_of(plt->elf, relocations, entry.r_info);
		if (!name || !name[0] || entry.r_offset > UINT64_MAX - 8)
			continue;
		if (spans_add(&plt->slots, entry.r_offset, entry.r_offset + 8, /* rank= */ 0,
			      (uintptr_t)name))
			return -ENOMEM;
	}
	return 0;
}

static int read_relocations(struct plt *plt, const char *section_name)
{
	GElf_Shdr header, symbol_header;
	Elf_Scn *section = section_find(plt->elf, section_name, &header);
	Elf_Scn *symbols = section ? elf_getscn(plt->elf, header.sh_link) : NULL;
	struct relocations relocations;

	if (!symbols || !gelf_getshdr(symbols, &symbol_header) || header.sh_type != SHT_RELA ||
	    symbol_header.sh_type != SHT_DYNSYM || !header.sh_entsize)
		return 0;
	relocations.entries = elf_getdata(section, NULL);
	relocations.symbols = elf_getdata(symbols, NULL);
	relocations.strings = symbol_header.sh_link;
	if (!relocations.entries || !relocations.symbols)
		return 0;
	return add_slots(plt, &relocations, header.sh_size / header.sh_entsize);
}

/* Where the stub of SIZE bytes at CODE, which runs at ADDRESS, finds its target: the operand of
 * "[endbr64] [bnd] jmp *offset(%rip)".  0 when it is none. */
static uint64_t slot_of(const uint8_t *code, size_t size, uint64_t address)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	const uint8_t *at = code, *end = code + size;
	int32_t offset;

	if (size > sizeof(endbr64) && !memcmp(at, endbr64, sizeof(endbr64)))
		at += sizeof(endbr64);
	if (*at == 0xf2)
		at++;
	if (end - at < 6 || at[0] != 0xff || at[1] != 0x25)
		return 0;
	memcpy(&offset, at + 2, sizeof(offset));
	return address + (uint64_t)(at + 6 - code) + (uint64_t)(int64_t)offset;
}

static int add_stub(struct strings *strings, struct symtab *symtab, const struct spans *code,
		    const char *function, const GElf_Sym *symbol)
{
	char name[1024];
	uint32_t id;
	int length = snprintf(name, sizeof(name), "%s@plt", function);

	if (length < 0 || (size_t)length >= sizeof(name))
		return 0;
	if (strings_add(strings, name, (size_t)length, &id))
		return -ENOMEM;
	return symtab_add(symtab, code, symbol->st_value, symbol, strings_get(strings, id));
}

static int read_stubs(const struct plt *plt, const char *section_name, size_t size,
		      const struct spans *code, struct strings *strings, struct symtab *symtab)
{
	GElf_Shdr header;
	Elf_Scn *section = section_find(plt->elf, section_name, &header);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;

	for (size_t at = 0; data && data->d_buf && at + size <= data->d_size; at += size) {
		GElf_Sym symbol = {
			.st_value = header.sh_addr + at,
			.st_size = size,
			.st_info = GELF_ST_INFO(STB_LOCAL, STT_FUNC),
		};
		const struct span *slot =
			spans_find(&plt->slots, slot_of((const uint8_t *)data->d_buf + at, size,
							symbol.st_value));

		if (slot &&
		    add_stub(strings, symtab, code, (const char *)(uintptr_t)slot->value, &symbol))
			return -ENOMEM;
	}
	return 0;
}

static int read_all(struct plt *plt, const struct spans *code, struct strings *strings,
		    struct symtab *symtab)
{
	static const struct {
		const char *section;
		size_t stub_size;
	} stubs[] = {{".plt", 16}, {".plt.sec", 16}, {".plt.got", 8}};

	if (read_relocations(plt, ".rela.plt") || read_relocations(plt, ".rela.dyn") ||
	    spans_finish(&plt->slots, spans_by_rank))
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_LENGTH(stubs); i++)
		if (read_stubs(plt, stubs[i].section, stubs[i].stub_size, code, strings, symtab))
			return -ENOMEM;
	return 0;
}

int plt_read(Elf *elf, const struct spans *code, struct strings *strings, struct symtab *symtab)
{
	struct plt plt = {.elf = elf};
	GElf_Ehdr header;
	int result;

	if (!gelf_getehdr(elf, &header) || header.e_machine != EM_X86_64 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64)
		return 0;
	result = read_all(&plt, code, strings, symtab);
	spans_done(&plt.slots);
	return result;
}
