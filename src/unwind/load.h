/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "unwind/table.h"

/* Compile the unwind table of the file FD, of which no more is read than it takes, and with
 * read(2): a file that is cut meanwhile harms nobody.  RET_TABLE is freed by unwind_table_done().
 * Returns 0, or a negative errno: -ENOEXEC as unwind_compile() does.  Signal-safe: no. */
int unwind_load(int fd, struct unwind_table *ret_table);

/* The same of the vdso that the kernel has mapped into this process, as into all of its kind.
 * -ENOENT: there is none. */
int unwind_load_vdso(struct unwind_table *ret_table);

/* The same of the vdso of 32-bit programs, which all have one.  Takes a child's life. */
int unwind_load_vdso32(struct unwind_table *ret_table);
