// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/session.h"

#include <errno.h>
#include <string.h>

#define PERIOD_MIN_NS 10000
#define PERIOD_MAX_NS 1000000000

/* 997 Hz: a round number would fall in step with a program's own. */
#define PERIOD_DEFAULT_NS 1003009

/* A caller of a later version may have more fields; they must ask for nothing. */
static bool is_known(const struct profil_options *options)
{
	const unsigned char *bytes = (const unsigned char *)options;

	for (size_t i = sizeof(*options); i < options->size; i++) {
		if (bytes[i])
			return false;
	}
	return options->size >= sizeof(*options);
}

int session_options(const struct profil_options *options, struct profil_options *ret_options)
{
	struct profil_options meant = {.size = sizeof(meant)};

	if (options && !is_known(options))
		return error_set(session_refusal(), -EINVAL,
				 "options: unknown size or a field of a later version: set size to "
				 "sizeof(struct profil_options)");
	if (options)
		meant = *options;
	if (!meant.period_ns)
		meant.period_ns = PERIOD_DEFAULT_NS;
	if (meant.period_ns < PERIOD_MIN_NS || meant.period_ns > PERIOD_MAX_NS)
		return error_set(session_refusal(), -EINVAL,
				 "period: %llu ns: take 10,000 to 1,000,000,000",
				 (unsigned long long)meant.period_ns);
	if (meant.flags & ~(unsigned)(PROFIL_SATURATE | PROFIL_THIS_THREAD))
		return error_set(session_refusal(), -EINVAL, "flags: 0x%x: take enum profil_flags",
				 meant.flags);
	*ret_options = meant;
	return 0;
}
