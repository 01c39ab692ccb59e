// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/unwind.h"

#include "symbol/section.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* libdw finds the row of an unwind table for an address, but not the bounds of the function the row
 * is in; those are decoded here, from the entries libdw splits the section into. */

struct table {
	const char *ident;
	Elf_Data *data;
	uint64_t address;	/* of the section */
	size_t pointer_size;	/* 4 or 8 */
	Dwarf_Off cie;		/* the common entry ENCODING was taken from */
	uint8_t encoding;	/* DW_EH_PE_*; DW_EH_PE_omit where it is not understood */
	struct spans functions; /* found so far */
};

static bool is_own_byte_order(const char *ident)
{
	const uint16_t one = 1;

	return ident[EI_DATA] == (*(const uint8_t *)&one ? ELFDATA2LSB : ELFDATA2MSB);
}

/* How many bytes a pointer of ENCODING takes, 0 where it varies or is not known. */
static size_t encoded_size(const struct table *table, uint8_t encoding)
{
	switch (encoding & 0x07) {
	case DW_EH_PE_absptr:
		return table->pointer_size;
	case DW_EH_PE_udata2:
		return 2;
	case DW_EH_PE_udata4:
		return 4;
	case DW_EH_PE_udata8:
		return 8;
	default:
		return 0;
	}
}

/* The pointer encoding of the functions of CIE, from its augmentation: 'R' says which. */
static uint8_t encoding_of(const struct table *table, const Dwarf_CIE *cie)
{
	const uint8_t *data = cie->augmentation_data;
	const uint8_t *end = data ? data + cie->augmentation_data_size : NULL;

	if (cie->augmentation[0] != 'z')
		return DW_EH_PE_absptr;
	for (const char *letter = cie->augmentation + 1; *letter; letter++) {
		if (*letter == 'S' || *letter == 'B')
			continue;
		if (data == end)
			return DW_EH_PE_omit;
		if (*letter == 'R')
			return *data;
		if (*letter == 'P') {
			size_t size = encoded_size(table, *data);

			if (!size || size >= (size_t)(end - data))
				return DW_EH_PE_omit;
			data += size;
		} else if (*letter != 'L') {
			return DW_EH_PE_omit;
		}
		data++;
	}
	return DW_EH_PE_absptr;
}

static uint8_t encoding_at(struct table *table, Dwarf_Off offset)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (offset == table->cie)
		return table->encoding;
	table->cie = offset;
	table->encoding = DW_EH_PE_omit;
	if (!dwarf_next_cfi((const unsigned char *)table->ident, table->data, /* eh_frame= */ true,
			    offset, &next, &entry) &&
	    dwarf_cfi_cie_p(&entry))
		table->encoding = encoding_of(table, &entry.cie);
	return table->encoding;
}

static uint64_t read_number(const uint8_t *at, size_t size, bool is_signed)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (size) {
	case sizeof(two):
		memcpy(&two, at, sizeof(two));
		return is_signed ? (uint64_t)(int16_t)two : two;
	case sizeof(four):
		memcpy(&four, at, sizeof(four));
		return is_signed ? (uint64_t)(int32_t)four : four;
	default:
		memcpy(&eight, at, sizeof(eight));
		return eight;
	}
}

/* A function entry begins with its address and its length, in the encoding of its common entry. */
static int add_function(struct table *table, const Dwarf_FDE *fde)
{
	uint8_t encoding = encoding_at(table, fde->CIE_pointer);
	size_t size = encoded_size(table, encoding);
	uint64_t mask = table->pointer_size == 4 ? UINT32_MAX : UINT64_MAX;
	uint64_t start, length;

	if (encoding == DW_EH_PE_omit || !size || (size_t)(fde->end - fde->start) < 2 * size)
		return 0;
	start = read_number(fde->start, size, encoding & DW_EH_PE_signed);
	length = read_number(fde->start + size, size, /* is_signed= */ false);
	if ((encoding & 0xf0) == DW_EH_PE_pcrel)
		start += table->address + (uint64_t)(fde->start - (uint8_t *)table->data->d_buf);
	else if (encoding & 0xf0)
		return 0;
	start &= mask;
	if (length > mask - start)
		return 0;
	return spans_add(&table->functions, start, start + length, /* rank= */ 0, start);
}

static int read_table(struct table *table)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	for (Dwarf_Off offset = 0;; offset = next) {
		int result = dwarf_next_cfi((const unsigned char *)table->ident, table->data,
					    /* eh_frame= */ true, offset, &next, &entry);

		/* A broken entry can be passed over only when libdw says where the next one is. */
		if (result > 0 || next <= offset || next == (Dwarf_Off)-1)
			break;
		if (!result && !dwarf_cfi_cie_p(&entry) && add_function(table, &entry.fde))
			return -ENOMEM;
	}
	return spans_finish(&table->functions, spans_by_rank);
}

int unwind_read(Elf *elf, struct spans *ret_functions)
{
	struct table table = {.ident = elf_getident(elf, NULL), .cie = (Dwarf_Off)-1};
	GElf_Shdr header;
	Elf_Scn *section = section_find(elf, ".eh_frame", &header);
	int result;

	*ret_functions = (struct spans){0};
	table.data = section ? elf_rawdata(section, NULL) : NULL;
	if (!table.ident || !table.data || !table.data->d_buf || !is_own_byte_order(table.ident))
		return 0;
	table.address = header.sh_addr;
	table.pointer_size = table.ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
	result = read_table(&table);
	if (result)
		spans_done(&table.functions);
	else
		*ret_functions = table.functions;
	return result;
}
