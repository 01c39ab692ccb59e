// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/dies.h"

#include <dwarf.h>
#include <errno.h>

/* Ranges a DIE may have before it is taken for nonsense. */
#define RANGES_MAX 100000

int dies_walk(Dwarf_Die *root, dies_visit *visit, void *context)
{
	Dwarf_Die path[DIES_DEPTH];
	const char *last = root->addr;
	size_t depth = 0;

	if (dwarf_child(root, &path[0]))
		return 0;
	for (;;) {
		int answer;

		/* Parents stand before children and elder siblings before younger ones, so a walk
		 * that steps back is in a loop. */
		if ((const char *)path[depth].addr <= last)
			return 0;
		last = path[depth].addr;
		answer = visit(context, &path[depth], depth);
		if (answer < 0)
			return answer;
		if (answer == DIES_ENTER && depth + 1 < DIES_DEPTH &&
		    !dwarf_child(&path[depth], &path[depth + 1])) {
			depth++;
			continue;
		}
		while (dwarf_siblingof(&path[depth], &path[depth]))
			if (!depth--)
				return 0;
	}
}

const char *dies_name(Dwarf_Die *die)
{
	static const unsigned int linkage[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name};
	Dwarf_Attribute attribute;

	for (size_t i = 0; i < sizeof(linkage) / sizeof(linkage[0]); i++) {
		const char *name =
			dwarf_formstring(dwarf_attr_integrate(die, linkage[i], &attribute));

		if (name && name[0])
			return name;
	}
	return dwarf_diename(die);
}

uint64_t dies_number(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (dwarf_formudata(dwarf_attr(die, name, &attribute), &value))
		return 0;
	return value;
}

uint32_t dies_declared(Dwarf_Die *die)
{
	int line;

	return !dwarf_decl_line(die, &line) && line > 0 ? (uint32_t)line : 0;
}

bool dies_has_code(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
}

int dies_add_ranges(Dwarf_Die *die, const struct spans *code, uint32_t rank, uint64_t value,
		    struct spans *spans)
{
	Dwarf_Addr base = 0, start, end;
	ptrdiff_t offset = 0;

	for (size_t i = 0; i < RANGES_MAX; i++) {
		offset = dwarf_ranges(die, offset, &base, &start, &end);
		if (offset <= 0)
			break;
		/* Functions the linker threw away are left behind at address 0 or so. */
		if (code && !spans_find(code, start))
			continue;
		if (spans_add(spans, start, end, rank, value))
			return -ENOMEM;
	}
	return 0;
}
