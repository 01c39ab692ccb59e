// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/export.h"
#include "libprofil/session.h"

/* In a static or 32-bit program, which loads no object that could write a profile. */
EXPORT int profil_save(struct profil_measurement *measurement, const char *path)
{
	return with_errno(-EOPNOTSUPP);
}
