/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "symbol/spans.h"

#include <gelf.h>

/* The first section of ELF called NAME that has content, with its header; NULL when there is none.
 */
Elf_Scn *section_find(Elf *elf, const char *name, GElf_Shdr *ret_header);

/* The executable address ranges of ELF: its sections, or its segments when it has no sections.
 * Returns 0 or -ENOMEM. */
int section_code(Elf *elf, struct spans *ret_code);
