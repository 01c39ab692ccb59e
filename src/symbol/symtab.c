// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/symtab.h"

#include "symbol/section.h"
#include "unwind/pclntab.h"

#include <errno.h>
#include <string.h>

/* What makes one of several symbols at one address the better one, strongest first. */
enum {
	RANK_SIZED = 8,
	RANK_FUNCTION = 4,
	RANK_GLOBAL = 2,
	RANK_WEAK = 1,
};

static bool is_code(const GElf_Sym *symbol, const char *name)
{
	switch (GELF_ST_TYPE(symbol->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_NOTYPE:
		/* '$' marks ARM and RISC-V mapping symbols, '.' labels that are a compiler's own.
		 */
		return name[0] != '$' && name[0] != '.';
	default:
		return false;
	}
}

static uint32_t rank_of(const GElf_Sym *symbol)
{
	uint32_t rank = symbol->st_size ? RANK_SIZED : 0;

	if (GELF_ST_TYPE(symbol->st_info) != STT_NOTYPE)
		rank += RANK_FUNCTION;
	if (GELF_ST_BIND(symbol->st_info) == STB_WEAK)
		rank += RANK_WEAK;
	else if (GELF_ST_BIND(symbol->st_info) != STB_LOCAL)
		rank += RANK_GLOBAL;
	return rank;
}

static const char *name_of(const struct span *span)
{
	return (const char *)(uintptr_t)span->value;
}

int symtab_add(struct symtab *symtab, const struct spans *code, uint64_t address,
	       const GElf_Sym *symbol, const char *name)
{
	const struct span *section = spans_find(code, address);
	uint64_t end;

	if (!section || !name || !name[0] || !is_code(symbol, name))
		return 0;
	end = section->end;
	if (symbol->st_size && symbol->st_size < end - address)
		end = address + symbol->st_size;
	return spans_add(&symtab->spans, address, end, rank_of(symbol), (uintptr_t)name);
}

int symtab_read(struct symtab *symtab, const struct spans *code, Dwfl_Module *module,
		GElf_Addr bias)
{
	int count = dwfl_module_getsymtab(module);

	for (int i = 1; i < count; i++) {
		GElf_Addr address;
		GElf_Sym symbol;
		GElf_Word section;
		const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, &section,
							   /* elf= */ NULL, /* bias= */ NULL);

		if (!name || section == SHN_UNDEF || section == SHN_ABS || section == (GElf_Word)-1)
			continue;
		if (symtab_add(symtab, code, address - bias, &symbol, name))
			return -ENOMEM;
	}
	return 0;
}

int symtab_read_go(struct symtab *symtab, const struct spans *code, Elf *elf)
{
	GElf_Shdr header;
	Elf_Scn *found = section_find(elf, ".gopclntab", &header);
	struct unwind_section section;
	struct pclntab_function function;
	struct pclntab table;
	Elf_Data *data;

	if (!found)
		found = section_find(elf, ".data.rel.ro.gopclntab", &header);
	data = found && !section_find(elf, ".symtab", &header) ? elf_rawdata(found, NULL) : NULL;
	if (!data)
		return 0;
	section = (struct unwind_section){.data = data->d_buf, .size = data->d_size};
	if (!pclntab_open(&section, &table))
		return 0;
	for (uint64_t i = 0; i < table.count; i++) {
		if (!pclntab_function(&table, i, &function))
			continue;
		if (symtab_add(symtab, code, function.start,
			       &(GElf_Sym){.st_info = GELF_ST_INFO(STB_LOCAL, STT_FUNC),
					   .st_size = function.end - function.start},
			       pclntab_name(&table, &function)))
			return -ENOMEM;
	}
	return 0;
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

int symtab_better_name(const char *a, const char *b)
{
	/* "malloc" rather than "__libc_malloc", "read" rather than "__read". */
	size_t length_a = strlen(a), length_b = strlen(b);

	if (underscores(a) != underscores(b))
		return underscores(a) < underscores(b) ? 1 : -1;
	if (length_a != length_b)
		return length_a < length_b ? 1 : -1;
	return strcmp(b, a);
}

static int better(const struct span *a, const struct span *b)
{
	if (a->rank != b->rank)
		return a->rank > b->rank ? 1 : -1;
	return symtab_better_name(name_of(a), name_of(b));
}

/* End the symbols FIRST to LAST, which start together, where they have no size: at NEXT, where the
 * next symbol starts, unless a symbol with a size holds them (REACH is how far those go so far). */
static void bound_group(struct span *first, const struct span *last, uint64_t next, uint64_t reach)
{
	bool is_held = first->start < reach || last->rank & RANK_SIZED;

	for (struct span *span = first; span <= last; span++) {
		if (span->rank & RANK_SIZED)
			continue;
		if (is_held)
			span->end = span->start;
		else if (span->end > next)
			span->end = next;
	}
}

static void bound_sizeless(struct spans *spans)
{
	uint64_t reach = 0;
	size_t next;

	for (size_t i = 0; i < spans->count; i = next) {
		uint64_t start = spans->items[i].start;

		next = i;
		while (next < spans->count && spans->items[next].start == start)
			next++;
		bound_group(&spans->items[i], &spans->items[next - 1],
			    next < spans->count ? spans->items[next].start : UINT64_MAX, reach);
		for (size_t k = i; k < next; k++)
			if (spans->items[k].rank & RANK_SIZED && spans->items[k].end > reach)
				reach = spans->items[k].end;
	}
}

int symtab_finish(struct symtab *symtab)
{
	spans_sort(&symtab->spans, better);
	bound_sizeless(&symtab->spans);
	return spans_finish(&symtab->spans, better);
}

bool symtab_find(const struct symtab *symtab, uint64_t address, struct symtab_entry *ret_entry)
{
	const struct span *span = spans_find(&symtab->spans, address);

	if (!span)
		return false;
	*ret_entry = (struct symtab_entry){
		.name = name_of(span),
		.start = span->start,
		.has_no_end = !(span->rank & RANK_SIZED),
	};
	return true;
}

void symtab_done(struct symtab *symtab)
{
	spans_done(&symtab->spans);
}
