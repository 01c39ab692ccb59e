/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_LEGACY_H
#define PROFIL_TESTS_LEGACY_H

/* The historical calls above engines that tick when a test says so; include it behind cmocka.h. */

#include "libprofil/calls.h"
#include "stand_in.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT 0x100000

static uint16_t cells[64], other[64];

/* glibc's struct prof. */
struct wide {
	void *base;
	size_t size, offset;
	unsigned long scale;
};

static inline int reset(void **state)
{
	(void)profil_linux(NULL, 0, 0, 0);
	memset(cells, 0, sizeof(cells));
	memset(other, 0, sizeof(other));
	stand_in.starts = stand_in.stops = 0;
	stand_in.first_probe = stand_in.second_probe = 0;
	stand_in.first_start = stand_in.second_start = 0;
	assert_int_equal(stand_in.count, 0);
	unsetenv("PROFIL_HZ");
	unsetenv("PROFIL_ENGINE");
	return 0;
}

#define assert_fails(call, code)               \
	do {                                   \
		errno = 0;                     \
		assert_int_equal(call, -1);    \
		assert_int_equal(errno, code); \
	} while (0)

#endif
