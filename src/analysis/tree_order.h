/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/tree.h"

/* Parts of tree_build(). */

/* Nodes that have their parents before them, self and total: put each behind its parent, most
 * samples first, and say depths and ends.  Returns 0 or -ENOMEM. */
int tree_put_in_order(struct tree *tree);

/* The sums of COUNT functions, of nodes in order.  Returns 0 or -ENOMEM. */
int tree_sum_up(struct tree *tree, uint32_t count);
