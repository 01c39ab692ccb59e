/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "unwind/table.h"

/* Compile the unwind table of the ELF file whose SIZE bytes are at FILE, and which is not needed
 * afterwards; nothing in it is trusted.  A file that tells nothing of its frames, of another
 * machine than x86, or whose code lies beyond 4 GiB has a table without rows. RET_TABLE is freed by
 * unwind_table_done().  Returns 0, -ENOEXEC (not an ELF file of this machine's byte order) or
 * -ENOMEM.  Signal-safe: no.  Thread-safe: yes. */
int unwind_compile(const void *file, size_t size, struct unwind_table *ret_table);
