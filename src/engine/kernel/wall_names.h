/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KERNEL_WALL_NAME_MAX 64

/* The name of REASON, an enum kernel_wall_reason or the number of a system call, with what is known
 * of how it waited: "futex", "read (disk)". */
void kernel_wall_name(uint32_t reason, char *ret_name, size_t size);
