// SPDX-License-Identifier: BSD-2-Clause
#include "engine/kernel/tables.h"

#include "engine/kernel/private.h"
#include "unwind/rules.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/* Room for all files' rows: the C compiler of a distribution has half a million, a browser or an
 * interpreter with what it loads fewer, clang and its libraries two million.  What a program that
 * is started has from its start is known; others, and the whole machine, may have anything.  What
 * comes when there is none left has no table, and its callers are not known. */
#define TABLES_MIB 10
#define TABLES_MIB_OF_ANY 32
#define ROWS_TO_A_PAGE 4 /* there is room for so many times the rows */
#define ROWS_OF_A_MIB \
	((1u << 20) / \
	 (sizeof(struct kernel_table_row) + sizeof(struct kernel_table_page) / ROWS_TO_A_PAGE))

/* A page of the index has so many rows, more or less. */
#define ROWS_IN_PAGE 8
#define LEAST_PAGE_SHIFT 6

_Static_assert(sizeof(struct unwind_row) == sizeof(struct kernel_table_row), "they are the same");

/* ---- a rule ---- */

/* How far below the CFA what a short rule reads may lie: less than the BPF program reads at once.
 */
#define LOWEST (-256)

_Static_assert(sizeof(struct unwind_rule) == sizeof(((struct kernel_rule *)0)->whole),
	       "it is kept whole");

/* Whether the register is where it was, or in a word below the CFA: then *RET_OFFSET, else 0. */
static bool is_short(const struct unwind_place *place, int16_t *ret_offset)
{
	*ret_offset = 0;
	if (place->where == UNWIND_SAME)
		return true;
	if (place->where != UNWIND_AT_CFA || place->offset > -(int)sizeof(uint64_t) ||
	    place->offset < LOWEST)
		return false;
	*ret_offset = place->offset;
	return true;
}

static int16_t lesser(int16_t a, int16_t b)
{
	return a < b ? a : b;
}

static void rule_shorten(const struct unwind_rule *rule, struct kernel_rule *ret_rule)
{
	struct kernel_rule shortened = {.cfa = rule->cfa_offset, .kind = KERNEL_RULE_SLOW};
	int16_t ip;

	memcpy(shortened.whole, rule, sizeof(*rule));
	if (rule->flags & UNWIND_SIGNAL)
		shortened.kind = KERNEL_RULE_SIGNAL;
	if (rule->flags & UNWIND_OTHER_STACK)
		shortened.kind = KERNEL_RULE_OTHER_STACK;
	if (rule->flags & UNWIND_FRAMED)
		shortened.kind = KERNEL_RULE_FRAME_POINTER;
	if (!rule->flags && rule->cfa_register <= UNWIND_BP &&
	    is_short(&rule->saved[UNWIND_RETURN], &ip) && ip == -(int)sizeof(uint64_t) &&
	    is_short(&rule->saved[UNWIND_SAVED_BP], &shortened.bp) &&
	    is_short(&rule->saved[UNWIND_SAVED_BX], &shortened.bx)) {
		shortened.kind =
			rule->cfa_register == UNWIND_SP ? KERNEL_RULE_BY_SP : KERNEL_RULE_BY_BP;
		shortened.low = lesser(ip, lesser(shortened.bp, shortened.bx));
	}
	*ret_rule = shortened;
}

/* ---- a table ---- */

/* The number of RULE among those of all files. */
static uint16_t number_of(struct kernel_tables *tables, const struct unwind_rule *rule)
{
	size_t before = tables->known.count;
	uint16_t number;

	if (unwind_rules_add(&tables->known, rule, &number) || number >= STACK_RULES)
		return UNWIND_UNKNOWN;
	if (tables->known.count != before)
		rule_shorten(rule, &tables->rules[number]);
	return number;
}

static int put_rows(struct kernel_tables *tables, const struct unwind_table *table)
{
	struct kernel_table_row *to = tables->rows + tables->row_count;
	uint16_t *numbers = calloc(table->rule_count + UNWIND_FIRST_RULE, sizeof(*numbers));

	if (!numbers)
		return -ENOMEM;
	numbers[UNWIND_OUTERMOST] = UNWIND_OUTERMOST;
	for (size_t i = UNWIND_FIRST_RULE; i < table->rule_count; i++)
		numbers[i] = number_of(tables, &table->rules[i]);
	for (size_t i = 0; i < table->row_count; i++)
		to[i] = (struct kernel_table_row){
			table->rows[i].offset, numbers[table->rows[i].rule], table->rows[i].back};
	free(numbers);
	return 0;
}

/* The index of the rows from FIRST on, each page of which knows where its own begin. */
static void put_pages(struct kernel_tables *tables, const struct kernel_table *table,
		      uint32_t first, uint32_t count)
{
	const struct kernel_table_row *rows = tables->rows;
	struct kernel_table_page *pages = tables->pages + table->page_base;
	uint32_t row = first, end = first + count;

	for (uint32_t i = 0; i < table->page_count; i++) {
		uint64_t after = table->first_offset + ((uint64_t)(i + 1) << table->page_shift);

		pages[i].low = row;
		while (row + 1 < end && rows[row + 1].offset < after)
			row++;
		pages[i].high = row + 1;
	}
}

static uint32_t state_of(struct kernel_tables *tables, const struct unwind_table *from,
			 struct kernel_table *to)
{
	const struct unwind_row *rows = from->rows;
	uint32_t first = tables->row_count, count = (uint32_t)from->row_count;
	uint32_t span;

	if (!count)
		return KERNEL_TABLE_EMPTY;
	if (from->row_count > tables->most_rows - first) {
		tables->lacking += from->row_count;
		return KERNEL_TABLE_FULL;
	}
	span = rows[count - 1].offset - rows[0].offset;
	to->page_shift = LEAST_PAGE_SHIFT;
	while (span >> to->page_shift > count / ROWS_IN_PAGE)
		to->page_shift++;
	to->first_offset = rows[0].offset;
	to->page_base = tables->page_count;
	to->page_count = (span >> to->page_shift) + 1;
	if (to->page_count > tables->most_pages - tables->page_count)
		return KERNEL_TABLE_FULL;
	if (put_rows(tables, from))
		return KERNEL_TABLE_NONE;
	put_pages(tables, to, first, count);
	tables->row_count += count;
	tables->page_count += to->page_count;
	return KERNEL_TABLE_READY;
}

/* What is in a table is there before it is said to be. */
void kernel_tables_put(struct kernel_tables *tables, uint32_t slot, const struct unwind_table *from)
{
	struct kernel_table *to = &tables->of[slot];
	uint32_t state = state_of(tables, from, to);

	to->word_size = from->word_size;
	__atomic_store_n(&to->state, state, __ATOMIC_RELEASE);
}

/* ---- the maps ---- */

int kernel_tables_configure(const struct engine *engine)
{
	const struct kernel *kernel = engine->kernel;
	uint32_t usual = engine->options.program ? TABLES_MIB : TABLES_MIB_OF_ANY;
	uint32_t mib = engine->options.tables_mib ? engine->options.tables_mib : usual;
	uint32_t rows = mib * ROWS_OF_A_MIB;
	int ret = bpf_map__set_max_entries(kernel->maps.table_rows, rows);

	return ret ? ret
		   : bpf_map__set_max_entries(kernel->maps.table_pages, rows / ROWS_TO_A_PAGE);
}

uint32_t kernel_tables_wanted(const struct kernel_tables *tables)
{
	uint64_t rows = tables->row_count + tables->lacking;

	return tables->lacking ? (uint32_t)(rows / ROWS_OF_A_MIB) + 1 + TABLES_MIB : 0;
}

static void *map_of(const struct bpf_map *map, size_t element)
{
	size_t size = bpf_map__max_entries(map) * ((element + 7) & ~(size_t)7);
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	return at == MAP_FAILED ? NULL : at;
}

static void unmap(const struct bpf_map *map, void *at, size_t element)
{
	if (at)
		munmap(at, bpf_map__max_entries(map) * ((element + 7) & ~(size_t)7));
}

int kernel_tables_map(struct kernel_tables *ret_tables, const struct kernel *kernel)
{
	struct kernel_tables tables = {
		.most_pages = bpf_map__max_entries(kernel->maps.table_pages),
		.most_rows = bpf_map__max_entries(kernel->maps.table_rows),
		.of = map_of(kernel->maps.tables, sizeof(*tables.of)),
		.pages = map_of(kernel->maps.table_pages, sizeof(*tables.pages)),
		.rows = map_of(kernel->maps.table_rows, sizeof(*tables.rows)),
		.rules = map_of(kernel->maps.table_rules, sizeof(*tables.rules)),
	};

	*ret_tables = tables;
	return tables.of && tables.pages && tables.rows && tables.rules ? 0 : -ENOMEM;
}

void kernel_tables_unmap(struct kernel_tables *tables, const struct kernel *kernel)
{
	unmap(kernel->maps.tables, tables->of, sizeof(*tables->of));
	unmap(kernel->maps.table_pages, tables->pages, sizeof(*tables->pages));
	unmap(kernel->maps.table_rows, tables->rows, sizeof(*tables->rows));
	unmap(kernel->maps.table_rules, tables->rules, sizeof(*tables->rules));
	unwind_rules_finish(&tables->known);
	free(tables->known.items);
}
