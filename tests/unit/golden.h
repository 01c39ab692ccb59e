/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_UNIT_GOLDEN_H
#define PROFIL_TESTS_UNIT_GOLDEN_H

/* Whole texts against those in tests/unit/expected; include it behind cmocka.h.  After a change
 * that is meant, PROFIL_EXPECT=write in the environment writes them anew; read the difference
 * before it is kept. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline const char *golden_read(const char *path)
{
	static char text[1 << 16];
	FILE *file = fopen(path, "r");
	size_t size;

	assert_non_null(file);
	size = fread(text, 1, sizeof(text) - 1, file);
	text[size] = '\0';
	(void)fclose(file);
	return text;
}

/* TEXT is what expected/NAME has. */
static inline void golden_check(const char *name, const char *text)
{
	const char *mode = getenv("PROFIL_EXPECT");
	char path[4096];
	FILE *file;

	(void)snprintf(path, sizeof(path), EXPECTED "/%s", name);
	if (mode && !strcmp(mode, "write")) {
		file = fopen(path, "w");
		assert_non_null(file);
		assert_true(fputs(text, file) >= 0);
		assert_int_equal(fclose(file), 0);
	}
	assert_string_equal(text, golden_read(path));
}

#endif
