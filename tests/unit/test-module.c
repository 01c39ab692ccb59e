// SPDX-License-Identifier: BSD-2-Clause
#include "target/module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "scratch.h"

#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static struct file_identity identity_of(const char *path)
{
	struct stat now;

	assert_int_equal(stat(path, &now), 0);
	return (struct file_identity){
		.device = now.st_dev,
		.inode = now.st_ino,
		.mtime_ns = (int64_t)now.st_mtim.tv_sec * 1000000000 + now.st_mtim.tv_nsec,
	};
}

static enum module_state state_at(const char *path, const struct file_identity *identity,
				  const char *build_id)
{
	struct module module;
	enum module_state state;

	assert_int_equal(module_inspect(path, identity, build_id, &module), 0);
	state = module.state;
	assert_true(state == MODULE_SAME || !module.segment_count);
	module_done(&module);
	return state;
}

static const struct file_identity unknown;

static void an_unchanged_file_is_the_same(void **state)
{
	struct file_identity identity = identity_of("/proc/self/exe");
	struct module module;

	assert_int_equal(module_inspect("/proc/self/exe", &identity, "", &module), 0);
	assert_int_equal(module.state, MODULE_SAME);
	assert_true(module.segment_count > 0);
	assert_string_equal(module_state_text(module.state), "");
	module_done(&module);
	assert_int_equal(state_at("/proc/self/exe", &unknown, ""), MODULE_SAME);
}

static void each_part_of_the_identity_counts(void **state)
{
	struct file_identity was = identity_of("/proc/self/exe"), other;

	other = was, other.device++;
	assert_int_equal(state_at("/proc/self/exe", &other, ""),
			 major(was.device) ? MODULE_CHANGED : MODULE_SAME);
	other = was, other.inode++;
	assert_int_equal(state_at("/proc/self/exe", &other, ""), MODULE_CHANGED);
	other = was, other.mtime_ns++;
	assert_int_equal(state_at("/proc/self/exe", &other, ""), MODULE_CHANGED);
	assert_true(*module_state_text(MODULE_CHANGED));
}

/* A file with a build-id of our own making, so that the test knows it. */
static void make_with_build_id(const char *path)
{
	static const struct {
		ElfW(Ehdr) file;
		ElfW(Phdr) note, text;
		ElfW(Nhdr) head;
		char owner[4];
		unsigned char id[4];
	} elf = {
		.file =
			{
				.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
					    EV_CURRENT},
				.e_type = ET_DYN,
				.e_machine = EM_X86_64,
				.e_version = EV_CURRENT,
				.e_phoff = sizeof(ElfW(Ehdr)),
				.e_ehsize = sizeof(ElfW(Ehdr)),
				.e_phentsize = sizeof(ElfW(Phdr)),
				.e_phnum = 2,
			},
		.note =
			{
				.p_type = PT_NOTE,
				.p_offset = sizeof(ElfW(Ehdr)) + 2 * sizeof(ElfW(Phdr)),
				.p_filesz = sizeof(ElfW(Nhdr)) + 8,
				.p_memsz = sizeof(ElfW(Nhdr)) + 8,
				.p_align = 4,
			},
		.text =
			{
				.p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_offset = 0x10,
				.p_vaddr = 0x401010,
				.p_filesz = 0x50,
				.p_memsz = 0x50,
			},
		.head = {4, 4, 3 /* NT_GNU_BUILD_ID */},
		.owner = "GNU",
		.id = {0xde, 0xad, 0xbe, 0xef},
	};

	scratch_write(path, &elf, sizeof(elf));
}

static void a_build_id_decides_over_the_identity(void **state)
{
	const char *path = scratch("with-id");
	struct file_identity was, other;
	struct module module;

	make_with_build_id(path);
	was = identity_of(path);
	other = was, other.inode++;
	assert_int_equal(module_inspect(path, &other, "deadbeef", &module), 0);
	assert_int_equal(module.state, MODULE_SAME);
	assert_string_equal(module.build_id, "deadbeef");
	module_done(&module);
	assert_int_equal(state_at(path, &other, "deadbeef00000000"), MODULE_SAME);
	assert_int_equal(state_at(path, &other, "deadbeef00000001"), MODULE_CHANGED);
	assert_int_equal(state_at(path, &was, "deadbee0"), MODULE_CHANGED);
	assert_int_equal(state_at(path, &unknown, "deadbee0"), MODULE_CHANGED);
	assert_int_equal(state_at(path, &was, ""), MODULE_SAME);
}

static void a_file_offset_becomes_the_files_own_address(void **state)
{
	const char *path = scratch("segments");
	const struct module_segment *segment;
	struct module module;
	uint64_t address;

	make_with_build_id(path);
	assert_int_equal(module_inspect(path, &unknown, "", &module), 0);
	assert_int_equal(module.segment_count, 1);
	segment = module_address(&module, 0x20, &address);
	assert_ptr_equal(segment, module.segments);
	assert_int_equal(address, 0x401020);
	/* The rest of the page is mapped too. */
	assert_non_null(module_address(&module, 0x8, &address));
	assert_int_equal(address, 0x401008);
	assert_null(module_address(&module, 0x100000, &address));
	module_done(&module);
}

/* The program that runs knows its own address and offset from the loader and the kernel. */
static int first_object(struct dl_phdr_info *info, size_t size, void *base)
{
	*(uint64_t *)base = info->dlpi_addr;
	return 1;
}

static uint64_t offset_of(uint64_t pc)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	uint64_t start, end, offset, found = 0;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &start, &end, &offset) ==
			    3 &&
		    pc >= start && pc < end)
			found = pc - start + offset;
	(void)fclose(maps);
	return found;
}

static void a_running_function_is_found(void **state)
{
	uint64_t pc = (uint64_t)(uintptr_t)&offset_of, base = 0, address;
	struct module module;

	(void)dl_iterate_phdr(first_object, &base);
	assert_int_equal(module_inspect("/proc/self/exe", &unknown, "", &module), 0);
	assert_non_null(module_address(&module, offset_of(pc), &address));
	assert_int_equal(address, pc - base);
	module_done(&module);
}

static void what_is_not_there_is_missing(void **state)
{
	assert_int_equal(state_at(scratch("none"), &unknown, ""), MODULE_MISSING);
	assert_int_equal(state_at("", &unknown, ""), MODULE_MISSING);
	assert_int_equal(state_at("/proc/self/exe/below", &unknown, ""), MODULE_MISSING);
}

static void a_circle_of_links_is_unreadable(void **state)
{
	const char *path = scratch("circle");

	assert_int_equal(symlink(path, path), 0);
	assert_int_equal(state_at(path, &unknown, ""), MODULE_UNREADABLE);
}

static void a_text_is_not_elf(void **state)
{
	const char *path = scratch("text");

	scratch_write(path, "#!/bin/sh\n", 10);
	assert_int_equal(state_at(path, &unknown, ""), MODULE_NOT_ELF);
	assert_int_equal(state_at(path, &unknown, "deadbeef"), MODULE_CHANGED);
	scratch_write(path, "", 0);
	assert_int_equal(state_at(path, &unknown, ""), MODULE_NOT_ELF);
}

/* Opening a pipe that nobody writes to would wait for ever. */
static void a_pipe_is_not_opened(void **state)
{
	const char *path = scratch("pipe");

	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(state_at(path, &unknown, ""), MODULE_CHANGED);
	assert_int_equal(state_at("/dev/zero", &unknown, ""), MODULE_CHANGED);
	assert_int_equal(state_at(scratch_folder, &unknown, ""), MODULE_CHANGED);
}

static void a_cut_file_is_survived(void **state)
{
	struct module module;
	uint8_t *bytes;
	size_t size;

	make_with_build_id(scratch("whole"));
	bytes = scratch_read(scratch("whole"), &size);
	for (size_t cut = 0; cut < size; cut++) {
		scratch_write(scratch("cut"), bytes, cut);
		assert_int_equal(module_inspect(scratch("cut"), &unknown, "", &module), 0);
		module_done(&module);
	}
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unchanged_file_is_the_same),
		cmocka_unit_test(each_part_of_the_identity_counts),
		cmocka_unit_test(a_build_id_decides_over_the_identity),
		cmocka_unit_test(a_file_offset_becomes_the_files_own_address),
		cmocka_unit_test(a_running_function_is_found),
		cmocka_unit_test(what_is_not_there_is_missing),
		cmocka_unit_test(a_circle_of_links_is_unreadable),
		cmocka_unit_test(a_text_is_not_elf),
		cmocka_unit_test(a_pipe_is_not_opened),
		cmocka_unit_test(a_cut_file_is_survived),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
