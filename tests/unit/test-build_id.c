// SPDX-License-Identifier: BSD-2-Clause
#include "base/build_id.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of this program itself, beside what readelf says of its file. */
static int find_own(struct dl_phdr_info *info, size_t size, void *context)
{
	uint8_t id[20];
	size_t length = 0;
	char *text = context;

	for (size_t i = 0; !length && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *notes = &info->dlpi_phdr[i];

		if (notes->p_type == PT_NOTE)
			length = build_id_find((const void *)(info->dlpi_addr + notes->p_vaddr),
					       notes->p_memsz, notes->p_align, id, sizeof(id));
	}
	for (size_t i = 0; i < length; i++)
		(void)sprintf(text + 2 * i, "%02x", id[i]);
	return 1;
}

static void test_own(void **state)
{
	char found[64] = "", command[128], line[256], wanted[64] = "";
	FILE *readelf;

	(void)snprintf(command, sizeof(command), "readelf -n /proc/%d/exe", (int)getpid());
	readelf = popen(command, "r");
	assert_non_null(readelf);
	while (fgets(line, sizeof(line), readelf))
		(void)sscanf(line, " Build ID: %63s", wanted);
	assert_int_equal(pclose(readelf), 0);
	(void)dl_iterate_phdr(find_own, found);
	assert_string_equal(found, wanted);
}

struct notes {
	ElfW(Nhdr) other;
	char other_name[8], other_text[4];
	ElfW(Nhdr) own;
	char own_name[4], own_text[20];
};

/* Behind another one; cut short anywhere, or larger than its room, it is none. */
static void test_bounds(void **state)
{
	struct notes notes = {
		.other = {.n_namesz = 6, .n_descsz = 3, .n_type = NT_GNU_BUILD_ID},
		.other_name = "other",
		.own = {.n_namesz = 4, .n_descsz = 20, .n_type = NT_GNU_BUILD_ID},
		.own_name = "GNU",
		.own_text = "nineteen and the nul",
	};
	uint8_t id[20];

	assert_int_equal(build_id_find(&notes, sizeof(notes), 4, id, sizeof(id)), 20);
	assert_memory_equal(id, notes.own_text, 20);
	assert_int_equal(build_id_find(&notes, sizeof(notes), 4, id, 19), 0);
	for (size_t size = 0; size < sizeof(notes); size++) {
		void *copy = malloc(size);

		assert_true(copy || !size);
		if (size)
			memcpy(copy, &notes, size);
		assert_int_equal(build_id_find(copy, size, 4, id, sizeof(id)), 0);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
