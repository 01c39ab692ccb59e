// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/unwind.h"

#include "symbol/section.h"
#include "unwind/elf_file.h"

int unwind_read(Elf *elf, struct spans *ret_functions)
{
	const char *ident = elf_getident(elf, NULL);
	GElf_Shdr header;
	Elf_Scn *section = section_find(elf, ".eh_frame", &header);
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	struct unwind_entries entries;
	struct unwind_entry entry;
	struct spans functions = {0};
	int ret = 0;

	*ret_functions = functions;
	if (!ident || !data || !data->d_buf || ident[EI_DATA] != UNWIND_BYTE_ORDER)
		return 0;
	unwind_entries_start(&entries, &(struct unwind_section){
					       .data = data->d_buf,
					       .size = data->d_size,
					       .address = header.sh_addr,
					       .word_size = ident[EI_CLASS] == ELFCLASS32 ? 4 : 8,
				       });
	while (!ret && unwind_entries_next(&entries, &entry))
		ret = spans_add(&functions, entry.start, entry.end, /* rank= */ 0, entry.start);
	if (!ret)
		ret = spans_finish(&functions, spans_by_rank);
	if (ret)
		spans_done(&functions);
	else
		*ret_functions = functions;
	return ret;
}
