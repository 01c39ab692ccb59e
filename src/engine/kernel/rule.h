/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/kernel/stacks.h"
#include "unwind/table.h"

/* RULE as the BPF program reads it: whole, and where it is of a common kind, short. */
void rule_shorten(const struct unwind_rule *rule, struct kernel_rule *ret_rule);
