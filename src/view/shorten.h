/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* NAME of a function, as demanglers and runtimes write it (C++, Rust, Go, Java), in at most WIDTH
 * columns.  What tells least goes first: the return type, parameters, template arguments, what it
 * is in from the outermost on; the function's own name stays longest. "void
 * v8::internal::JsonParser<unsigned short>::ParseString(bool)"
 *   "v8::internal::JsonParser<…>::ParseString(…)"    "…::ParseString"
 * What has none of these parts is cut in its middle.  Behind it may stand what rows add: "+0x1f",
 * " (inlined)", " and 3 more".
 * Returns heap text, or NULL when memory is short. */
char *shorten_function(const char *name, size_t width, bool utf8);
