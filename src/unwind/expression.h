/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "unwind/cfi.h"

/* DWARF expressions can compute anything; what compilers, linkers and C libraries write are a few
 * forms.  Each returns false where EXPRESSION is another. */

/* The CFA: [register + offset] + addend, or register + offset and a word more in a stub's second
 * half.  Sets the CFA's fields of RULE. */
bool expression_cfa(const struct unwind_machine *machine, struct bytes expression,
		    struct unwind_rule *rule);

/* Where a register was saved: at the stack or frame pointer + offset. */
bool expression_place(const struct unwind_machine *machine, struct bytes expression,
		      struct unwind_place *place);

/* DWARF's number of a register as an enum unwind_register. */
unsigned unwind_register(const struct unwind_machine *machine, uint64_t number);
