// SPDX-License-Identifier: BSD-2-Clause
#include "target/executable.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char path[] = "/tmp/profil-executable-XXXXXX";

/* What is at PATH becomes SIZE bytes from START on. */
static void put(const void *start, size_t size, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, start, size), size);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void put_text(const char *text)
{
	put(text, strlen(text), 0755);
}

/* Whether it is taken; where not, the sentence says WHY. */
static int takes(const char *program, const char *why)
{
	struct error error = {};
	int r = executable_takes_preload(program, "test", &error);

	if (!r)
		return 1;
	assert_int_equal(r, -EINVAL);
	if (!strstr(error.text, why))
		fail_msg("not '%s': %s", why, error.text);
	return 0;
}

/* This program's own headers, changed by CHANGE. */
static void put_elf(void (*change)(ElfW(Ehdr) *, ElfW(Phdr) *))
{
	static char image[8192];
	ElfW(Ehdr) *header = (void *)image;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_int_equal(read(fd, image, sizeof(image)), sizeof(image));
	close(fd);
	for (int i = 0; i < header->e_phnum; i++)
		change(header, (ElfW(Phdr) *)(image + header->e_phoff) + i);
	put(image, sizeof(image), 0755);
}

static void change_nothing(ElfW(Ehdr) * header, ElfW(Phdr) * segment)
{
}

static void make_static(ElfW(Ehdr) * header, ElfW(Phdr) * segment)
{
	if (segment->p_type == PT_INTERP)
		segment->p_type = PT_NULL;
}

static void make_foreign(ElfW(Ehdr) * header, ElfW(Phdr) * segment)
{
	header->e_machine = EM_VAX;
}

static void make_narrow(ElfW(Ehdr) * header, ElfW(Phdr) * segment)
{
	header->e_ident[EI_CLASS] = ELFCLASS32;
}

static void make_other(ElfW(Ehdr) * header, ElfW(Phdr) * segment)
{
	char *image = (char *)header;

	if (segment->p_type == PT_INTERP)
		memcpy(image + segment->p_offset, "/lib/ld-musl.so", 16);
}

static void programs_like_profil_are_taken(void **state)
{
	assert_true(takes("/proc/self/exe", ""));
	assert_true(takes("sh", ""));
	put_elf(change_nothing);
	assert_true(takes(path, ""));
}

static void others_are_not(void **state)
{
	put_elf(make_static);
	assert_false(takes(path, "is static"));
	put_elf(make_foreign);
	assert_false(takes(path, "another kind of processor"));
	put_elf(make_narrow);
	assert_false(takes(path, "another kind of processor"));
	put_elf(make_other);
	assert_false(takes(path, "another C library"));
}

static void a_script_is_its_interpreter(void **state)
{
	char line[] = "#! /tmp/profil-executable-XXXXXX  -x\n";

	put_text("#!/bin/sh\n");
	assert_true(takes(path, ""));
	put_elf(make_static);
	memcpy(line + 3, path, strlen(path));
	{
		char script[] = "/tmp/profil-executable-XXXXXX";
		int fd = mkstemp(script);

		assert_int_equal(write(fd, line, strlen(line)), strlen(line));
		close(fd);
		assert_false(takes(script, "is static"));
		(void)unlink(script);
	}
	memcpy(line + 3, path, strlen(path));
	put_text(line); /* of itself: the kernel will say so */
	assert_true(takes(path, ""));
}

static void what_gets_rights_is_refused(void **state)
{
	put_elf(change_nothing);
	assert_int_equal(chmod(path, 04755), 0);
	assert_true(takes(path, "")); /* it is ours: nothing changes */
	if (geteuid())
		skip();
	assert_int_equal(chown(path, 65534, 65534), 0);
	assert_int_equal(chmod(path, 04755), 0);
	assert_false(takes(path, "set-user-ID"));
	assert_int_equal(chmod(path, 02755), 0);
	assert_false(takes(path, "set-group-ID"));
	assert_int_equal(chmod(path, 0755), 0);
	assert_true(takes(path, ""));
}

/* The start says what is wrong with those. */
static void what_is_no_program_is_not_judged(void **state)
{
	assert_true(takes("/nonexistent/program", ""));
	assert_true(takes("no-such-program-anywhere", ""));
	assert_true(takes("/", ""));
	put_text("");
	assert_true(takes(path, ""));
	put_text(ELFMAG);
	assert_true(takes(path, ""));
	put_text("#!");
	assert_true(takes(path, ""));
}

static int set_up(void **state)
{
	int fd = mkstemp(path);

	close(fd);
	return fd < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_like_profil_are_taken),
		cmocka_unit_test(others_are_not),
		cmocka_unit_test(a_script_is_its_interpreter),
		cmocka_unit_test(what_gets_rights_is_refused),
		cmocka_unit_test(what_is_no_program_is_not_judged),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
