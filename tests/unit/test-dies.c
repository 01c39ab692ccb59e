// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/dies.h"

#include "named.h"

#include <dwarf.h>
#include <fcntl.h>

/* A unit with two functions, the first of which has one in it.  Where the first one says its
 * sibling is can be set, so that the tree can be bent into a loop. */
static const char unit[] = ".section .debug_abbrev\n"
			   ".uleb128 1, 0x11\n .byte 1, 0, 0\n"		 /* unit, with children */
			   ".uleb128 2, 0x2e\n .byte 1, 1, 0x13, 0, 0\n" /* function: sibling */
			   ".uleb128 3, 0x2e\n .byte 0, 0, 0\n"		 /* function: nothing */
			   ".byte 0\n"
			   ".section .debug_info\n"
			   "begin: .long end - start\n"
			   "start: .short 4\n .long 0\n .byte 8\n"
			   "root: .uleb128 1\n"
			   "first: .uleb128 2\n .long SIBLING - begin\n"
			   "inner: .uleb128 3\n .byte 0\n"
			   "second: .uleb128 3\n .byte 0\n"
			   "end:\n";

struct visits {
	size_t count, deepest;
};

static int visit(void *context, Dwarf_Die *die, size_t depth)
{
	struct visits *visits = context;

	assert_int_equal(dwarf_tag(die), DW_TAG_subprogram);
	visits->count++;
	if (depth > visits->deepest)
		visits->deepest = depth;
	assert_true(visits->count < 100);
	return DIES_ENTER;
}

static struct visits walk(const char *folder, const char *sibling)
{
	struct visits visits = {0};
	char path[4096];
	Dwarf_Die root;
	Dwarf *dwarf;
	int fd;

	write_text(folder, "unit.s", unit);
	run_in(folder, "sed 's/SIBLING/%s/' unit.s | as -o unit.o", sibling);
	snprintf(path, sizeof(path), "%s/unit.o", folder);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	dwarf = dwarf_begin(fd, DWARF_C_READ);
	assert_non_null(dwarf);
	assert_non_null(dwarf_offdie(dwarf, 11, &root));
	assert_int_equal(dies_walk(&root, visit, &visits), 0);
	dwarf_end(dwarf);
	close(fd);
	return visits;
}

static void a_whole_tree_is_visited(void **state)
{
	struct visits visits = walk(*state, "second");

	assert_int_equal(visits.count, 3);
	assert_int_equal(visits.deepest, 1);
}

static void a_loop_ends_the_walk(void **state)
{
	static const char *const bent[] = {"first", "inner", "root", "begin", "end"};

	for (size_t i = 0; i < sizeof(bent) / sizeof(bent[0]); i++)
		assert_true(walk(*state, bent[i]).count <= 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_tree_is_visited),
		cmocka_unit_test(a_loop_ends_the_walk),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
