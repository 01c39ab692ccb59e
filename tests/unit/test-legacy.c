// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "legacy.h"

static void a_tick_falls_in_a_cell(void **state)
{
	assert_int_equal(profil(cells, sizeof(cells), TEXT, 65536), 0);
	assert_int_equal(stand_in.count, 1);
	stand_in_tick(TEXT + 10);
	assert_int_equal(cells[5], 1);
	assert_int_equal(profil_linux(NULL, 0, 0, 0), 0);
	assert_int_equal(stand_in.count, 0);
}

/* The third call of glibc's ends in a double free. */
static void each_call_replaces_the_one_before(void **state)
{
	struct wide entry = {other, sizeof(other), TEXT, 65536};

	for (int i = 0; i < 3; i++) {
		assert_int_equal(profil(cells, sizeof(cells), TEXT, 65536), 0);
		assert_int_equal(sprofil((struct prof *)&entry, 1, NULL, 0), 0);
		assert_int_equal(stand_in.count, 1);
		stand_in_tick(TEXT);
	}
	assert_int_equal(cells[0], 0);
	assert_int_equal(other[0], 3);
	assert_int_equal(profil_bsd((char *)cells, sizeof(cells), TEXT, 65536), 0);
	stand_in_tick(TEXT);
	assert_int_equal(cells[0], 1);
	assert_int_equal(stand_in.count, 1);
	assert_int_equal(sprofil(NULL, 0, NULL, 0), 0);
	assert_int_equal(stand_in.count, 0);
	assert_int_equal(sprofil(NULL, 0, NULL, 0), 0);
}

static void what_turns_off_is_the_systems(void **state)
{
	assert_int_equal(profil(cells, sizeof(cells), TEXT, 0), 0);
	assert_int_equal(stand_in.count, 1);
	assert_int_equal(profil_irix(cells, sizeof(cells), TEXT, 1), 0);
	assert_int_equal(stand_in.count, 0);
	assert_int_equal(profil_bsd((char *)cells, sizeof(cells), TEXT, 1), 0);
	assert_int_equal(stand_in.count, 1);
	assert_int_equal(profil_bsd((char *)cells, sizeof(cells), TEXT, 0), 0);
	assert_int_equal(stand_in.count, 0);
	profil_svr4(cells, sizeof(cells), TEXT, 65536);
	assert_int_equal(stand_in.count, 1);
	profil_svr4(cells, sizeof(cells), TEXT, 1);
	assert_int_equal(stand_in.count, 0);
	assert_int_equal(profil_v7(cells, sizeof(cells), TEXT, 0xffff), 0);
	assert_int_equal(stand_in.count, 1);
	profil_hpux(cells, sizeof(cells), TEXT, 0);
	assert_int_equal(stand_in.count, 0);
	assert_int_equal(profil_aix(cells, sizeof(cells), TEXT, 0x10002), 0);
	assert_int_equal(stand_in.count, 1);
}

static void bsd_ends_with_an_illegal_buffer(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages =
		mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct {
		char *at;
		size_t size;
	} illegal[] = {
		{NULL, 64},
		{(char *)8, 64},
		{pages + page, 64},	  /* not to be written */
		{pages + page - 64, 128}, /* its end is not */
		{pages + 2 * page, 64},	  /* nothing */
		{pages + 2 * page - 64, 128},
		{(char *)cells + 1, 64}, /* odd */
		{(char *)UINTPTR_MAX - 63, 64},
		{(char *)-4096l, 1 << 20},
	};

	assert_int_equal(mprotect(pages + page, page, PROT_READ), 0);
	assert_int_equal(munmap(pages + 2 * page, page), 0);
	for (size_t i = 0; i < sizeof(illegal) / sizeof(*illegal); i++) {
		assert_int_equal(profil_bsd((char *)cells, sizeof(cells), TEXT, 65536), 0);
		assert_int_equal(stand_in.count, 1);
		assert_fails(profil_bsd(illegal[i].at, illegal[i].size, TEXT, 65536), EFAULT);
		assert_int_equal(stand_in.count, 0);
		assert_int_equal(profil_bsd(illegal[i].at, illegal[i].size, TEXT, 0), 0);
		assert_fails(profil_aix(illegal[i].at, illegal[i].size, TEXT, 65535), EFAULT);
	}
	assert_int_equal(profil_bsd(pages, page, TEXT, 65536), 0);
	assert_fails(profil_bsd(pages, page, TEXT, 65537), EINVAL);
	assert_int_equal(stand_in.count, 1);
	munmap(pages, 2 * page);
}

static void an_odd_buffer_is_refused(void **state)
{
	assert_fails(profil((void *)((char *)cells + 1), 64, TEXT, 65536), EINVAL);
	assert_int_equal(stand_in.count, 0);
}

/* "A 0, indicating success, is always returned": what cannot be counted is off then. */
static void some_never_fail(void **state)
{
	char *odd = (char *)cells + 1;

	for (int i = 0; i < 6; i++) {
		assert_int_equal(profil(cells, sizeof(cells), TEXT, 65536), 0);
		assert_int_equal(stand_in.count, 1);
		stand_in.first_probe = stand_in.second_probe = i < 3 ? 0 : -EPERM;
		switch (i % 3) {
		case 0:
			assert_int_equal(profil_irix((void *)odd, 64, TEXT, 65536), 0);
			break;
		case 1:
			assert_int_equal(profil_v7(odd, 64, TEXT, 65535), 0);
			break;
		default:
			assert_int_equal(profil_linux099(odd, 64, TEXT, 65536), 0);
		}
		assert_int_equal(stand_in.count, 0);
		stand_in.first_probe = stand_in.second_probe = 0;
	}
	assert_int_equal(profil(cells, sizeof(cells), TEXT, 65536), 0);
	assert_int_equal(profil_irix(cells, sizeof(cells), TEXT, 65537), 0);
	assert_int_equal(stand_in.count, 0);
}

static void a_refusal_is_an_error(void **state)
{
	stand_in.first_probe = -EPERM;
	assert_int_equal(profil(cells, sizeof(cells), TEXT, 65536), 0);
	assert_string_equal(stand_in.on[0]->ops->name, "perf");
	stand_in.second_probe = -EACCES;
	assert_fails(profil(cells, sizeof(cells), TEXT, 65536), EPERM);
	assert_int_equal(stand_in.count, 0);
	profil_hpux(cells, sizeof(cells), TEXT, 65536);
	assert_int_equal(stand_in.count, 0);
}

static void an_engine_that_fails_at_last_is_passed_over(void **state)
{
	stand_in.first_start = -EMFILE;
	assert_int_equal(profil(cells, sizeof(cells), TEXT, 65536), 0);
	assert_string_equal(stand_in.on[0]->ops->name, "perf");
	setenv("PROFIL_ENGINE", "kernel", 1);
	assert_fails(profil(cells, sizeof(cells), TEXT, 65536), EMFILE);
	setenv("PROFIL_ENGINE", "perf", 1);
	assert_int_equal(profil(cells, sizeof(cells), TEXT, 65536), 0);
	assert_string_equal(stand_in.on[0]->ops->name, "perf");
}

/* The exit status is the child's verdict: whether it is on by ENGINE. */
static int status_of_child(const char *engine)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(!stand_in.count || strcmp(stand_in.on[0]->ops->name, engine));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* The kernel's, named or not, is never built anew in a child; another one that is named stays. */
static void a_childs_engine_is_the_one_or_the_next(void **state)
{
	setenv("PROFIL_ENGINE", "kernel", 1);
	assert_int_equal(profil(cells, sizeof(cells), TEXT, 65536), 0);
	unsetenv("PROFIL_ENGINE");
	assert_int_equal(status_of_child("perf"), 0);
	assert_int_equal(profil(cells, sizeof(cells), TEXT, 65536), 0);
	assert_string_equal(stand_in.on[0]->ops->name, "kernel");
	assert_int_equal(status_of_child("perf"), 0);
	setenv("PROFIL_ENGINE", "perf", 1);
	assert_int_equal(profil(cells, sizeof(cells), TEXT, 65536), 0);
	unsetenv("PROFIL_ENGINE");
	assert_int_equal(status_of_child("perf"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_tick_falls_in_a_cell, reset, reset),
		cmocka_unit_test_setup_teardown(each_call_replaces_the_one_before, reset, reset),
		cmocka_unit_test_setup_teardown(what_turns_off_is_the_systems, reset, reset),
		cmocka_unit_test_setup_teardown(bsd_ends_with_an_illegal_buffer, reset, reset),
		cmocka_unit_test_setup_teardown(an_odd_buffer_is_refused, reset, reset),
		cmocka_unit_test_setup_teardown(some_never_fail, reset, reset),
		cmocka_unit_test_setup_teardown(a_refusal_is_an_error, reset, reset),
		cmocka_unit_test_setup_teardown(an_engine_that_fails_at_last_is_passed_over, reset,
						reset),
		cmocka_unit_test_setup_teardown(a_childs_engine_is_the_one_or_the_next, reset,
						reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
