// SPDX-License-Identifier: BSD-2-Clause
#include "format/perf_mmaps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* What perf 6.1 printed of two processes, cut to what matters; the last lines are not of code, or
 * cut short. */
static const char recorded[] =
	"swapper     0     0.000000: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1206448) @ "
	"0xffffffff81000000]: x [kernel.kallsyms]_text\n"
	"perf-exec 21676  1527.247100: PERF_RECORD_COMM exec: sqlite3:21676/21676\n"
	"sqlite3 21676  1527.247617: PERF_RECORD_MMAP2 21676/21676: [0x55d39b4ba000(0x2e000) @ "
	"0x8000 "
	"fe:00 248066 0]: r-xp /usr/bin/sqlite3\n"
	"sqlite3 21676  1527.247680: PERF_RECORD_MMAP2 21676/21676: [0x7faa1752d000(0x2000) @ 0 "
	"00:00 "
	"0 0]: r-xp [vdso]\n"
	"sqlite3 21676  1527.248903:    1003009 cpu-clock:      7faa173ee4e7 [unknown] "
	"(/usr/lib/libsqlite3.so.0.8.6)\n"
	"my sqlite 21676  1527.248000: PERF_RECORD_MMAP2 21676/21677: [0x7faa173dd000(0xf4000) @ "
	"0x26000 <ba6dbc48d5a0e3dd0a62ab7ad2a0e2f8c2dd4d08>]: r-xp /usr/lib/libsqlite3.so.0.8.6\n"
	"sqlite3 77  1528.000000: PERF_RECORD_MMAP2 77/77: [0x7faa17400000(0xf4000) @ 0x26000 "
	"fe:00 "
	"333420 0]: r-xp /usr/lib/libsqlite3.so.0.8.6\n"
	"sqlite3 78  1528.000000: PERF_RECORD_MMAP 78/78: [0x7faa00000000(0x1000) @ 0x3000]: x "
	"/tmp/a (b)\n"
	"sqlite3 78  1528.000000: PERF_RECORD_MMAP2 78/78: [0x7faa00001000(0x1000) @ 0x3000 fe:00 "
	"1 "
	"0]: rw-p /tmp/a (b)\n"
	"sqlite3 78  1528.000000: PERF_RECORD_MMAP2 78/78: [0x7faa00001000(0x10\n"
	"sqlite3 78  1528.000000: PERF_RECORD_MMAP2 78/78: [0x(0x10) @ 0 fe:00 1 0]: r-xp /tmp/a "
	"(b)\n"
	"\tPERF_RECORD_MMAP2 78/78: [0x7faa00001000(0x1000) @ 0x3000 fe:00 1 0]: r-xp /tmp/a (b)\n";

static const char sqlite_path[] = "/usr/lib/libsqlite3.so.0.8.6";

static struct perf_text text_of(const char *text)
{
	return (struct perf_text){text, strlen(text)};
}

static void expect_offset(const struct perf_mmaps *mmaps, const char *path, uint32_t pid,
			  uint64_t address, uint64_t offset)
{
	uint64_t at = address;

	assert_int_equal(perf_mmaps_place(mmaps, text_of(path), pid, &at), PERF_IN_FILE);
	assert_int_equal(at, offset);
}

static void expect_unknown(const struct perf_mmaps *mmaps, const char *path, uint32_t pid,
			   uint64_t address)
{
	uint64_t at = address;

	assert_int_equal(perf_mmaps_place(mmaps, text_of(path), pid, &at), PERF_IN_PROCESS);
	assert_int_equal(at, address);
}

static void addresses_become_offsets(void **state)
{
	struct perf_mmaps mmaps = {0};

	assert_int_equal(perf_mmaps_read(&mmaps, text_of(recorded)), 0);
	assert_int_equal(mmaps.count, 5);
	expect_offset(&mmaps, "/usr/bin/sqlite3", 21676, 0x55d39b4ba123, 0x8123);
	expect_offset(&mmaps, "[vdso]", 21676, 0x7faa1752d555, 0x555);
	expect_offset(&mmaps, "/tmp/a (b)", 78, 0x7faa00000fff, 0x3fff);
	expect_unknown(&mmaps, "/tmp/a (b)", 78, 0x7faa00001000);
	expect_unknown(&mmaps, "/tmp/never seen", 78, 0x7faa00000fff);
	perf_mmaps_done(&mmaps);
}

/* Where two processes have the file at places that overlap, it must be known whose address it is;
 * elsewhere a thread or a child without a line of its own is one of them. */
static void overlaps_are_not_guessed(void **state)
{
	struct perf_mmaps mmaps = {0};

	assert_int_equal(perf_mmaps_read(&mmaps, text_of(recorded)), 0);
	expect_offset(&mmaps, sqlite_path, 21676, 0x7faa17400010, 0x49010);
	expect_offset(&mmaps, sqlite_path, 77, 0x7faa17400010, 0x26010);
	expect_unknown(&mmaps, sqlite_path, 21677, 0x7faa17400010);
	expect_offset(&mmaps, sqlite_path, 21677, 0x7faa173ddfff, 0x26fff);
	expect_offset(&mmaps, sqlite_path, 5, 0x7faa174f3fff, 0x119fff);
	expect_unknown(&mmaps, sqlite_path, 5, 0x7faa174f4000);
	perf_mmaps_done(&mmaps);
}

static void children_with_their_parents_mappings_agree(void **state)
{
	static const char text[] = "a 1 1.0: PERF_RECORD_MMAP2 1/1: [0x7f0000001000(0x2000) @ "
				   "0x5000 0:0 1 0]: r-xp /x\n"
				   "a 2 1.0: PERF_RECORD_MMAP2 2/2: [0x7f0000001000(0x2000) @ "
				   "0x5000 0:0 1 0]: r-xp /x\n"
				   "a 3 1.0: PERF_RECORD_MMAP2 3/3: [0x7f0000002000(0x2000) @ "
				   "0x6000 0:0 1 0]: r-xp /x\n";
	struct perf_mmaps mmaps = {0};

	assert_int_equal(perf_mmaps_read(&mmaps, text_of(text)), 0);
	expect_offset(&mmaps, "/x", 9, 0x7f0000002010, 0x6010);
	perf_mmaps_done(&mmaps);
}

/* perf prints the addresses of stacks as offsets, and programs at fixed addresses are their own. */
static void what_is_no_address_of_a_process_stays(void **state)
{
	struct perf_mmaps mmaps = {0};

	assert_int_equal(perf_mmaps_read(&mmaps, text_of("")), 0);
	expect_offset(&mmaps, sqlite_path, 1, 0x349e7, 0x349e7);
	expect_offset(&mmaps, "/bin/fixed", 1, 0x401000, 0x401000);
	expect_offset(&mmaps, "[kernel.kallsyms]", 1, 0xffffffff81000000, 0xffffffff81000000);
	expect_unknown(&mmaps, sqlite_path, 1, 0x7faa17400010);
	expect_unknown(&mmaps, "/lib/i386-linux-gnu/libc.so.6", 1, 0xf7c00010);
	perf_mmaps_done(&mmaps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_become_offsets),
		cmocka_unit_test(overlaps_are_not_guessed),
		cmocka_unit_test(children_with_their_parents_mappings_agree),
		cmocka_unit_test(what_is_no_address_of_a_process_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
