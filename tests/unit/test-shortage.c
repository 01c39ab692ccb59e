// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

#include "engine/shortage.h"

/* The lowest number that is free. */
static int lowest(void)
{
	int fd = open("/", O_PATH | O_CLOEXEC);

	assert_true(fd >= 0);
	close(fd);
	return fd;
}

static void descriptors_are_asked_for_and_given_back(void **state)
{
	struct rlimit before, few;
	int first = lowest();

	assert_false(getrlimit(RLIMIT_NOFILE, &before));
	few = before;
	few.rlim_cur = (rlim_t)first + 5;
	assert_false(setrlimit(RLIMIT_NOFILE, &few));
	assert_int_equal(shortage_of_descriptors(0), 0);
	assert_int_equal(shortage_of_descriptors(5), 0);
	assert_int_equal(shortage_of_descriptors(6), -EMFILE);
	assert_int_equal(lowest(), first);
	assert_false(setrlimit(RLIMIT_NOFILE, &before));
	assert_int_equal(shortage_of_descriptors(6), 0);
	assert_int_equal(lowest(), first);
}

static void each_shortage_has_its_sentence(void **state)
{
	static const struct {
		int code;
		const char *says;
	} all[] = {{-EMFILE, "x engine: too few file descriptors: raise their limit with 'ulimit"},
		   {-ENFILE, "x engine: too few file descriptors: all of the machine's are in use"},
		   {-ENOMEM, "x engine: out of memory: "}};
	struct error why = {"as it was"};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		assert_true(shortage_is(all[i].code));
		assert_int_equal(shortage_error(&why, all[i].code, "x engine"), all[i].code);
		assert_int_equal(strncmp(why.text, all[i].says, strlen(all[i].says)), 0);
	}
	strcpy(why.text, "as it was");
	assert_false(shortage_is(-EPERM));
	assert_false(shortage_is(0));
	assert_int_equal(shortage_error(&why, -EPERM, "x engine"), -EPERM);
	assert_string_equal(why.text, "as it was");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptors_are_asked_for_and_given_back),
		cmocka_unit_test(each_shortage_has_its_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
