/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The bytes of an x86 instruction at BYTES that is not known by name, so that those behind it are
 * not read from its middle: 1 to 15 and at most SIZE, which is not 0.  It is taken to be of the
 * opcode maps that grow (0F, 0F 38, 0F 3A, and VEX and EVEX); 1 for all others.  Pure function. */
uint8_t x86_length(const uint8_t *bytes, size_t size);
