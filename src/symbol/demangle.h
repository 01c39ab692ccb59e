/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Names as their authors wrote them: C++ and Rust, both of its manglings.  Each name is worked out
 * once and kept. */
struct demangler;

/* Returns NULL when memory is short; demangler_free() takes NULL. */
struct demangler *demangler_new(void);
void demangler_free(struct demangler *demangler);

/* What to show for the linker's NAME: demangled, or NAME itself where it is not mangled, cannot be
 * demangled, or would grow beyond reason.  Suffixes survive: ".cold" as " [clone .cold]", "@plt"
 * and versions as they are.  Both texts are the demangler's, valid until it is freed; *RET_SYSTEM
 * is a copy of NAME.
 * Returns 0 or -ENOMEM. */
int demangler_show(struct demangler *demangler, const char *name, const char **ret_system,
		   const char **ret_shown);
