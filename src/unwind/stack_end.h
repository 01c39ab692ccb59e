/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "histogram/histogram.h"
#include "unwind/walk.h"

/* What a sample's call stack ends with, where the walk up it has ended with END.  Signal-safe. */
static inline enum stack_end stack_end_of(enum unwind_end end)
{
	switch (end) {
	case UNWIND_WHOLE:
		return STACK_WHOLE;
	case UNWIND_NO_TABLE:
		return STACK_NO_TABLE;
	case UNWIND_TOO_DEEP:
		return STACK_TOO_DEEP;
	case UNWIND_NOT_READABLE:
		return STACK_NOT_READABLE;
	default:
		return STACK_NO_RULE;
	}
}
