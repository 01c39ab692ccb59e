/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The ELF files that were opened, to be asked again.  Returns NULL when memory is short;
 * elf_cache_free() takes NULL. */
struct elf_cache *elf_cache_new(void);
void elf_cache_free(struct elf_cache *cache);
