// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/compile.h"

#include "base/array.h"
#include "unwind/elf_file.h"
#include "unwind/pclntab.h"
#include "unwind/rules.h"

#include <errno.h>
#include <string.h>

/* How far the code at the ELF entry reaches that no call frame information covers, as in the
 * dynamic linker's, where it calls main's caller and is at the end of each stack. */
enum { ENTRY_SIZE = 64 };

/* In place of where an entry is, for what has none. */
enum without_entry { OF_PROGRAM, OF_INIT, OF_FINI };
#define NO_PLACE(which) (UINT64_MAX - (which))

/* A row is made of some five bytes.  Room that is not taken is never touched. */
enum { BYTES_A_ROW = 4 };

/* The size of the call frame information of .init and .fini. */
enum { INIT_PROGRAM = 11 };

/* A function: where its entry is in the section, which is read again when its turn has come; or its
 * index in Go's table. */
struct function {
	uint64_t start, at;
	struct unwind_entries *entries; /* of its section; NULL: none */
};

struct compiler {
	const uint8_t *file;
	size_t size; /* of it */
	struct unwind_elf elf;
	struct unwind_entries entries, debug_entries;
	struct pclntab pclntab;
	struct function *functions; /* heap; by address */
	size_t function_count, function_capacity;
	struct unwind_rules rules;
	uint8_t pieces[OF_FINI + 1][INIT_PROGRAM]; /* the programs of those without an entry */
	struct unwind_table *table;
	size_t row_capacity;
	const struct unwind_segment *segment; /* of the function that is compiled */
	uint64_t limit;			      /* where it ends, or the next begins */
	size_t first_row;		      /* where its rows begin */
};

void unwind_table_done(struct unwind_table *table)
{
	free(table->rows);
	free(table->rules);
	*table = (struct unwind_table){0};
}

static int by_start(const void *left, const void *right)
{
	const struct function *a = left, *b = right;

	ARRAY_COMPARE(a->start, b->start);
	ARRAY_COMPARE(a->at, b->at);
	return 0;
}

static int add_row(struct compiler *compiler, uint64_t address, uint16_t rule)
{
	struct unwind_table *table = compiler->table;
	uint64_t offset = address - compiler->segment->address + compiler->segment->offset;
	size_t back = table->row_count - compiler->first_row;

	if (offset > UINT32_MAX)
		return 0;
	if (ARRAY_RESERVE(table->rows, compiler->row_capacity, table->row_count + 1))
		return -ENOMEM;
	table->rows[table->row_count++] = (struct unwind_row){
		(uint32_t)offset, rule, (uint16_t)(back < UINT16_MAX ? back : UINT16_MAX)};
	return 0;
}

static int take_rule(void *context, uint64_t address, const struct unwind_rule *rule)
{
	struct compiler *compiler = context;
	uint16_t number = UNWIND_UNKNOWN;
	int ret = 0;

	if (address >= compiler->limit)
		return 0;
	if (rule->saved[UNWIND_RETURN].where == UNWIND_LOST)
		number = UNWIND_OUTERMOST;
	else if (rule->saved[UNWIND_RETURN].where != UNWIND_SAME)
		ret = unwind_rules_add(&compiler->rules, rule, &number);
	return ret ? ret : add_row(compiler, address, number);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The program's entry has no caller, which not every one says. */
static struct unwind_entry entry_of_program(const struct compiler *compiler)
{
	static const uint8_t undefined[] = {0x07, 16, 0x07, 8}; /* DW_CFA_undefined */
	const uint8_t *program = undefined + (compiler->elf.machine->word_size == 4 ? 2 : 0);

	return (struct unwind_entry){.start = compiler->elf.entry,
				     .end = compiler->elf.entry + ENTRY_SIZE,
				     .common.return_register = compiler->elf.machine->ip,
				     .program = {program, program + 2, false}};
}

static struct unwind_entry entry_of_init(const struct compiler *compiler, enum without_entry which)
{
	const struct unwind_section *section =
		which == OF_INIT ? &compiler->elf.init : &compiler->elf.fini;
	const uint8_t *program = compiler->pieces[which];

	return (struct unwind_entry){.start = section->address,
				     .end = section->address + section->size,
				     .common.return_register = compiler->elf.machine->ip,
				     .common.code_align = 1,
				     .common.data_align = -8,
				     .program = {program, program + INIT_PROGRAM, false}};
}

/* What is known of FUNCTION.  False: nothing. */
static bool get_entry(struct compiler *compiler, const struct function *function,
		      struct unwind_entry *ret_entry)
{
	if (function->at >= NO_PLACE(OF_FINI)) {
		enum without_entry which = (enum without_entry)(UINT64_MAX - function->at);

		*ret_entry = which == OF_PROGRAM ? entry_of_program(compiler)
						 : entry_of_init(compiler, which);
		return true;
	}
	if (!function->entries) {
		struct pclntab_function go;

		*ret_entry = (struct unwind_entry){0};
		if (!pclntab_function(&compiler->pclntab, function->at, &go))
			return false;
		ret_entry->start = go.start;
		ret_entry->end = go.end;
		return true;
	}
	function->entries->at = function->at;
	return unwind_entries_next(function->entries, ret_entry);
}

/* Whether the last of the first COUNT functions that begins up to ADDRESS covers it. */
static bool is_covered(struct compiler *compiler, size_t count, uint64_t address)
{
	size_t after = ARRAY_FIRST_NOT(i, count, compiler->functions[i].start <= address);
	struct unwind_entry covering;

	return after && get_entry(compiler, &compiler->functions[after - 1], &covering) &&
	       covering.end > address;
}

static int add(struct compiler *compiler, const struct function *function)
{
	if (ARRAY_RESERVE(compiler->functions, compiler->function_capacity,
			  compiler->function_count + 1))
		return -ENOMEM;
	compiler->functions[compiler->function_count++] = *function;
	return 0;
}

/* The functions of ENTRIES in executable code, by address. */
static int read_functions(struct compiler *compiler, struct unwind_entries *entries)
{
	size_t known = compiler->function_count, count;
	struct unwind_entry entry;
	bool is_sorted = true;
	uint64_t at = 0;

	for (; unwind_entries_next(entries, &entry); at = entries->at) {
		count = compiler->function_count;
		if (!unwind_elf_segment(&compiler->elf, entry.start))
			continue;
		/* The linker leaves debug information of code that it has dropped, at 0. */
		if (entries->section.is_debug_frame &&
		    (!entry.start || is_covered(compiler, known, entry.start)))
			continue;
		if (count && compiler->functions[count - 1].start > entry.start)
			is_sorted = false;
		if (add(compiler, &(struct function){entry.start, at, entries}))
			return -ENOMEM;
	}
	if (!is_sorted)
		ARRAY_SORT(compiler->functions, compiler->function_count, by_start);
	return 0;
}

/* What the code says of how Go switches stacks. */
static void learn_switches(struct compiler *compiler)
{
	struct pclntab_function function;
	struct unwind_elf_part code;
	uint64_t index = 0;

	while (pclntab_switch(&compiler->pclntab, &index, &function))
		if (unwind_elf_part(&compiler->elf, function.start, function.end, &code) &&
		    code.offset <= compiler->size && code.size <= compiler->size - code.offset)
			pclntab_learn(&compiler->pclntab, &function, compiler->file + code.offset,
				      code.size);
}

/* Those of Go's table that no call frame information covers. */
static int read_pclntab(struct compiler *compiler)
{
	size_t known = compiler->function_count;
	struct pclntab_function function;
	int ret = 0;

	if (compiler->elf.machine->word_size != sizeof(uint64_t) ||
	    !pclntab_open(&compiler->elf.pclntab, &compiler->pclntab))
		return 0;
	learn_switches(compiler);
	for (uint64_t i = 0; i < compiler->pclntab.count && !ret; i++)
		if (pclntab_function(&compiler->pclntab, i, &function) &&
		    unwind_elf_segment(&compiler->elf, function.start) &&
		    !is_covered(compiler, known, function.start))
			ret = add(compiler, &(struct function){function.start, i, NULL});
	ARRAY_SORT(compiler->functions, compiler->function_count, by_start);
	return ret;
}

/* A function's rows, and where it ends one that knows nothing, for the next to stand in its place.
 */
static int compile_function(struct compiler *compiler, const struct function *at,
			    const struct unwind_entry *function, uint64_t next)
{
	struct pclntab_function go;
	struct unwind_table *table = compiler->table;
	const struct unwind_segment *segment = unwind_elf_segment(&compiler->elf, function->start);
	int ret;

	compiler->segment = segment;
	compiler->limit = least(least(function->end, next), segment->address + segment->size);
	if (compiler->limit <= function->start)
		return 0;
	if (table->row_count && table->rows[table->row_count - 1].offset ==
					function->start - segment->address + segment->offset)
		table->row_count--;
	compiler->first_row = table->row_count;
	if (at->entries || at->at >= NO_PLACE(OF_FINI))
		ret = unwind_rows(compiler->elf.machine, function, take_rule, compiler);
	else
		ret = pclntab_function(&compiler->pclntab, at->at, &go)
			      ? pclntab_rows(&compiler->pclntab, &go, take_rule, compiler)
			      : 0;
	compiler->first_row = table->row_count;
	return ret ? ret : add_row(compiler, compiler->limit, UNWIND_UNKNOWN);
}

/* Add a function at START, unless the last one that begins up to it covers it. */
static int add_function(struct compiler *compiler, uint64_t start, uint64_t place)
{
	size_t count = compiler->function_count;
	size_t after = ARRAY_FIRST_NOT(i, count, compiler->functions[i].start <= start);

	if (!unwind_elf_segment(&compiler->elf, start) || is_covered(compiler, count, start))
		return 0;
	if (ARRAY_RESERVE(compiler->functions, compiler->function_capacity, count + 1))
		return -ENOMEM;
	memmove(&compiler->functions[after + 1], &compiler->functions[after],
		(count - after) * sizeof(*compiler->functions));
	compiler->functions[after] = (struct function){start, place, NULL};
	compiler->function_count++;
	return 0;
}

/* .init and .fini are put together of several files' code, in one function: the first aligns the
 * stack, and the last gives that back and returns. */
static int add_init(struct compiler *compiler, const struct unwind_section *section,
		    enum without_entry which)
{
	static const uint8_t lands[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
	static const uint8_t takes[] = {0x48, 0x83, 0xec, 0x08}; /* sub $8, %rsp */
	static const uint8_t gives[] = {0x48, 0x83, 0xc4, 0x08, 0xc3};
	size_t at = 0, size = section->size, least = sizeof(lands) + sizeof(takes) + sizeof(gives);

	if (!section->data || compiler->elf.machine->word_size != 8 || size > UNWIND_INIT_MOST)
		return 0;
	if (size >= least && !memcmp(section->data, lands, sizeof(lands)))
		at = sizeof(lands);
	if (size - at < sizeof(takes) + sizeof(gives) ||
	    memcmp(section->data + at, takes, sizeof(takes)) != 0 ||
	    memcmp(section->data + size - sizeof(gives), gives, sizeof(gives)) != 0)
		return 0;
	at += sizeof(takes);
	memcpy(compiler->pieces[which],
	       (const uint8_t[]){0x0c, 7, 8, 0x90, 1,		 /* DW_CFA_def_cfa, _offset */
				 (uint8_t)(0x40 | at), 0x0e, 16, /* _advance_loc, _def_cfa_offset */
				 (uint8_t)(0x40 | (size - 1 - at)), 0x0e, 8},
	       INIT_PROGRAM);
	return add_function(compiler, section->address, NO_PLACE(which));
}

/* Segments may stand in the file in another order than in memory; nobody's do. */
static bool is_ordered(const struct unwind_table *table)
{
	for (size_t i = 1; i < table->row_count; i++)
		if (table->rows[i - 1].offset >= table->rows[i].offset)
			return false;
	return true;
}

static int compile_functions(struct compiler *compiler)
{
	int ret = read_functions(compiler, &compiler->entries);

	if (!ret)
		ret = read_pclntab(compiler);
	/* What .eh_frame does not cover: there may be nothing else. */
	if (!ret)
		ret = read_functions(compiler, &compiler->debug_entries);
	if (!ret)
		ret = add_function(compiler, compiler->elf.entry, NO_PLACE(OF_PROGRAM));
	if (!ret)
		ret = add_init(compiler, &compiler->elf.init, OF_INIT);
	if (!ret)
		ret = add_init(compiler, &compiler->elf.fini, OF_FINI);
	for (size_t i = 0; i < compiler->function_count && !ret; i++) {
		uint64_t next = i + 1 < compiler->function_count ? compiler->functions[i + 1].start
								 : UINT64_MAX;
		struct unwind_entry entry;

		if (get_entry(compiler, &compiler->functions[i], &entry))
			ret = compile_function(compiler, &compiler->functions[i], &entry, next);
	}
	if (!is_ordered(compiler->table))
		compiler->table->row_count = 0;
	return ret;
}

int unwind_compile(const void *file, size_t size, struct unwind_table *ret_table)
{
	struct unwind_table table = {0};
	struct compiler compiler = {.file = file, .size = size, .table = &table};
	int ret = unwind_elf_read(file, size, &compiler.elf);

	unwind_entries_start(&compiler.entries, &compiler.elf.frames);
	unwind_entries_start(&compiler.debug_entries, &compiler.elf.debug_frames);
	compiler.row_capacity =
		(compiler.elf.frames.size + compiler.elf.debug_frames.size) / BYTES_A_ROW;
	table.rows = calloc(compiler.row_capacity + 1, sizeof(*table.rows));
	if (!table.rows)
		ret = -ENOMEM;
	if (!ret && compiler.elf.machine &&
	    (compiler.elf.frames.data || compiler.elf.debug_frames.data ||
	     compiler.elf.pclntab.data))
		ret = compile_functions(&compiler);
	free(compiler.functions);
	unwind_rules_finish(&compiler.rules);
	table.rules = compiler.rules.items;
	table.rule_count = compiler.rules.count;
	table.word_size = compiler.elf.frames.word_size;
	if (ret)
		unwind_table_done(&table);
	*ret_table = table;
	return ret;
}
