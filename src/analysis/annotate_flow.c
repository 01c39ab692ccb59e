// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/annotate_private.h"

#include "analysis/interval.h"
#include "base/array.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t annotate_find_row(const struct annotation *annotation, uint64_t address)
{
	size_t behind = ARRAY_FIRST_NOT(i, annotation->row_count,
					annotation->rows[i].instruction.address <= address);

	return behind ? (uint32_t)behind - 1 : 0;
}

static uint32_t target_of(const struct annotation *annotation, const struct instruction *from)
{
	uint32_t row;

	if (!from->has_target || from->target < annotation->start ||
	    from->target >= annotation->end)
		return GRAPH_NONE;
	row = annotate_find_row(annotation, from->target);
	return annotation->rows[row].instruction.address == from->target ? row : GRAPH_NONE;
}

/* What a call, or a jump out of the function, goes to. */
static int name_callee(struct annotation *annotation, struct code *code, struct annotated_row *row)
{
	uint64_t target = row->instruction.target;
	struct code_function function;
	char text[512];
	uint32_t id;
	int ret;

	if (!row->instruction.has_target ||
	    (target >= annotation->start && target < annotation->end))
		return 0;
	ret = code_function_at(code, target, &function);
	if (ret <= 0)
		return ret;
	(void)snprintf(text, sizeof(text),
		       target == function.start ? "%.400s" : "%.400s+0x%" PRIx64, function.name,
		       target - function.start);
	ret = strings_add(annotation->texts, text, strlen(text), &id);
	row->callee = strings_get(annotation->texts, id);
	return ret;
}

int annotate_flow(struct annotation *annotation, struct code *code)
{
	uint32_t count = (uint32_t)annotation->row_count;
	uint64_t *ticks = calloc(annotation->row_count + 1, sizeof(*ticks));
	int ret = 0;

	annotation->steps = calloc(annotation->row_count + 1, sizeof(*annotation->steps));
	if (!ticks || !annotation->steps)
		ret = -ENOMEM;
	for (uint32_t i = 0; i < count && !ret; i++) {
		const struct instruction *instruction = &annotation->rows[i].instruction;

		ticks[i] = annotation->rows[i].ticks;
		annotation->steps[i] =
			(struct step){instruction->flow, target_of(annotation, instruction)};
		ret = name_callee(annotation, code, &annotation->rows[i]);
	}
	if (!ret)
		ret = loops_find(annotation->steps, ticks, count, &annotation->loops);
	free(ticks);
	return ret;
}

bool annotate_is_precise(const char *event)
{
	const char *modifiers = strrchr(event, ':');

	return modifiers && (strstr(modifiers, "pp") || strchr(modifiers, 'P'));
}

void annotate_skids(struct annotated_row *rows, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const struct annotated_row *above = &rows[i - 1];
		uint64_t both = above->ticks + rows[i].ticks;

		rows[i].skid = above->instruction.slow && above->instruction.flow != FLOW_JUMP &&
			       above->instruction.flow != FLOW_END && both &&
			       interval_of_share(rows[i].ticks, both).low > 0.5;
	}
}
