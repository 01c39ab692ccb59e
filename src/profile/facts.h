/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

#include <stdbool.h>

/* What a profile knows and profile.proto has no field for, as comments, "profil.key: value" each.
 * A '#' before the key keeps a comment out of pprof's reports.  profil(5) lists the keys. */

/* Calls TAKE with each comment of PROFILE, always in the same order; the text is valid during the
 * call.  TAKE returns 0 or a negative errno that ends it.  Returns 0, -ENOMEM or TAKE's. */
typedef int facts_take(void *context, const char *comment);
int facts_write(const struct profile *profile, facts_take *take, void *context);

/* true, and *RET_SUM, when COMMENT is the one that holds the check sum (check.h). */
bool facts_find_sum(const char *comment, uint32_t *ret_sum);

/* What a measurement is known by; NULL: by nothing. */
struct facts_words {
	const char *producer, *command, *engine, *event, *clock;
	const char *system; /* NULL: this one, as uname(2) has it */
	const char *no_stacks;
};

/* Put WORDS into the facts of PROFILE.  Returns 0 or -ENOMEM. */
int facts_set_words(struct profile *profile, const struct facts_words *words);

/* Put one comment back where it came from; one that is not profil's is passed over.
 * Returns 0, -ENOMEM, or -EBADMSG for a value that is not of its key's form. */
int facts_read(struct profile *profile, const char *comment);
