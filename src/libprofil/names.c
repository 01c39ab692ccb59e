// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/export.h"
#include "libprofil/session.h"

static _Thread_local struct error refusal;

struct error *session_refusal(void)
{
	return &refusal;
}

const char *session_engine(const struct profil_measurement *measurement)
{
	return measurement->counting.inside ? measurement->counting.ops->name : measurement->name;
}

EXPORT const char *profil_engine(const struct profil_measurement *measurement)
{
	const char *name = "";

	if (!measurement)
		return name;
	counting_lock();
	name = session_engine(measurement);
	counting_unlock();
	return name;
}

EXPORT const char *profil_why(const struct profil_measurement *measurement)
{
	return measurement ? measurement->why.text : refusal.text;
}

EXPORT const char *profil_version(void)
{
	return PROFIL_VERSION;
}
