/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BENCH_LIBC_PROFIL_H
#define BENCH_LIBC_PROFIL_H

#include <stddef.h>

/* The C library's own profil(3), in a program that libprofil has put its own before. */
typeof(int (*)(unsigned short *, size_t, size_t, unsigned)) libc_profil(void);

#endif
