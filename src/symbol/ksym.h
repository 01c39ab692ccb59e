/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_SYMBOL_KSYM_H
#define PROFIL_SYMBOL_KSYM_H

/* "name+0xoffset/0xsize [module]": what the BPF object answers. */
#define KSYM_TEXT 640

#endif
