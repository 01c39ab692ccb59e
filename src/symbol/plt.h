/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/strings.h"
#include "symbol/symtab.h"

#include <libelf.h>

/* Add the stubs through which ELF calls other objects to SYMTAB, as "name@plt" (the text is kept in
 * STRINGS).  Knows x86-64; adds nothing for other machines.  Returns 0 or -ENOMEM. */
int plt_read(Elf *elf, const struct spans *code, struct strings *strings, struct symtab *symtab);
