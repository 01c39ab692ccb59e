/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* What a program compiled with -pg, or its start-up file, calls: by the names, arguments and
 * meanings of 4.4BSD and glibc.  libprofil-gmon(3) has what they do. */

#define EXPORT __attribute__((visibility("default")))

/* Begin, sampling and counting calls.  LOW to HIGH is text; of the object that it lies in nothing
 * else is sampled (LOW not below HIGH: all of it).  Without effect once it has begun, and in a
 * program with more rights than its caller.
 * Signal-safe: no.  Thread-safe: yes. */
void monstartup(unsigned long low, unsigned long high);
void __monstartup(unsigned long low, unsigned long high);

/* ON 0: neither sample nor count calls until it is called with another one.
 * Signal-safe: no.  Thread-safe: yes. */
void moncontrol(int on);
void __moncontrol(int on);

/* End it and write the files.  A second one does nothing.
 * Signal-safe: no.  Thread-safe: yes. */
void _mcleanup(void);

/* The seventh edition's: sample the text from LOW to HIGH into BUFFER, SIZE short integers that
 * begin with a header and CALLS counters of calls, and with LOW 0 end that and write it to mon.out.
 * Signal-safe: no.  Thread-safe: no. */
void monitor(void (*low)(void), void (*high)(void), short *buffer, int size, int calls);

/* In place of the C library's: what was measured is written before the process ends.
 * Signal-safe: yes.  Thread-safe: yes. */
void _exit(int status) __attribute__((noreturn));
void _Exit(int status) __attribute__((noreturn));

/* In place of the C library's, whose parent ends by an _exit() that is not ours: what was counted
 * before the fork would be in nobody's file.
 * Signal-safe: no.  Thread-safe: yes. */
int daemon(int nochdir, int noclose);

void mcount(void *from);
void _mcount(void *from);
