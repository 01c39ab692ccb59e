/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Calls of the C library that the program finds here first. */

#define EXPORT __attribute__((visibility("default")))

/* The one called NAME that it would have found, of whatever type.  Signal-safe: no, so that a call
 * which is keeps it from the first time on. */
void *keep_next(const char *name);
