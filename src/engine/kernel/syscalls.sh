#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# syscalls.sh COMPILER...: the names of the kernel's system calls by number, of 64-bit programs and of
# i386's, as two lists of a C initializer.  Machines that have no such headers have none.
list()
{
	printf 'static const char *const %s[] = {\n' "$1"
	printf '#include <%s>\n' "$2" | $compiler -E -dM - 2>/dev/null |
		sed -n 's/^#define __NR_\([a-z0-9_]*\) \([0-9]*\)$/\2 \1/p' | sort -n |
		sed 's/\(.*\) \(.*\)/\t[\1] = "\2",/'
	printf '\tNULL,\n};\n'
}
compiler=$*
printf '/* Made by syscalls.sh. */\n#include <stddef.h>\n\n'
list syscalls asm/unistd_64.h
list syscalls_32 asm/unistd_32.h
