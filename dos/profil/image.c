/* SPDX-License-Identifier: BSD-2-Clause */
#include "profil/image.h"

#include "base/dos.h"
#include "base/text.h"
#include "profil/path.h"

#define MZ 0x5a4d
#define PARAGRAPHS_PER_PAGE 32

/* The header of an .EXE, as far as it is needed, in words. */
static struct exe_header {
	unsigned magic, last_page, pages, relocations, header_size;
	unsigned least_memory, most_memory, stack_segment, stack_offset, checksum;
	unsigned entry_offset, entry_segment, relocation_table;
} header;

static unsigned length_low, length_high;

/* bytes / 16, rounded up, to 16 bits. */
static unsigned paragraphs(unsigned low, unsigned high)
{
	unsigned part = (low >> 4) + ((low & 15) != 0);

	return part + (high << 12);
}

int image_size(unsigned handle, const char *name, unsigned *ret_paragraphs)
{
	header.magic = 0;
	if (text_same(path_extension(name), ".EXE")) {
		if (dos_read(handle, (char *)&header, sizeof(header)) != sizeof(header) ||
		    header.magic != MZ)
			return 1;
	}
	dos_length(handle, &length_low, &length_high);
	*ret_paragraphs = header.magic ? header.pages * PARAGRAPHS_PER_PAGE
				       : paragraphs(length_low, length_high);
	return 0;
}

/* The table has four bytes for each.  In paragraphs and bytes, for bytes alone are more than 16
 * bits. */
int image_is_whole(void)
{
	unsigned odd = (header.relocation_table & 15) + (header.relocations & 3) * 4;
	unsigned end = (header.relocation_table >> 4) + (header.relocations >> 2) + (odd >> 4);
	unsigned length = (length_low >> 4) + (length_high << 12);

	if (!header.magic || !header.relocations || length_high >= 16)
		return 1;
	return end < length || (end == length && (odd & 15) <= (length_low & 15));
}
