/* SPDX-License-Identifier: BSD-2-Clause */
#include "profil/report.h"

#include "base/dos.h"
#include "base/text.h"
#include "profil/count.h"
#include "profil/path.h"

#define WORDS_PER_PARAGRAPH 8
#define WORDS_AT_ONCE 0x4000

static char temporary[PATH_SIZE];

static void name_temporary(const char *path)
{
	text_put(temporary, path);
	text_put((char *)path_extension(temporary), ".PR$");
}

int report_check(const char *path)
{
	unsigned handle;

	name_temporary(path);
	if (dos_is_protected(path) || dos_create(temporary, &handle))
		return 1;
	dos_close(handle);
	dos_remove(temporary);
	return 0;
}

static int write_buckets(unsigned handle)
{
	unsigned left = report_header.bucket_num;
	unsigned segment = bucket_segment;
	unsigned words;

	while (left) {
		words = left < WORDS_AT_ONCE ? left : WORDS_AT_ONCE;
		if (dos_write(handle, segment, /* offset= */ 0, words * 2))
			return 1;
		segment += WORDS_AT_ONCE / WORDS_PER_PARAGRAPH;
		left -= words;
	}
	return 0;
}

int report_write(const char *path)
{
	unsigned handle;
	int failed;

	name_temporary(path);
	if (dos_create(temporary, &handle))
		return 1;
	failed = dos_write(handle, own_segment, (unsigned)&report_header, sizeof(report_header)) ||
		 write_buckets(handle);
	failed |= dos_close(handle) != 0;
	if (!failed) {
		dos_remove(path);
		failed = dos_rename(temporary, path) != 0;
	}
	if (failed)
		dos_remove(temporary);
	return failed;
}
