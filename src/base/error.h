/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* An error is a negative errno and one sentence of the form "what: why: what to do".  Rooms below
 * view and cmd fill the sentence and return the number; only cmd prints it, behind "profil: ". */
struct error {
	char text[1024];
};

/* Write the sentence into RETERR (which may be NULL) and return CODE, a negative errno, so that a
 * caller can say "return error_set(reterr, -ENOENT, ...)".
 * Signal-safe: no.  Thread-safe: yes, on distinct RETERR. */
int error_set(struct error *reterr, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
