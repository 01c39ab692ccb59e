// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/export.h"
#include "libprofil/session.h"

static _Thread_local struct error refusal;

struct error *session_refusal(void)
{
	return &refusal;
}

EXPORT const char *profil_engine(const struct profil_measurement *measurement)
{
	if (!measurement)
		return "";
	return measurement->counting.inside ? measurement->counting.ops->name : measurement->name;
}

EXPORT const char *profil_why(const struct profil_measurement *measurement)
{
	return measurement ? measurement->why.text : refusal.text;
}

EXPORT const char *profil_version(void)
{
	return PROFIL_VERSION;
}
