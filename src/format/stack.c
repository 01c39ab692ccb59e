// SPDX-License-Identifier: BSD-2-Clause
#include "format/stack.h"

#include "base/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add(struct stack *stack, uint32_t location, bool is_call)
{
	if (ARRAY_RESERVE(stack->frames, stack->capacity, stack->count + 1))
		return -ENOMEM;
	stack->frames[stack->count++] = (struct stack_frame){location, is_call};
	return 0;
}

int stack_fill(struct stack *stack, const struct profile *profile, const struct profile_cell *cell)
{
	uint32_t context = cell->context;
	int ret;

	stack->count = 0;
	ret = add(stack, cell->location, /* is_call= */ false);
	while (context && ret >= 0) {
		const struct profile_context *call = &profile->contexts[context - 1];

		ret = add(stack, call->location, !call->interrupted);
		context = call->parent;
	}
	for (size_t i = 0; i < stack->count / 2; i++) {
		struct stack_frame *other = &stack->frames[stack->count - 1 - i];
		struct stack_frame frame = stack->frames[i];

		stack->frames[i] = *other;
		*other = frame;
	}
	return ret;
}

void stack_done(struct stack *stack)
{
	free(stack->frames);
	*stack = (struct stack){0};
}

struct stack_cut stack_cut_name(const struct profile_cell *cell)
{
	struct stack_cut name;

	(void)snprintf(name.text, sizeof(name.text), "[truncated: %s]",
		       stack_end_text(cell->stack_end));
	return name;
}

enum stack_end stack_cut_end(const char *name, size_t size)
{
	for (int end = STACK_NONE + 1; end < STACK_ENDS; end++) {
		const struct profile_cell cell = {.stack_end = (enum stack_end)end};
		struct stack_cut cut = stack_cut_name(&cell);

		if (strlen(cut.text) == size && !memcmp(cut.text, name, size))
			return cell.stack_end;
	}
	return STACK_NONE;
}
