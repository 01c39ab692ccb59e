// SPDX-License-Identifier: BSD-2-Clause
/* The part of a kernel's types that a program asks for, of kernels that are made up and of this
 * one. */
#include "named.h"

#include "engine/privilege.h"
#include "engine/kernel/types.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int good(int r)
{
	assert_true(r >= 0);
	return r;
}

static void add(struct btf *types, const char *name, int type, uint32_t byte)
{
	good(btf__add_field(types, name, type, byte * 8, /* bit_size= */ 0));
}

static const char *put(const void *bytes, size_t size, const char *folder)
{
	static char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/types", folder);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_false(fclose(file));
	return path;
}

static void read_back(const struct btf *types, const char *folder, struct types *ret_types)
{
	uint32_t size;
	const void *bytes = btf__raw_data(types, &size);

	assert_non_null(bytes);
	assert_int_equal(types_read(put(bytes, size, folder), ret_types), 0);
}

/* struct task, with a named structure, one without a name, a pointer, and what nobody asks for. */
static struct btf *make_kernel(void)
{
	struct btf *types = btf__new_empty();
	int word = good(btf__add_int(types, "long", 8, BTF_INT_SIGNED)), clock, nameless, pointer;

	clock = good(btf__add_struct(types, "clock", 24));
	add(types, "other", word, 0);
	add(types, "runtime", word, 16);
	clock = good(btf__add_typedef(types, "clock_t", clock));
	nameless = good(btf__add_struct(types, NULL, 32));
	add(types, "id", word, 8);
	add(types, "unasked", word, 24);
	pointer = good(btf__add_ptr(types, clock));
	good(btf__add_struct(types, "task", 200));
	add(types, "unasked", word, 0);
	add(types, NULL, nameless, 40);
	add(types, "se", clock, 80);
	add(types, "parent", pointer, 120);
	add(types, "count", word, 128);
	good(btf__add_struct(types, "nobodys", 8));
	good(btf__add_typedef(types, "btf_trace_exit", pointer));
	return types;
}

/* It knows "se" under another structure's name, and "count" of two times. */
static struct btf *make_program(void)
{
	struct btf *types = btf__new_empty();
	int word = good(btf__add_int(types, "long", 8, BTF_INT_SIGNED)), entity, pointer;

	entity = good(btf__add_struct(types, "entity", 8));
	add(types, "runtime", word, 0);
	pointer = good(btf__add_ptr(types, /* void= */ 0));
	good(btf__add_struct(types, "task", 32));
	add(types, "id", word, 0);
	add(types, "se", entity, 8);
	add(types, "parent", pointer, 16);
	add(types, "since_later", word, 24);
	good(btf__add_struct(types, "task___older", 8));
	add(types, "count", word, 0);
	return types;
}

/* Where MEMBER is in the structure NUMBER, in bytes; -1.  *RET_TYPE is the number of its type. */
static int where(const struct btf *types, int number, const char *member, int *ret_type)
{
	const struct btf_type *type = btf__type_by_id(types, (uint32_t)number);

	for (uint32_t i = 0; i < btf_vlen(type); i++) {
		const struct btf_member *one = btf_members(type) + i;

		if (!strcmp(btf__name_by_offset(types, one->name_off), member)) {
			*ret_type = (int)one->type;
			return (int)(btf_member_bit_offset(type, i) / 8);
		}
	}
	return -1;
}

static void what_is_asked_for_is_copied(void **state)
{
	struct btf *made = make_kernel(), *program = make_program(), *needed;
	struct types kernel;
	int task, type;

	read_back(made, *state, &kernel);
	needed = types_needed(&kernel, program);
	assert_non_null(needed);
	task = btf__find_by_name_kind(needed, "task", BTF_KIND_STRUCT);
	assert_true(task > 0);
	assert_int_equal(btf__type_by_id(needed, (uint32_t)task)->size, 200);
	assert_int_equal(where(needed, task, "parent", &type), 120);
	assert_true(btf_is_ptr(btf__type_by_id(needed, (uint32_t)type)));
	assert_int_equal(where(needed, task, "count", &type), 128);
	assert_int_equal(where(needed, task, "unasked", &type), -1);
	assert_int_equal(where(needed, task, "since_later", &type), -1);
	assert_int_equal(where(needed, task, "se", &type), 80);
	assert_int_equal(where(needed, type, "runtime", &type), 16);
	assert_int_equal(where(needed, task, "", &type), 40);
	assert_int_equal(where(needed, type, "id", &type), 8);
	assert_true(btf__find_by_name_kind(needed, "nobodys", BTF_KIND_STRUCT) < 0);
	btf__free(needed);
	btf__free(program);
	btf__free(made);
	types_done(&kernel);
}

static void types_are_found_by_kind_and_name(void **state)
{
	struct btf *made = make_kernel();
	struct types kernel;
	uint32_t number;

	read_back(made, *state, &kernel);
	number = types_find(&kernel, BTF_KIND_TYPEDEF, "btf_trace_exit");
	assert_int_equal(number, btf__find_by_name_kind(made, "btf_trace_exit", BTF_KIND_TYPEDEF));
	assert_true(btf_is_ptr(types_bare(&kernel, number)));
	assert_int_equal(types_find(&kernel, BTF_KIND_STRUCT, "btf_trace_exit"), 0);
	assert_null(types_at(&kernel, 0));
	assert_null(types_at(&kernel, kernel.count));
	assert_string_equal(types_name(&kernel, UINT32_MAX), "");
	types_done(&kernel);
	btf__free(made);
}

/* Each ends within a type, or behind all of them but before their names. */
static void what_is_cut_is_refused(void **state)
{
	struct btf *made = make_kernel();
	uint32_t size;
	const void *bytes = btf__raw_data(made, &size);
	struct types kernel;

	for (uint32_t cut = 0; cut < size; cut++)
		assert_int_equal(types_read(put(bytes, cut, *state), &kernel), -EBADMSG);
	assert_int_equal(types_read("/nonexistent/types", &kernel), -ENOENT);
	btf__free(made);
}

/* Whatever one byte is: refused or read, and what is read is looked through. */
static void any_byte_may_be_wrong(void **state)
{
	struct btf *made = make_kernel(), *program = make_program();
	uint32_t size;
	const void *bytes = btf__raw_data(made, &size);
	uint8_t wrong[4096];

	assert_in_range(size, 1, sizeof(wrong));
	for (uint32_t at = 0; at < size; at++) {
		struct types kernel;

		memcpy(wrong, bytes, size);
		wrong[at] ^= 0xff;
		if (types_read(put(wrong, size, *state), &kernel))
			continue;
		btf__free(types_needed(&kernel, program));
		(void)types_find(&kernel, BTF_KIND_TYPEDEF, "btf_trace_exit");
		types_done(&kernel);
	}
	btf__free(program);
	btf__free(made);
}

/* As libbpf reads them. */
static void this_kernels_types_are_read(void **state)
{
	struct types kernel;
	struct btf *same;

	if (access(PRIVILEGE_BTF, R_OK))
		skip();
	assert_int_equal(types_read(PRIVILEGE_BTF, &kernel), 0);
	same = btf__parse(PRIVILEGE_BTF, NULL);
	assert_non_null(same);
	assert_int_equal(kernel.count, btf__type_cnt(same));
	for (uint32_t i = 1; i < kernel.count; i++)
		assert_int_equal(types_at(&kernel, i)->info, btf__type_by_id(same, i)->info);
	btf__free(same);
	types_done(&kernel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_asked_for_is_copied),
		cmocka_unit_test(types_are_found_by_kind_and_name),
		cmocka_unit_test(what_is_cut_is_refused),
		cmocka_unit_test(any_byte_may_be_wrong),
		cmocka_unit_test(this_kernels_types_are_read),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
