/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_ENGINE_INSIDE_KERNEL_OBJECT_OBJECT_H
#define PROFIL_ENGINE_INSIDE_KERNEL_OBJECT_OBJECT_H

#include "engine/inside/inside.h"

/* Where libprofil and the object that needs libbpf meet. */

#define KERNEL_OBJECT_FILE "libprofil-kernel.so.0"
#define KERNEL_OBJECT_SYMBOL "profil_inside_kernel"

/* The engine, for a library of VERSION (PROFIL_VERSION), or NULL if the object is of another one:
 * their structures may differ. */
const struct inside_ops *profil_inside_kernel(const char *version)
	__attribute__((visibility("default")));

#endif
