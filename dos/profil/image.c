/* SPDX-License-Identifier: BSD-2-Clause */
#include "profil/image.h"

#include "base/dos.h"
#include "base/text.h"
#include "profil/path.h"

#define MZ 0x5a4d
#define PARAGRAPHS_PER_PAGE 32

/* The bytes of a .COM at most: a segment less its PSP and the word that DOS pushes. */
#define COM_LONGEST 0xfefe

/* The header of an .EXE, as far as it is needed, in words. */
static struct exe_header {
	unsigned magic, last_page, pages, relocations, header_size;
	unsigned least_memory, most_memory, stack_segment, stack_offset, checksum;
	unsigned entry_offset, entry_segment, relocation_table;
} header;

static unsigned length_low, length_high;
static int is_exe; /* to DOS, whatever it is called */

/* bytes / 16, rounded up, to 16 bits. */
static unsigned paragraphs(unsigned low, unsigned high)
{
	unsigned part = (low >> 4) + ((low & 15) != 0);

	return part + (high << 12);
}

int image_size(unsigned handle, const char *name, unsigned *ret_paragraphs)
{
	unsigned got;

	header.magic = 0;
	got = dos_read(handle, (char *)&header, sizeof(header));
	is_exe = header.magic == MZ;
	if (!text_same(path_extension(name), ".EXE"))
		header.magic = 0;
	else if (got != sizeof(header) || !is_exe)
		return 1;
	dos_length(handle, &length_low, &length_high);
	*ret_paragraphs = header.magic ? header.pages * PARAGRAPHS_PER_PAGE
				       : paragraphs(length_low, length_high);
	return 0;
}

int image_fits(void)
{
	return is_exe || (!length_high && length_low <= COM_LONGEST);
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
