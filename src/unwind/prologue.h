/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "unwind/elf_file.h"

/* Code that no call frame information covers in a file that has some: the built-in functions of a
 * JIT compiler, or of another language.  Where its functions begin is found by their filling, or by
 * the frame pointer that they set up, and where their frames are by following their instructions
 * (flow.h): rows of that are added to TABLE.  What is not certain stays without a rule; so does a
 * small piece of code, which is rather somebody's assembly, unless it is in .fini_array.  FD is the
 * file of which ELF was read, and TABLE compiled.  Returns 0 or -ENOMEM; TABLE is then what it was.
 */
int unwind_add_prologues(int fd, const struct unwind_elf *elf, struct unwind_table *table);
