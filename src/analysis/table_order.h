/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/table.h"

/* The rows of TABLE by what they have, then by what they are, so that the order is total. */
void table_put_in_order(struct table *table, bool by_total);
