// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/session.h"

#include <errno.h>
#include <string.h>

#define PERIOD_MIN_NS 10000
#define PERIOD_MAX_NS 1000000000

/* 997 Hz: a round number would fall in step with a program's own. */
#define PERIOD_DEFAULT_NS 1003009

int extensible_check(const void *object, size_t known)
{
	size_t size;

	memcpy(&size, object, sizeof(size));
	if (size < sizeof(size) || size > EXTENSIBLE_MAX)
		return -EINVAL;
	for (size_t i = known; i < size; i++) {
		if (((const unsigned char *)object)[i])
			return -EINVAL;
	}
	return 0;
}

int session_options(const struct profil_options *options, struct profil_options *ret_options)
{
	struct profil_options meant = {};

	if (options && extensible_check(options, sizeof(*options)))
		return error_set(session_refusal(), -EINVAL,
				 "options: a wrong size or a field of a later version: set size "
				 "to sizeof(struct profil_options) and what is not used to 0");
	if (options)
		memcpy(&meant, options, EXTENSIBLE_SIZE(options));
	meant.size = sizeof(meant);
	if (!meant.period_ns)
		meant.period_ns = PERIOD_DEFAULT_NS;
	if (meant.period_ns < PERIOD_MIN_NS || meant.period_ns > PERIOD_MAX_NS)
		return error_set(session_refusal(), -EINVAL,
				 "period: %llu ns: take 10,000 to 1,000,000,000",
				 (unsigned long long)meant.period_ns);
	if (meant.flags & ~(uint64_t)(PROFIL_SATURATE | PROFIL_THIS_THREAD))
		return error_set(session_refusal(), -EINVAL,
				 "flags: 0x%llx: take enum profil_flags",
				 (unsigned long long)meant.flags);
	*ret_options = meant;
	return 0;
}
