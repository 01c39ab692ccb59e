/* SPDX-License-Identifier: BSD-2-Clause */
/* What is counted into at a tick (count.s), from the clock's start to its end. */
#ifndef COUNT_H
#define COUNT_H

/* The head of a .PRF, as it stands in the file (report.c writes it, count.s reads it).
 * Addresses are absolute paragraph numbers; high_pa is the first one past the program. */
struct report_header {
	unsigned clock_grain; /* microseconds between ticks */
	unsigned bucket_num;
	unsigned bucket_siz; /* paragraphs in each bucket */
	unsigned prog_low_pa;
	unsigned prog_high_pa;
	unsigned dos_pa;   /* the first paragraph of DOS; below it is the I/O system */
	unsigned hit_io;   /* ticks below dos_pa */
	unsigned hit_dos;  /* from there up to prog_low_pa */
	unsigned hit_high; /* at prog_high_pa and above */
};

extern struct report_header report_header;

/* Says to who looks at memory from outside, as profil does at DOSBox's, where what is counted
 * stands. src/target/dosbox_counts.c reads it as it is here. */
struct count_mark {
	char text[16];
	unsigned self;	   /* the mark's own offset in ... */
	unsigned segment;  /* ... PROFIL's segment */
	unsigned header;   /* the offset of report_header in it */
	unsigned buckets;  /* bucket_segment */
	unsigned counting; /* 1 while the program runs, otherwise 0 */
};

extern struct count_mark count_mark;

/* Where the bucket_num counters of the program stand, 16 bits each, without a gap. */
extern unsigned bucket_segment;

/* Whether CS:IP past the first megabyte is DOS. */
extern unsigned dos_is_high;

/* Whether a full counter goes on at 0; otherwise it stays at 65,534, which is
 * the most that PROHST 1.0 can list. */
extern unsigned counters_wrap;

/* Set at the tick that a full counter could not take. */
extern unsigned counter_was_full;

/* LEAVE_INT of the clock in use. */
extern unsigned clock_leave;

#endif
