// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/tree.h"
#include "view/section.h"

/* The account of call stacks: each sample's is whole, or was cut for one reason; so is each part of
 * a value. */

struct text_number section_amount(const struct section *section, uint64_t ticks)
{
	return section->is_time ? text_time(ticks) : text_count(ticks);
}

void paths_print(const struct section *section)
{
	uint64_t total = 0, ends[STACK_ENDS], whole, cut;

	tree_ends(section->profile, ends);
	for (int i = 0; i < STACK_ENDS; i++)
		total = ticks_add(total, ends[i]);
	whole = ticks_add(ends[STACK_WHOLE], ends[STACK_INTERPRETED]);
	cut = total - whole - ends[STACK_NONE];
	(void)fprintf(
		section->out, "%s %s%s = %s with the whole call stack",
		section_amount(section, total).text, section->value ? section->value : "sample",
		section->value ? "" : text_plural(total), section_amount(section, whole).text);
	if (ends[STACK_NONE])
		(void)fprintf(section->out, " + %s without one",
			      section_amount(section, ends[STACK_NONE]).text);
	if (cut)
		(void)fprintf(section->out, " + %s cut", section_amount(section, cut).text);
	(void)fprintf(section->out, "%s\n", whole < total ? ": totals are lower bounds" : "");
}

void paths_print_reasons(const struct section *section)
{
	const char *begin = section->style->form == REPORT_MARKDOWN ? "- " : "  ";
	uint64_t ends[STACK_ENDS];

	tree_ends(section->profile, ends);
	for (int i = STACK_WHOLE + 1; i < STACK_ENDS; i++)
		if (ends[i])
			(void)fprintf(section->out, "%s%s %s%s\n", begin,
				      section_amount(section, ends[i]).text,
				      stack_end_is_cut((enum stack_end)i) ? "cut: " : "",
				      stack_end_text((enum stack_end)i));
}

void paths_json(const struct section *section, struct json *json)
{
	uint64_t ends[STACK_ENDS];

	tree_ends(section->profile, ends);
	json_open_object(json, "stacks", /* lines= */ false);
	for (int i = 0; i < STACK_ENDS; i++)
		if (ends[i] || i == STACK_WHOLE)
			json_add_count(json, stack_end_name((enum stack_end)i), ends[i]);
	json_close(json);
}
