/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <regex.h>

/* A word of the user's as a question to locations. */

enum wanted_kind {
	WANTED_ALL,
	WANTED_LINE,
	WANTED_NAME,
	WANTED_OBJECT,
	WANTED_PLAIN_NAME, /* without what it returns, its scope, and its arguments */
	WANTED_REGEX,
};

struct wanted {
	const struct profile *profile;
	const uint32_t *objects;
	const char *text;
	enum wanted_kind kind;
	bool inlined; /* look at inlined functions; else only at those that stand in the code */
	size_t file_length; /* WANTED_LINE: of the file's name in text ... */
	uint32_t line;	    /* ... and the line */
	regex_t regex;
	bool has_regex;
};

/* See subjects_find() for what TEXT may be and what is returned. */
int wanted_init(struct wanted *wanted, const struct profile *profile, const uint32_t *objects,
		const char *text, struct error *reterr);
void wanted_done(struct wanted *wanted);

/* Does LOCATION answer the question? */
bool wanted_matches(const struct wanted *wanted, const struct profile_location *location);
