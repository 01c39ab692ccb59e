/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <pthread.h>

/* What pthread_atfork(3) calls, by the name that the Linux Standard Base gives it; not every C
 * library has it. */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
			     void *object) __attribute__((weak));

/* pthread_atfork(3), but the handlers stay when the program ends.  That takes them away then; and
 * glibc (2.36) ends the program with "array index 0 not less than array length 0" where another
 * thread's fork(2) is waiting in the first of them.  Only for what is never unloaded.  Returns 0 or
 * an error number.  Signal-safe: no.  Thread-safe: yes. */
static inline int at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
	if (__register_atfork)
		return __register_atfork(prepare, parent, child, /* object= */ NULL);
	return pthread_atfork(prepare, parent, child);
}
