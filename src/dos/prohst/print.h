/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_DOS_PROHST_PRINT_H
#define PROFIL_DOS_PROHST_PRINT_H

#include "dos/prohst/stream.h"
#include "dos/prohst/wide.h"

/* Fields of the listing, right-justified; what does not fit its width takes what it needs. */
struct print {
	struct prohst_output output;
	int unix_text;
};

/* UNIX_TEXT: lines end with LF, not CR LF, and the file without 1Ah. */
void print_open(struct print *print, const struct prohst_output *output, int unix_text);
void print_end(const struct print *print);

void print_text(const struct print *print, const char *text);
void print_bytes(const struct print *print, const char *bytes, unsigned count);
void print_repeated(const struct print *print, int byte, unsigned count);

/* TEXT, then the end of the line. */
void print_line(const struct print *print, const char *text);

/* 0 to 65,535: filled with blanks; with zeros, 14 digits at most. */
void print_decimal(const struct print *print, unsigned value, unsigned width);
void print_hex(const struct print *print, unsigned value, unsigned width);

/* A number of tenths, with one decimal: "6.3". */
void print_tenths(const struct print *print, const struct wide *tenths, unsigned width);

#endif
