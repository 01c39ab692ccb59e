/* SPDX-License-Identifier: BSD-2-Clause */
#include "profil/report.h"

#include "base/dos.h"
#include "profil/count.h"

#define WORDS_PER_PARAGRAPH 8
#define WORDS_AT_ONCE 0x4000

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

	if (dos_create(path, &handle))
		return 1;
	failed = dos_write(handle, own_segment, (unsigned)&report_header, sizeof(report_header)) ||
		 write_buckets(handle);
	failed |= dos_close(handle) != 0;
	if (failed)
		dos_remove(path);
	return failed;
}
