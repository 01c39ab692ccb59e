// SPDX-License-Identifier: BSD-2-Clause
#include "named.h"

#include <dlfcn.h>
#include <sys/auxv.h>

/* The dynamic linker knows the vdso too: the offset it gives for the function is the truth. */
static void the_clock_is_found(void **state)
{
	struct symbol_object object = {.space = SYMBOL_VDSO, .path = "", .build_id = ""};
	const char *base = (const char *)getauxval(AT_SYSINFO_EHDR);
	void *vdso = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);
	const char *clock = vdso ? dlsym(vdso, "__vdso_clock_gettime") : NULL;
	struct named *named;
	uint64_t addresses[2];

	if (!base || !clock)
		skip();
	named = named_open();
	addresses[0] = (uint64_t)(clock - base);
	addresses[1] = 0xfffff0;
	named_ask(named, &object, addresses, 2);
	assert_non_null(strstr(named->lines[0], "clock_gettime"));
	assert_memory_equal(named->lines[0], "NAMED", 5);
	assert_string_equal(named->lines[1], "UNKNOWN [vdso]+0xfffff0");
	named_close(named);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clock_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
