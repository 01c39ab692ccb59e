/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What the environment asks for, in a program that runs with its caller's rights: a program with
 * more (AT_SECURE) is not told what to do. */

struct settings {
	uint64_t period_ns; /* PROFIL_HZ, 1 to 100000; 0: it does not say, or says nonsense */
	const char *engine; /* PROFIL_ENGINE; NULL: any */
	bool debug;	    /* PROFIL_DEBUG, anything but "" and "0" */
};

void settings_read(struct settings *ret_settings);

/* Tell of an engine's start on stderr, in one line that is written at once: which it is (NULL: none
 * would), the tick, and of WHY (lines) all.  ERROR is 0 or a negative errno. */
void settings_tell(const char *call, const char *engine, uint64_t period_ns, const char *why,
		   int error);
