// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/calls.h"

#include "libprofil/export.h"
#include "libprofil/legacy.h"
#include "libprofil/ranges.h"

#include <string.h>

/* The historical calls as programs see them: arguments of each system's types, and nothing else.
 * A call that returns nothing there says nothing here. */

/* glibc's; IRIX's and HP-UX's have unsigned int for the long ones, and are alike but for a name. */
struct wide_prof {
	void *base;
	size_t size;
	size_t offset;
	unsigned long scale;
};

struct narrow_prof {
	void *base;
	unsigned int size;
	uintptr_t offset;
	unsigned int scale;
};

static void wide_entry(const void *prof, struct dialect_entry *ret_entry)
{
	struct wide_prof wide;

	memcpy(&wide, prof, sizeof(wide));
	*ret_entry = (struct dialect_entry){wide.base, wide.size, wide.offset, wide.scale};
}

static void narrow_entry(const void *prof, struct dialect_entry *ret_entry)
{
	struct narrow_prof narrow;

	memcpy(&narrow, prof, sizeof(narrow));
	*ret_entry = (struct dialect_entry){narrow.base, narrow.size, narrow.offset, narrow.scale};
}

static const struct legacy_abi linux_abi = {
	.dialect = &dialect_linux,
	.entry_size = sizeof(struct wide_prof),
	.entry = wide_entry,
	.ignored = ~1u,
	.widths = {{0, 2}, {1, 4}},
};

static const struct legacy_abi irix_abi = {
	.dialect = &dialect_irix,
	.entry_size = sizeof(struct narrow_prof),
	.entry = narrow_entry,
	.fast = 4,
	.widths = {{1, 2}, {2, 4}},
};

static const struct legacy_abi hpux_abi = {
	.dialect = &dialect_hpux,
	.entry_size = sizeof(struct narrow_prof),
	.entry = narrow_entry,
	.widths = {{1, 2}, {2, 4}, {4, 8}},
};

EXPORT int profil(unsigned short *buffer, size_t size, size_t offset, unsigned int scale)
{
	return legacy_profil(&dialect_linux, buffer, size, offset, scale);
}

EXPORT int sprofil(struct prof *profp, int count, struct timeval *tvp, unsigned int flags)
{
	return legacy_sprofil(&linux_abi, profp, count, tvp, flags);
}

EXPORT int profil_linux(unsigned short *buffer, size_t size, size_t offset, unsigned int scale)
{
	return legacy_profil(&dialect_linux, buffer, size, offset, scale);
}

EXPORT int sprofil_linux(struct prof *profp, int count, struct timeval *tvp, unsigned int flags)
{
	return legacy_sprofil(&linux_abi, profp, count, tvp, flags);
}

EXPORT int profil_bsd(char *samples, size_t size, unsigned long offset, unsigned int scale)
{
	return legacy_profil(&dialect_bsd, samples, size, offset, scale);
}

EXPORT int profil_irix(unsigned short *buffer, size_t size, size_t offset, unsigned int scale)
{
	return legacy_profil(&dialect_irix, buffer, size, offset, scale);
}

EXPORT int sprofil_irix(struct prof *profp, int count, struct timeval *tvp, unsigned int flags)
{
	return legacy_sprofil(&irix_abi, profp, count, tvp, flags);
}

EXPORT void profil_hpux(unsigned short *buffer, size_t size, size_t offset, unsigned int scale)
{
	(void)legacy_profil(&dialect_hpux, buffer, size, offset, scale);
}

EXPORT int sprofil_hpux(struct prof *profp, int count, struct timeval *tvp, unsigned int flags)
{
	return legacy_sprofil(&hpux_abi, profp, count, tvp, flags);
}

EXPORT void profil_svr4(unsigned short *buffer, size_t size, size_t offset, unsigned int scale)
{
	(void)legacy_profil(&dialect_svr4, buffer, size, offset, scale);
}

EXPORT int profil_linux099(char *buffer, size_t size, unsigned long offset, unsigned int scale)
{
	return legacy_profil(&dialect_linux099, buffer, size, offset, scale);
}

EXPORT long pcsample(uintptr_t samples[], long count)
{
	return legacy_pcsample(&dialect_svr4, samples, count);
}

EXPORT long pcsample_svr4(uintptr_t samples[], long count)
{
	return legacy_pcsample(&dialect_svr4, samples, count);
}

EXPORT int profil_v7(void *buffer, size_t size, unsigned long offset, unsigned int scale)
{
	return legacy_profil(&dialect_v7, buffer, size, offset, scale);
}

/* A size of -1, of whatever type, says that BUFFER is an array of ranges. */
EXPORT int profil_aix(void *buffer, size_t size, unsigned long offset, unsigned int scale)
{
	if (size == SIZE_MAX || size == UINT32_MAX)
		return ranges_profil(&dialect_aix, buffer);
	return legacy_profil(&dialect_aix, buffer, size, offset, scale);
}
