/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether SIZE bytes from ADDRESS on are a program's to read or to write, as the kernel sees it:
 * asked by system calls that answer EFAULT, so that a bad address harms nobody.  Nothing is
 * changed.  What is true now may be false at the next instruction. */

/* Each page is asked for. */
bool address_is_readable(const void *address, size_t size);

/* All must be mapped; the first and the last page must be writable, for to ask a page is to have
 * it, and a buffer as large as text is mostly pages that nobody will ever touch. */
bool address_is_writable(void *address, size_t size);
