/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_LIBPROFIL_EXPORT_H
#define PROFIL_LIBPROFIL_EXPORT_H

/* A program may call it: everything else is hidden.  libprofil.map has the same names. */
#define EXPORT __attribute__((visibility("default")))

#endif
