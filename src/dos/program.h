/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>

/* Whether the file at PATH is a program for DOS: an .EXE (MZ) that is nothing more, no Windows or
 * OS/2 program or DOS extender's (PE, NE, LE, LX, ...) behind its stub, or a .COM by its ending in
 * any case, which is neither ELF nor a script.
 * Signal-safe: no.  Thread-safe: yes. */
bool dos_program_is(const char *path);

/* Whether NAME, without folders, is one that DOS can say: eight characters, a dot, three. */
bool dos_name_is_short(const char *name);
