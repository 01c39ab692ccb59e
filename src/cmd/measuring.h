/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd/command.h"
#include "cmd/measure.h"
#include "cmd/shared.h"

#define SECOND_NS 1000000000ull

/* Of the options of attach and system, which do not end by themselves; those, and run's, begin with
 * struct measure_options. */
#define OPTION_FOR_ROW(group)                                                                \
	{                                                                                    \
		0, "for", "TIME", "no longer than TIME, 100ms to 10000h", group, VALUE_TIME, \
			.min = SECOND_NS / 10, .max = 10000 * 3600 * SECOND_NS,              \
			.accepted = "100ms to 10000h, such as 30s",                          \
			INTO(struct measure_options, for_ns)                                 \
	}

/* What is measured with, until an option says otherwise. */
void measuring_defaults(struct measure_options *options);

/* What an engine must be able to do for OPTIONS. */
struct engine_wish measuring_wish(const struct measure_options *options);

/* Whether the options that were taken go together.  Returns 0, or EXIT_PROFIL after having said
 * what does not. */
int measuring_check(const struct measure_options *options);
