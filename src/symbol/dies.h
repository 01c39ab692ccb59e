/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "symbol/spans.h"

#include <elfutils/libdw.h>
#include <stdbool.h>

/* Entries of DWARF's trees ("DIEs"). */

#define DIES_DEPTH 256 /* what lies deeper is not visited */

/* Called for each DIE, DEPTH levels below the root's children.  Returns DIES_ENTER to go on with
 * its children, DIES_PASS to go on behind them, or a negative errno to end the walk. */
enum { DIES_PASS, DIES_ENTER };
typedef int dies_visit(void *context, Dwarf_Die *die, size_t depth);

/* Visit the DIEs below ROOT, each after its parent.  A tree that is bent into a loop ends the walk.
 * Returns 0 or what VISIT returned. */
int dies_walk(Dwarf_Die *root, dies_visit *visit, void *context);

/* The name the linker knows DIE by if it has one, the name in the source otherwise; NULL if it is
 * nameless. */
const char *dies_name(Dwarf_Die *die);

/* The number in attribute NAME of DIE itself, 0 when it has none. */
uint64_t dies_number(Dwarf_Die *die, unsigned int name);

/* The source line where what DIE describes is declared, 0 when unknown. */
uint32_t dies_declared(Dwarf_Die *die);

/* Does DIE say itself at which addresses its code is? */
bool dies_has_code(Dwarf_Die *die);

/* Add the address ranges of DIE to SPANS; those that begin outside CODE are left out, unless CODE
 * is NULL.  Returns 0 or -ENOMEM. */
int dies_add_ranges(Dwarf_Die *die, const struct spans *code, uint32_t rank, uint64_t value,
		    struct spans *spans);
