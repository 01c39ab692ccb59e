// SPDX-License-Identifier: BSD-2-Clause
#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static const struct hash_secret nothing;

/* What others make of it: the first from rustc's tests of its SipHasher13 (secret 00 to 0f), the
 * others what CPython 3.11 returns for hash(bytes) with PYTHONHASHSEED=0, whose secret is zeros. */
static void is_siphash(void **state)
{
	const struct hash_secret counting = {{0x0706050403020100, 0x0f0e0d0c0b0a0908}};
	unsigned char bytes[24];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)i;
	assert_true(hash_by_secret(&counting, NULL, 0) == 0xabac0158050fc4dc);
	assert_true(hash_by_secret(&nothing, "profil", 6) == 0x615c42200bfac637);
	assert_true(hash_by_secret(&nothing, bytes, sizeof(bytes)) == 0x31185a47af932f3a);
}

/* Equal bytes, wherever they stand, have one; a byte more or another has another. */
static void is_of_the_bytes_alone(void **state)
{
	char text[] = "x-function";

	assert_true(hash_bytes(text + 2, 8) == hash_bytes("function", 8));
	assert_true(hash_bytes(text + 2, 8) != hash_bytes(text + 2, 7));
	assert_true(hash_bytes("ab", 2) != hash_bytes("ba", 2));
	assert_true(hash_bytes("\0", 1) != hash_bytes("\0\0", 2));
	assert_true(hash_bytes(NULL, 0) == hash_bytes("", 0));
}

/* Two processes' hashes are the same by chance once in 2^64. */
static void is_another_in_another_process(void **state)
{
	uint64_t theirs = 0, ours = hash_bytes("profil", 6);
	int ends[2];
	char self[4096] = "";

	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	assert_int_equal(pipe(ends), 0);
	if (!fork()) {
		(void)dup2(ends[1], STDOUT_FILENO);
		(void)execl(self, self, "--tell", (char *)NULL);
		_exit(127);
	}
	assert_int_equal(read(ends[0], &theirs, sizeof(theirs)), sizeof(theirs));
	assert_true(wait(NULL) > 0);
	(void)close(ends[0]);
	(void)close(ends[1]);
	assert_true(ours != theirs);
	assert_true(ours != hash_by_secret(&nothing, "profil", 6));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_siphash),
		cmocka_unit_test(is_of_the_bytes_alone),
		cmocka_unit_test(is_another_in_another_process),
	};

	if (argc == 2 && !strcmp(argv[1], "--tell")) {
		uint64_t own = hash_bytes("profil", 6);

		return write(STDOUT_FILENO, &own, sizeof(own)) != sizeof(own);
	}
	return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
