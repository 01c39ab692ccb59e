// SPDX-License-Identifier: BSD-2-Clause
#include "dos/dosbox_counts.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* A machine of DOSBox's in memory of this process. */

#define PAGE 4096
#define MACHINE (3 << 20)
#define SELF 0x1234
#define SEGMENT 0x0812
#define HEADER 0x1400
#define BUCKETS 0x0a00
#define BUCKET_COUNT 300

static uint8_t *machine; /* with a page on both sides that cannot be read */

static void put_word(uint8_t *at, unsigned value)
{
	at[0] = value & 0xff;
	at[1] = value >> 8 & 0xff;
}

/* The text is put together here, so that it stands in no constant of this program. */
static void put_mark(uint8_t *at, unsigned counting)
{
	const uint16_t words[] = {SELF, SEGMENT, HEADER, BUCKETS, (uint16_t)counting};

	memcpy(at, "PROFIL ", 7);
	memcpy(at + 7, "counting:", 9);
	for (size_t i = 0; i < 5; i++)
		put_word(at + 16 + 2 * i, words[i]);
}

/* PROFIL.COM in the machine that begins SHIFT bytes into its memory. */
static void put_profil(size_t shift, unsigned counting)
{
	uint8_t *begin = machine + shift, *psp = begin + SEGMENT * 16;

	psp[0] = 0xcd;
	psp[1] = 0x20;
	put_mark(psp + SELF, counting);
	for (unsigned i = 0; i < 9; i++)
		put_word(psp + HEADER + 2 * i, i == 1 ? BUCKET_COUNT : 1000 + i);
	for (unsigned i = 0; i < BUCKET_COUNT; i++)
		put_word(begin + BUCKETS * 16 + 2 * i, 7 * i);
}

/* What was found, by a process that looks into this one: its own buffers are no machines here. */
static struct found {
	int ret;
	size_t size;
	uint8_t prf[2048];
} * found;

static int look(void)
{
	pid_t pid = fork();
	char *prf = NULL;

	if (!pid) {
		found->ret = dosbox_counts(getppid(), &prf, &found->size);
		if (prf)
			memcpy(found->prf, prf,
			       found->size < sizeof(found->prf) ? found->size : sizeof(found->prf));
		free(prf);
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return found->ret;
}

static void check_counts(void)
{
	assert_int_equal(look(), 0);
	assert_int_equal(found->size, 18 + 2 * BUCKET_COUNT);
	for (unsigned i = 0; i < 9 + BUCKET_COUNT; i++) {
		uint8_t wanted[2];

		put_word(wanted, i == 1 ? BUCKET_COUNT : i < 9 ? 1000 + i : 7 * (i - 9));
		assert_memory_equal(found->prf + 2 * i, wanted, 2);
	}
}

static int make_found(void **context)
{
	/* Who may not trace all may do so here. */
	(void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	found = mmap(NULL, sizeof(*found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	return found == MAP_FAILED;
}

static int end_found(void **context)
{
	return munmap(found, sizeof(*found));
}

static int make_machine(void **context)
{
	uint8_t *memory = mmap(NULL, MACHINE + 2 * PAGE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	assert_int_equal(mprotect(memory, PAGE, PROT_NONE), 0);
	assert_int_equal(mprotect(memory + PAGE + MACHINE, PAGE, PROT_NONE), 0);
	machine = memory + PAGE;
	return 0;
}

static int end_machine(void **context)
{
	return munmap(machine - PAGE, MACHINE + 2 * PAGE);
}

static void test_finds_the_counts(void **context)
{
	put_profil(0, 1);
	check_counts();
}

/* Wherever the mark lies in what is looked through at once, it is found. */
static void test_finds_a_mark_anywhere(void **context)
{
	size_t mark = SEGMENT * 16 + SELF;

	for (size_t edge = (1 << 20) - 60; edge <= (1 << 20) + 4; edge += 2) {
		memset(machine, 0, MACHINE);
		put_profil(edge - mark, 1);
		check_counts();
	}
}

/* Copies of PROFIL.COM in a buffer, and one that is not counting. */
static void test_takes_no_copy(void **context)
{
	put_profil(0, 0);
	put_mark(machine + 2000000, 1);
	put_mark(machine + MACHINE - 26, 1);
	memcpy(machine + 100, "PROFIL counting", 15);
	assert_int_equal(look(), -ENOENT);
	put_profil(500000, 1);
	check_counts();
}

/* Words that lead out of the machine's memory. */
static void test_survives_bad_words(void **context)
{
	put_profil(0, 1);
	put_word(machine + SEGMENT * 16 + SELF + 16, 0xffff);
	assert_int_equal(look(), -ENOENT);
	put_profil(MACHINE - 0x20000, 1);
	put_word(machine + MACHINE - 0x20000 + SEGMENT * 16 + SELF + 22, 0xffff);
	assert_int_not_equal(look(), 0);
}

static void test_no_process(void **context)
{
	char *prf = NULL;
	size_t size = 0;

	assert_int_not_equal(dosbox_counts(/* pid= */ 0, &prf, &size), 0);
	assert_null(prf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_finds_the_counts, make_machine, end_machine),
		cmocka_unit_test_setup_teardown(test_finds_a_mark_anywhere, make_machine,
						end_machine),
		cmocka_unit_test_setup_teardown(test_takes_no_copy, make_machine, end_machine),
		cmocka_unit_test_setup_teardown(test_survives_bad_words, make_machine, end_machine),
		cmocka_unit_test(test_no_process),
	};

	return cmocka_run_group_tests(tests, make_found, end_found);
}
