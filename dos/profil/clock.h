/* SPDX-License-Identifier: BSD-2-Clause */
/* The clock that interrupts the program: the seed's trio of CLOCKON, CLOCKOFF and LEAVE_INT, which
 * is all that is to be written for another machine.  An interrupt that is to be counted jumps to
 * clk_inter (count.s), which comes back to LEAVE_INT; that does what the interrupt controller and
 * the machine's own use of the clock ask for, and returns from the interrupt. */
#ifndef CLOCK_H
#define CLOCK_H

#include "profil/vector.h"

/* Laid out as the .s files have it. */
struct clock {
	struct vector vector;
	/* CLOCKON: tick every MICROSECONDS, 60 to 65,529.  The vector is taken already, and
	 * interrupts are off.  Returns the interval in effect, longer only where the hardware is
	 * too slow. */
	unsigned (*on)(unsigned microseconds);
	/* CLOCKOFF: the hardware as it was.  Interrupts are off, the vector is still taken; should
	 * it stay so, interrupts go straight on to the old one. */
	void (*off)(void);
	unsigned leave; /* LEAVE_INT */
};

/* Channel 0 of the 8253 timer, IRQ 0 (pclock.s), with the BIOS's own tick chained at 18.2 Hz. */
extern struct clock pit_clock;

/* The periodic interrupt of the CMOS clock, IRQ 8 (pclockr.s). */
extern struct clock rtc_clock;

/* Whether this machine has a CMOS clock that runs. */
int rtc_present(void);

#endif
