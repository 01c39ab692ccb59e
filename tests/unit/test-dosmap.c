// SPDX-License-Identifier: BSD-2-Clause
#include "dos/dosmap.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* Maps in the form of each linker, and what is where. */

static const char link_map[] =
	"\r\n"
	" Start  Stop   Length Name                   Class\r\n"
	" 00000H 00089H 0008AH HELLO_TEXT             CODE\r\n"
	" 0008AH 000A9H 00020H LIB_TEXT               CODE\r\n"
	" 000B0H 000CFH 00020H _DATA                  DATA\r\n"
	"\r\n"
	" Origin   Group\r\n"
	" 000B:0   DGROUP\r\n"
	"\r\n"
	"  Address         Publics by Name\r\n"
	"\r\n"
	" 0000:9876  Abs  __acrtused\r\n"
	" 0000:0040       _main\r\n"
	" 0008:000A       _twice\r\n"
	" 0000:0010  idle _helper\r\n"
	"\r\n"
	"  Address         Publics by Value\r\n"
	"\r\n"
	" 0000:0010  idle _helper\r\n"
	" 0000:0040       _main\r\n"
	" 0008:000A       _twice\r\n"
	"\r\n"
	"Line numbers for HELLO.OBJ(hello.c) segment HELLO_TEXT\r\n"
	"\r\n"
	"     3 0000:0010H    4 0000:0018H    9 0000:0040H   10 0000:0048H\r\n"
	"    12 0000:0060H\r\n"
	"\r\n"
	"Line numbers for LIB.OBJ segment LIB_TEXT\r\n"
	"\r\n"
	"     7 0008:000A\r\n"
	"\r\n"
	"Program entry point at 0000:0040\r\n"
	"\x1a";

static const char tlink_map[] =
	"\r\n"
	" Start  Stop   Length Name               Class\r\n"
	"\r\n"
	" 00000H 0024FH 00250H _TEXT              CODE\r\n"
	" 00250H 00280H 00031H _DATA              DATA\r\n"
	"\r\n"
	"Detailed map of segments\r\n"
	"\r\n"
	" 0000:0000 0146 C=CODE   S=_TEXT          G=(none)  M=C0.ASM     ACBP=28\r\n"
	" 0000:0146 010A C=CODE   S=_TEXT          G=(none)  M=HELLO.C    ACBP=28\r\n"
	"\r\n"
	"  Address         Publics by Value\r\n"
	"\r\n"
	" 0000:0100       start\r\n"
	" 0000:0146  idle _spin\r\n"
	" 0000:0180       _main\r\n"
	"\r\n"
	"Line numbers for hello.obj(HELLO.C) segment _TEXT\r\n"
	"\r\n"
	"     5 0000:0146     6 0000:014B\r\n"
	"\r\n"
	"Program entry point at 0000:0100\r\n";

static const char watcom_map[] =
	"Open Watcom Linker Version 2.0 beta\n"
	"Executable Image: hello.exe\n"
	"\n"
	"                        +------------+\n"
	"                        |   Groups   |\n"
	"                        +------------+\n"
	"Group                           Address              Size\n"
	"=====                           =======              ====\n"
	"\n"
	"DGROUP                          0018:0000            00000b60\n"
	"\n"
	"                        +--------------+\n"
	"                        |   Segments   |\n"
	"                        +--------------+\n"
	"Segment                Class          Group          Address         Size\n"
	"=======                =====          =====          =======         ====\n"
	"\n"
	"_TEXT                  CODE           AUTO           0000:0000       00000180\n"
	"_DATA                  DATA           DGROUP         0018:0000       00000040\n"
	"\n"
	"                        +----------------+\n"
	"                        |   Memory Map   |\n"
	"                        +----------------+\n"
	"\n"
	"* = unreferenced symbol\n"
	"+ = symbol only referenced locally\n"
	"\n"
	"Address        Symbol\n"
	"=======        ======\n"
	"\n"
	"Module: hello.obj(hello.c)\n"
	"0000:0010+     spin_\n"
	"0000:0040      main_\n"
	"0000:0070s     static_\n"
	"Module: clibs.lib(cstart)\n"
	"0000:0090*     _cstart_\n"
	"0018:0000      _data\n"
	"\n"
	"Stack size:             0800 (2048.)\n"
	"Entry point address: 0000:0090\n";

static const char ld86_map[] = "q               +q.o\n"
			       "p               +p.o\n"
			       "                   q                   msg  3  0000012c  r\n"
			       "                   q                 start  0  00000100  R N\n"
			       "                   p                _twice  0  00000114  R\n"
			       "                   p               _helper  0  00000108  r\n"
			       "                   p              _constant  1  00000001  R A\n"
			       "                   p                _table  3  00000130  R C\n"
			       "Total memory used: 000001c7\n";

static const char gnu_map[] =
	"\n"
	"Memory Configuration\n"
	"\n"
	"Linker script and memory map\n"
	"\n"
	"LOAD ga.o\n"
	"                0x0000000000000100                . = 0x100\n"
	"\n"
	".text           0x0000000000000100       0x60\n"
	" *(.text)\n"
	" .text          0x0000000000000100       0x20 lib/ga.o\n"
	"                0x0000000000000100                _start\n"
	"                0x0000000000000110                use_a\n"
	" .text.a_name_too_long_for_it\n"
	"                0x0000000000000120       0x20 gb.o\n"
	" .text          0x0000000000000140        0x0 gc.o\n"
	" .text          0x0000000000000140       0x20 gc.o\n"
	"                0x0000000000000160                PROVIDE (etext = .)\n"
	"                [!provide]                        PROVIDE (_end = .)\n"
	"\n"
	".debug_info     0x0000000000000000      0x400\n"
	" .debug_info    0x0000000000000000      0x400 ga.o\n";

static struct dosmap *read_text(const char *text, int wanted)
{
	char path[] = "/tmp/test-dosmap-XXXXXX";
	int fd = mkstemp(path);
	struct dosmap *map = NULL;
	struct error why = {""};

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	assert_int_equal(dosmap_read(path, &map, &why), wanted);
	assert_true((*why.text != '\0') == (wanted != 0));
	unlink(path);
	return map;
}

static void check_name(const struct dosmap *map, uint32_t start, uint32_t limit, const char *name)
{
	const struct dosmap_symbol *symbol = dosmap_symbol_in(map, start, limit);

	if (!name)
		assert_null(symbol);
	else
		assert_string_equal(symbol ? symbol->name : "nothing", name);
}

static void check_line(const struct dosmap *map, uint32_t start, uint32_t limit, const char *file,
		       uint32_t number)
{
	const struct dosmap_symbol *symbol = dosmap_symbol_in(map, start, limit);
	const struct dosmap_line *line;

	assert_non_null(symbol);
	line = dosmap_line_in(map, symbol, start, limit);
	assert_int_equal(line ? line->number : 0, number);
	if (line)
		assert_string_equal(line->file, file);
}

struct name_at {
	uint32_t start, limit;
	const char *name; /* NULL: it has none */
};

struct line_at {
	uint32_t start, limit;
	const char *file;
	uint32_t number; /* 0: it has none */
};

/* Each list ends at a limit of 0. */
static const struct linker {
	const char *name, *text;
	bool is_com;
	struct name_at names[8];
	struct line_at lines[6];
} linkers[] = {
	{
		.name = "LINK",
		.text = link_map,
		.names = {{0x00, 0x10, "HELLO_TEXT"},
			  {0x10, 0x20, "_helper"},
			  {0x80, 0x8a, "_main"},
			  {0x8a, 0x90, "_twice"},
			  {0xaa, 0xb0, NULL},
			  {0xb0, 0xc0, "_DATA"},
			  {0xd0, 0x1000, NULL}},
		.lines = {{0x10, 0x20, "hello.c", 3},
			  {0x40, 0x50, "hello.c", 9},
			  {0x44, 0x50, "hello.c", 10},
			  {0x90, 0xa0, "LIB.OBJ", 7},
			  {0xb0, 0xc0, "", 0}},
	},
	{
		.name = "TLINK",
		.text = tlink_map,
		.is_com = true,
		.names = {{0x100, 0x110, "start"},
			  {0x150, 0x160, "_spin"},
			  {0x240, 0x250, "_main"},
			  {0x250, 0x260, "_DATA"}},
		.lines = {{0x150, 0x160, "HELLO.C", 6}},
	},
	{
		.name = "Open Watcom",
		.text = watcom_map,
		.names = {{0x00, 0x10, "_TEXT"},
			  {0x10, 0x20, "spin_"},
			  {0x60, 0x70, "main_"},
			  {0x70, 0x80, "static_"},
			  {0x170, 0x180, "_cstart_"},
			  {0x180, 0x190, "_data"},
			  {0x1c0, 0x1d0, NULL}},
	},
	{
		.name = "ld86",
		.text = ld86_map,
		.is_com = true,
		.names = {{0x00, 0x100, NULL},
			  {0x100, 0x104, "start"},
			  {0x108, 0x110, "_helper"},
			  {0x114, 0x12c, "_twice"},
			  {0x130, 0x131, "_table"},
			  {0x131, 0x140, NULL}},
	},
	{
		.name = "GNU ld",
		.text = gnu_map,
		.is_com = true,
		.names = {{0x00, 0x100, NULL},
			  {0x100, 0x110, "_start"},
			  {0x110, 0x120, "use_a"},
			  {0x120, 0x130, "gb.o"},
			  {0x140, 0x160, "gc.o"},
			  {0x160, 0x170, NULL}},
	},
};
#define LINKERS (sizeof(linkers) / sizeof(*linkers))

static void test_what_is_where(void **state)
{
	for (const struct linker *linker = linkers; linker < linkers + LINKERS; linker++) {
		struct dosmap *map = read_text(linker->text, 0);

		print_message("# %s\n", linker->name);
		assert_int_equal(dosmap_is_com(map), linker->is_com);
		for (const struct name_at *at = linker->names; at->limit; at++)
			check_name(map, at->start, at->limit, at->name);
		for (const struct line_at *at = linker->lines; at->limit; at++)
			check_line(map, at->start, at->limit, at->file, at->number);
		dosmap_free(map);
	}
}

/* A bucket is called by what has most of it. */
static void test_shared_buckets(void **state)
{
	struct dosmap *map = read_text(link_map, 0);

	check_name(map, 0x30, 0x50, "_helper"); /* as much of one as of the other */
	check_name(map, 0x38, 0x58, "_main");
	check_name(map, 0x00, 0x1000, "_main");
	check_name(map, 0xa8, 0x100, "_DATA");
	check_line(map, 0x40, 0x80, "hello.c", 12); /* as much as line 10 has, and 8 more */
	dosmap_free(map);
}

static void test_refuses_what_is_no_map(void **state)
{
	struct dosmap *map = NULL;
	struct error why = {""};

	assert_null(read_text("", -EBADMSG));
	assert_null(read_text("one\ntwo\n", -EBADMSG));
	assert_null(read_text(" Start  Stop\n 00010H 0000FH 00010H A B\n", -EBADMSG));
	assert_null(read_text("Publics by Value\n FFFFFFF:0010 far\n", -EBADMSG));
	assert_int_equal(dosmap_read("/nowhere/at.map", &map, &why), -ENOENT);
	assert_non_null(strstr(why.text, "/nowhere/at.map"));
	assert_null(dosmap_free(NULL));
}

/* Cut off anywhere, a map is a shorter one or none, and nothing is read beyond its end. */
static void test_cut_maps(void **state)
{
	char path[] = "/tmp/test-dosmap-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < LINKERS; i++) {
		const char *text = linkers[i].text;

		for (size_t size = 0; size < strlen(text); size += 13) {
			FILE *file = fopen(path, "w");
			struct dosmap *map = NULL;
			struct error why;
			int ret;

			assert_non_null(file);
			assert_int_equal(fwrite(text, 1, size, file), size);
			assert_int_equal(fclose(file), 0);
			ret = dosmap_read(path, &map, &why);
			assert_true(ret == 0 || ret == -EBADMSG);
			if (!ret)
				(void)dosmap_symbol_in(map, 0, 0x200);
			dosmap_free(map);
		}
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_where),
		cmocka_unit_test(test_shared_buckets),
		cmocka_unit_test(test_refuses_what_is_no_map),
		cmocka_unit_test(test_cut_maps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
