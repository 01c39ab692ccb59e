// SPDX-License-Identifier: BSD-2-Clause
#include "engine/kernel/rule.h"

#include <stdbool.h>
#include <string.h>

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

void rule_shorten(const struct unwind_rule *rule, struct kernel_rule *ret_rule)
{
	struct kernel_rule shortened = {.cfa = rule->cfa_offset, .kind = KERNEL_RULE_SLOW};
	int16_t ip;

	memcpy(shortened.whole, rule, sizeof(*rule));
	if (rule->flags & UNWIND_SIGNAL)
		shortened.kind = KERNEL_RULE_SIGNAL;
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
