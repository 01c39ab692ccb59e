/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_ABI_TRUTH_H
#define PROFIL_TESTS_ABI_TRUTH_H

#include <stddef.h>

/* What the programs of this folder know of themselves.  They are written as each system's manual
 * has it and include this beside the system's headers, so it includes none that has profil().
 *
 * The rate is PROFIL_HZ, 997 unless it says otherwise; truth.c sets it before main(). */

/* Spin for SECONDS of this thread's CPU time, all of it in spin_code(), which lies at
 * spin_start and has spin_size bytes.  Returns the CPU seconds it was, really. */
double spin(double seconds);
extern char *const spin_start;
extern const size_t spin_size;

/* End the program with 1 and WHAT on stderr unless TRUE. */
void check(int truth, const char *what);

/* Whether TICKS are what SECONDS of CPU come to.  Ticks come by CPU time, so that nothing but the
 * time outside spin_code() takes any away: the clock's system call, interrupts, less than 1 % of
 * all here.  That 5 % of at least 300 and 4 ticks more are missing has a chance below 1e-6 then
 * (binomial), and there is no way to 5 % too many.  The kernel engine's ticks come by the
 * processor's time instead, which adds what chance does to a program that is often put off it. */
void check_ticks(unsigned long ticks, double seconds);

#endif
