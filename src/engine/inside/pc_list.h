/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Program counters one by one, in the order in which they come: what pcsample() of SVR4's heirs
 * asks for, and the one measurement that is no histogram.  The array is the caller's, and it is
 * all: once it is full it is over, and nothing else keeps a program counter. */
struct pc_list {
	uintptr_t *pcs; /* the caller's: at an odd address, or not there at all */
	size_t room;	/* of it */
	size_t used;	/* atomic; the first ones */
};

enum pc_list_result {
	PC_LISTED,
	PC_LIST_IS_FULL,
	PC_LIST_IS_GONE, /* its next place cannot be written to; nothing is written */
};

/* Append PC.
 * Signal-safe: yes.  Thread-safe: yes; but who reads the list meanwhile may find one of another
 * thread's counted in USED and not yet there. */
enum pc_list_result pc_list_add(struct pc_list *list, uintptr_t pc);

/* Signal-safe: yes.  Thread-safe: yes. */
size_t pc_list_used(const struct pc_list *list);
