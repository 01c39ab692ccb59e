// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/units.h"

#include "base/array.h"
#include "symbol/dies.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

static int add_unit(struct units *units, const Dwarf_Die *die, const struct spans *code)
{
	size_t known = units->ranges.count;
	Dwarf_Die copy = *die;

	if (dies_add_ranges(&copy, code, /* rank= */ 0, units->count, &units->ranges))
		return -ENOMEM;
	if (units->ranges.count == known)
		return 0;
	if (ARRAY_RESERVE(units->items, units->capacity, units->count + 1))
		return -ENOMEM;
	units->items[units->count++] = (struct unit){.die = *die};
	return 0;
}

int units_read(struct units *units, Dwarf *dwarf, const struct spans *code)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	*units = (struct units){0};
	while (!dwarf_get_units(dwarf, unit, &unit, /* version= */ NULL, /* type= */ NULL, &die,
				/* subdie= */ NULL)) {
		if (dwarf_tag(&die) != DW_TAG_compile_unit &&
		    dwarf_tag(&die) != DW_TAG_skeleton_unit)
			continue;
		if (add_unit(units, &die, code))
			return -ENOMEM;
	}
	return spans_finish(&units->ranges, spans_by_rank);
}

struct unit *units_find(struct units *units, uint64_t address)
{
	const struct span *span = spans_find(&units->ranges, address);

	return span ? &units->items[span->value] : NULL;
}

static int visit(void *context, Dwarf_Die *die, size_t depth)
{
	struct unit *unit = context;
	int result;

	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		if (!dies_has_code(die))
			return DIES_PASS;
		result = dies_add_ranges(die, /* code= */ NULL, /* rank= */ 0, (uintptr_t)die->addr,
					 &unit->functions);
		return result ? result : DIES_PASS;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_interface_type:
		return DIES_ENTER;
	default:
		return DIES_PASS;
	}
}

static int read_functions(struct unit *unit)
{
	int result;

	unit->is_read = true;
	/* Only now, for this is what opens a .dwo file. */
	if (dwarf_cu_info(unit->die.cu, NULL, NULL, NULL, &unit->tree, NULL, NULL, NULL) ||
	    dwarf_tag(&unit->tree) != DW_TAG_compile_unit)
		unit->tree = unit->die;
	result = dies_walk(&unit->tree, visit, unit);
	return result ? result : spans_finish(&unit->functions, spans_by_rank);
}

int unit_function(struct unit *unit, uint64_t address, Dwarf_Die *ret_function)
{
	const struct span *span;

	if (!unit->is_read && read_functions(unit))
		return -ENOMEM;
	span = spans_find(&unit->functions, address);
	if (!span)
		return 0;
	/* libdw finds the rest of a DIE from these two when it needs it. */
	*ret_function = (Dwarf_Die){.addr = (void *)(uintptr_t)span->value, .cu = unit->tree.cu};
	return 1;
}

void units_done(struct units *units)
{
	for (size_t i = 0; i < units->count; i++)
		spans_done(&units->items[i].functions);
	free(units->items);
	spans_done(&units->ranges);
	*units = (struct units){0};
}
