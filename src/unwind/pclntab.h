/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "unwind/cfi.h"

/* Go's own table of functions (.gopclntab, as Go 1.18 and later write it): for each instruction how
 * far the stack pointer has moved since the function began. */

struct pclntab {
	const struct unwind_section *section; /* the caller's */
	uint64_t text;			      /* what offsets of code are from */
	uint64_t functions, count;	      /* where they are listed, and how many */
	uint64_t names, moves;		      /* where what they refer to begins */
	unsigned step;			      /* bytes of an instruction at least */
	/* Of what switches stacks: how far into its code it does, and is back, and from where on it
	 * is not known; 0: nothing is. */
	struct pclntab_switch {
		uint64_t leaves, returns, ends;
	} switches[4];
	struct unwind_rule other; /* to the goroutine's stack; without flags: not known */
};

/* False where SECTION has none, or one that is not understood. */
bool pclntab_open(const struct unwind_section *section, struct pclntab *ret_table);

struct pclntab_function {
	uint64_t start, end; /* half open, not empty */
	struct bytes moves;  /* of the stack pointer */
	uint64_t name;	     /* pclntab_name() */
	uint8_t flags;
	uint8_t role; /* enum pclntab_role */
};

/* The INDEXth function of TABLE; false where it is damaged. */
bool pclntab_function(const struct pclntab *table, uint64_t index,
		      struct pclntab_function *ret_function);

/* How FUNCTION is called; "" where the table does not say. */
const char *pclntab_name(const struct pclntab *table, const struct pclntab_function *function);

/* The next function from *INDEX on that switches to the thread's own stack, *INDEX being behind it
 * then; false: there is none.  Its code, SIZE bytes, tells where the runtime notes down what it has
 * left. */
bool pclntab_switch(const struct pclntab *table, uint64_t *index,
		    struct pclntab_function *ret_function);
void pclntab_learn(struct pclntab *table, const struct pclntab_function *function,
		   const uint8_t *code, size_t size);

/* The rules of FUNCTION, as unwind_rows() has them. */
int pclntab_rows(const struct pclntab *table, const struct pclntab_function *function,
		 unwind_row_fn *take, void *context);
