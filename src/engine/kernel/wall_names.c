// SPDX-License-Identifier: BSD-2-Clause
/* What a reason to wait is called. */
#include "engine/kernel/wall_names.h"

#include "base/array.h"
#include "engine/kernel/wall.h"
#include "syscalls.made.h"

#include <stdio.h>

static const char *const others[] = {
	[KERNEL_WALL_NOT_KNOWN - KERNEL_WALL_OTHERS] = "unknown",
	[KERNEL_WALL_PAGE_FAULT - KERNEL_WALL_OTHERS] = "page fault",
	[KERNEL_WALL_STOPPED - KERNEL_WALL_OTHERS] = "stopped",
	[KERNEL_WALL_TRACED - KERNEL_WALL_OTHERS] = "traced",
	[KERNEL_WALL_KERNEL_THREAD - KERNEL_WALL_OTHERS] = "kernel thread",
	[KERNEL_WALL_EXITING - KERNEL_WALL_OTHERS] = "exiting",
	[KERNEL_WALL_GUARDED - KERNEL_WALL_OTHERS] = "guarded",
	[KERNEL_WALL_INTERRUPT - KERNEL_WALL_OTHERS] = "interrupt",
	[KERNEL_WALL_ANOTHER - KERNEL_WALL_OTHERS] = "another process",
	[KERNEL_WALL_IS_NEW - KERNEL_WALL_OTHERS] = "new",
	[KERNEL_WALL_WOKEN - KERNEL_WALL_OTHERS] = "woken",
	[KERNEL_WALL_PREEMPTED - KERNEL_WALL_OTHERS] = "preempted",
	[KERNEL_WALL_YIELDED - KERNEL_WALL_OTHERS] = "yielded",
	[KERNEL_WALL_THROTTLED - KERNEL_WALL_OTHERS] = "throttled",
};

static const char *name_of(uint32_t number, bool is_32_bit)
{
	if (number >= KERNEL_WALL_OTHERS)
		return number - KERNEL_WALL_OTHERS < ARRAY_LENGTH(others)
			       ? others[number - KERNEL_WALL_OTHERS]
			       : NULL;
	if (is_32_bit)
		return number < ARRAY_LENGTH(syscalls_32) ? syscalls_32[number] : NULL;
	return number < ARRAY_LENGTH(syscalls) ? syscalls[number] : NULL;
}

void kernel_wall_name(uint32_t reason, char *ret_name, size_t size)
{
	uint32_t number = reason & KERNEL_WALL_NUMBER;
	const char *name = name_of(number, reason & KERNEL_WALL_32_BIT);
	const char *how = reason & KERNEL_WALL_DISK		 ? " (disk)"
			  : reason & KERNEL_WALL_UNINTERRUPTIBLE ? " (uninterruptible)"
								 : "";

	if (name)
		(void)snprintf(ret_name, size, "%s%s", name, how);
	else
		(void)snprintf(ret_name, size, "system call %u%s", number, how);
}
