// SPDX-License-Identifier: BSD-2-Clause
/* Where kernels of several times have what the counting program looks at. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include <bpf/btf.h>

#include "engine/kernel/object/offsets.h"

/* ------------------------------------------------------------------ kernels that are made up */

enum generation {
	NO_GENERATION,
	NUMBER,	  /* Linux 6.4 */
	SEQCOUNT, /* since 6.13 */
};

struct kernel {
	enum generation generation;
	bool has_tree;
	const char *lacks; /* a member of vm_area_struct */
};

/* The numbers of types that are made first. */
struct basics {
	int integer, word, pointer;
};

static int good(int r)
{
	assert_true(r >= 0);
	return r;
}

static struct basics make_basics(struct btf *types)
{
	return (struct basics){
		.integer = good(btf__add_int(types, "int", 4, BTF_INT_SIGNED)),
		.word = good(btf__add_int(types, "long unsigned int", 8, 0)),
		.pointer = good(btf__add_ptr(types, /* void= */ 0)),
	};
}

static void add_at(struct btf *types, const char *name, int type, uint32_t byte)
{
	good(btf__add_field(types, name, type, byte * 8, /* bit_size= */ 0));
}

/* A map's generation behind a type of the kernel's own, as a seqcount_t is; its number lies behind
 * what a kernel that watches its locks keeps. */
static int make_generation(struct btf *types, const struct basics *basics, enum generation kind)
{
	int structure;

	if (kind != SEQCOUNT)
		return basics->integer;
	structure = good(btf__add_struct(types, "seqcount", 16));
	add_at(types, "dep_map", basics->word, 0);
	add_at(types, "sequence", basics->integer, 8);
	return good(btf__add_typedef(types, "seqcount_t", structure));
}

/* All but a last member are in a structure without a name. */
static void make_map(struct btf *types, const struct basics *basics, const struct kernel *kernel)
{
	int generation = make_generation(types, basics, kernel->generation), tree, inner;

	tree = good(btf__add_struct(types, "maple_tree", 16));
	add_at(types, "ma_flags", basics->integer, 4);
	add_at(types, "ma_root", basics->pointer, 8);
	inner = good(btf__add_struct(types, "", 512));
	if (kernel->has_tree)
		add_at(types, "mm_mt", tree, 64);
	add_at(types, "map_count", basics->integer, 96);
	if (kernel->generation != NO_GENERATION)
		add_at(types, "mm_lock_seq", generation, 104);
	add_at(types, "total_vm", basics->word, 200);
	add_at(types, "exec_vm", basics->word, 208);
	good(btf__add_struct(types, "mm_struct", 1024));
	add_at(types, "", inner, 16);
	add_at(types, "cpu_bitmap", basics->word, 528);
}

static void add_unless_lacking(struct btf *types, const struct kernel *kernel, const char *name,
			       int type, uint32_t byte)
{
	if (!kernel->lacks || strcmp(kernel->lacks, name) != 0)
		add_at(types, name, type, byte);
}

/* Its bounds are in a structure within a union, its flags are constant in one of two members. */
static void make_mapping(struct btf *types, const struct basics *basics,
			 const struct kernel *kernel)
{
	int constant = good(btf__add_const(types, basics->word)), bounds, both, flags;

	bounds = good(btf__add_struct(types, "", 16));
	add_at(types, "vm_start", basics->word, 0);
	add_unless_lacking(types, kernel, "vm_end", basics->word, 8);
	both = good(btf__add_union(types, "", 16));
	add_at(types, "", bounds, 0);
	add_at(types, "vm_freeptr", basics->pointer, 0);
	flags = good(btf__add_union(types, "", 8));
	add_at(types, "vm_flags", constant, 0);
	add_at(types, "__vm_flags", basics->word, 0);
	good(btf__add_struct(types, "vm_area_struct", 256));
	add_at(types, "", both, 0);
	add_at(types, "vm_mm", basics->pointer, 16);
	add_at(types, "", flags, 32);
	add_at(types, "vm_pgoff", basics->word, 120);
	add_unless_lacking(types, kernel, "vm_private_data", basics->pointer, 136);
}

static int offsets_in(const struct kernel *kernel, struct count_offsets *ret_offsets)
{
	struct btf *types = btf__new_empty();
	struct basics basics;
	int r;

	assert_non_null(types);
	basics = make_basics(types);
	good(btf__add_struct(types, "task_struct", 4096));
	add_at(types, "state", basics.integer, 24);
	add_at(types, "mm", basics.pointer, 2048);
	make_map(types, &basics, kernel);
	make_mapping(types, &basics, kernel);
	r = offsets_of(types, ret_offsets);
	btf__free(types);
	return r;
}

static void what_all_kernels_have_is_found(void **state)
{
	const struct kernel kernel = {SEQCOUNT, true, NULL};
	const struct count_offsets expected = {
		.task_map = 2048,
		.map_tree = 16 + 64 + 8,
		.map_generation = 16 + 104 + 8,
		.map_count = 16 + 96,
		.map_executable = 16 + 208,
		.map_total = 16 + 200,
		.mapping_map = 16,
		.mapping_start = 0,
		.mapping_end = 8,
		.mapping_flags = 32,
		.mapping_page = 120,
		.mapping_private = 136,
	};
	struct count_offsets offsets;

	assert_int_equal(offsets_in(&kernel, &offsets), 0);
	assert_memory_equal(&offsets, &expected, sizeof(offsets));
}

static void what_only_some_have_may_lack(void **state)
{
	struct count_offsets offsets;

	assert_int_equal(offsets_in(&(struct kernel){NUMBER, true, NULL}, &offsets), 0);
	assert_int_equal(offsets.map_generation, 16 + 104);
	assert_int_equal(offsets_in(&(struct kernel){NO_GENERATION, true, NULL}, &offsets), 0);
	assert_int_equal(offsets.map_generation, COUNT_NOWHERE);
	assert_int_equal(offsets.map_tree, 16 + 64 + 8);
	assert_int_equal(offsets_in(&(struct kernel){NO_GENERATION, false, NULL}, &offsets), 0);
	assert_int_equal(offsets.map_tree, COUNT_NOWHERE);
	assert_int_equal(offsets.map_count, 16 + 96);
}

static void without_the_rest_there_is_nothing(void **state)
{
	struct count_offsets offsets = {.task_map = 1};

	assert_int_equal(offsets_in(&(struct kernel){SEQCOUNT, true, "vm_end"}, &offsets), -ENOENT);
	assert_int_equal(offsets_in(&(struct kernel){SEQCOUNT, true, "vm_private_data"}, &offsets),
			 -ENOENT);
	assert_int_equal(offsets.task_map, 1);
}

/* ------------------------------------------------------------------ the one that runs */

/* What a child that may open no file finds, as its exit status: an errno, or 255 for other
 * offsets. */
static int found_with_no_file(const struct count_offsets *expected)
{
	const struct rlimit none = {0, 0};
	struct count_offsets offsets;
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		int r = setrlimit(RLIMIT_NOFILE, &none) ? -errno : offsets_find(&offsets);

		if (!r && memcmp(&offsets, expected, sizeof(offsets)) != 0)
			r = -255;
		_exit(-r);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void children_know_what_their_parents_found(void **state)
{
	struct count_offsets before = {}, first, again;
	int r;

	assert_int_not_equal(found_with_no_file(&before), 0);
	r = offsets_find(&first);
	if (r == -ENOENT) {
		print_message("this kernel does not tell its types (/sys/kernel/btf/vmlinux)\n");
		skip();
	}
	assert_int_equal(r, 0);
	assert_int_equal(offsets_find(&again), 0);
	assert_memory_equal(&first, &again, sizeof(first));
	assert_int_equal(found_with_no_file(&first), 0);
}

/* However the types were read. */
static void it_is_what_libbpf_reads(void **state)
{
	struct btf *types = btf__load_vmlinux_btf();
	struct count_offsets found, read;

	if (!types) {
		print_message("this kernel does not tell its types: %s\n", strerror(errno));
		skip();
	}
	assert_int_equal(offsets_of(types, &read), 0);
	assert_int_equal(offsets_find(&found), 0);
	assert_memory_equal(&found, &read, sizeof(found));
	btf__free(types);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_all_kernels_have_is_found),
		cmocka_unit_test(what_only_some_have_may_lack),
		cmocka_unit_test(without_the_rest_there_is_nothing),
		cmocka_unit_test(children_know_what_their_parents_found),
		cmocka_unit_test(it_is_what_libbpf_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
