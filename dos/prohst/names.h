/* SPDX-License-Identifier: BSD-2-Clause */
/* The three names PROHST asks for, out of its command line or its prompts. */
#ifndef NAMES_H
#define NAMES_H

#define NAME_SIZE 80

enum { NAME_PROFILE, NAME_LISTING, NAME_MAP, NAMES };

struct names {
	char name[NAMES][NAME_SIZE]; /* with extension; the map: NUL.MAP for none */
};

/* Take the names from LINE; ask for each that it does not have and that no semicolon leaves to its
 * default.  A line that makes no sense is said and all begins again with prompts.
 * Prompts and answers go over standard output and input.  Returns 0, or 1 when there is no more
 * input. */
int names_read(struct names *names, const char *line);

/* Whether NAME is of DEVICE ("NUL"), whatever its extension. */
int name_is_device(const char *name, const char *device);

#endif
