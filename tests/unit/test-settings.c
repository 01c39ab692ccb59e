// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static uint64_t period_for(const char *hertz)
{
	struct settings settings;

	setenv("PROFIL_HZ", hertz, 1);
	settings_read(&settings);
	return settings.period_ns;
}

static void a_rate_is_digits_alone(void **state)
{
	assert_int_equal(period_for("1"), 1000000000);
	assert_int_equal(period_for("997"), 1003009);
	assert_int_equal(period_for("100000"), 10000);
	for (const char *const *nonsense =
		     (const char *const[]){"", "0", "100001", "-1", "+1", " 1", "1 ", "1k", "1e3",
					   "0x10", "99999999999999999999999", "1.5", NULL};
	     *nonsense; nonsense++)
		assert_int_equal(period_for(*nonsense), 0);
}

static void nothing_is_asked_for(void **state)
{
	struct settings settings;

	unsetenv("PROFIL_HZ");
	unsetenv("PROFIL_ENGINE");
	unsetenv("PROFIL_DEBUG");
	settings_read(&settings);
	assert_int_equal(settings.period_ns, 0);
	assert_null(settings.engine);
	assert_false(settings.debug);
	setenv("PROFIL_ENGINE", "", 1);
	setenv("PROFIL_DEBUG", "0", 1);
	settings_read(&settings);
	assert_null(settings.engine);
	assert_false(settings.debug);
	setenv("PROFIL_ENGINE", "timer", 1);
	setenv("PROFIL_DEBUG", "1", 1);
	settings_read(&settings);
	assert_string_equal(settings.engine, "timer");
	assert_true(settings.debug);
}

/* What settings_tell() writes to stderr. */
static const char *told(const char *engine, const char *why, int error)
{
	static char text[4096];
	int ends[2], before = dup(STDERR_FILENO);
	ssize_t length;

	assert_int_equal(pipe(ends), 0);
	assert_true(dup2(ends[1], STDERR_FILENO) >= 0);
	settings_tell("profil", engine, 10000000, why, error);
	assert_true(dup2(before, STDERR_FILENO) >= 0);
	close(ends[1]);
	length = read(ends[0], text, sizeof(text) - 1);
	close(ends[0]);
	close(before);
	assert_true(length > 0);
	text[length] = '\0';
	return text;
}

static void it_tells_in_one_line(void **state)
{
	char much[2000];

	assert_string_equal(
		told("perf", "kernel: no BTF\nmore", 0),
		"libprofil: profil: perf engine, a sample every 10000 us; kernel: no BTF; "
		"more\n");
	assert_string_equal(told("kernel", "", 0),
			    "libprofil: profil: kernel engine, a sample every 10000 us\n");
	assert_string_equal(told(NULL, "timer: no", -1),
			    "libprofil: profil: Operation not permitted; timer: no\n");
	memset(much, 'x', sizeof(much) - 1);
	much[sizeof(much) - 1] = '\0';
	assert_int_equal(strcspn(told("perf", much, 0), "\n"), strlen(told("perf", much, 0)) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rate_is_digits_alone),
		cmocka_unit_test(nothing_is_asked_for),
		cmocka_unit_test(it_tells_in_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
