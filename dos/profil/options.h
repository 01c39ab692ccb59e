/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line: PROFIL [switches] fname.ext [parameters] */
#ifndef OPTIONS_H
#define OPTIONS_H

#define TAIL_SIZE 128

/* A number of 0 was not given, and is asked for. */
struct options {
	unsigned bucket_size;  /* /B: in paragraphs */
	unsigned microseconds; /* /T: between ticks */
	unsigned dos_segment;  /* /D: valid when has_dos_segment */
	int has_dos_segment;
	int exit_code;	     /* /E */
	int wrap;	     /* /W */
	int real_time_clock; /* /R */
	int help;	     /* /? */
	int asks;	     /* neither /B nor /T was given, so the parameters are asked for, too */
	char name[TAIL_SIZE]; /* in upper case, "" when there is none */
	const char *rest;     /* what follows the name, zero-terminated */
};

/* Read LINE, which is zero-terminated and must stay, into OPTIONS.
 * Returns 0, or the switch that is wrong, which is in OPTIONS' own memory then. */
const char *options_read(const char *line, struct options *options);

#endif
