/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The parts of a function's name, as demanglers and runtimes write it: C++, Rust, Go, Java. */

/* "return-type outer::inner::own(parameters) suffix" */
struct function_name {
	const char *text;
	bool dotted;		   /* Go, Java: parts are apart by '.', not by "::" */
	size_t path;		   /* of Go: where the last part of the package's path begins */
	size_t operated;	   /* where the last operator's name ends: "operator<" */
	size_t begin, params, end; /* behind the return type; of the parameters, else END; behind */
	size_t *parts;		   /* where each begins, its separator with it; heap */
	size_t part_count, part_capacity;
};

/* Take TEXT, which must stay, apart.  Returns 0; -EINVAL when it is no name of a function as one of
 * those languages writes it; -ENOMEM.  In each case the caller frees its parts. */
int name_parse(const char *text, struct function_name *name);

bool name_begins(const char *text, const char *with);
bool name_is_word(char c);

/* How long the operator's name at AT is, which must be a word of its own: "operator<=>", "operator
 * new[]", "operator bool"; 0 when there is none. */
size_t name_operator(const char *text, size_t at);

/* How long the brackets are that TEXT begins with, all that is in them included; 0 when they are
 * not closed.  '<' and '>' may be signs, too: "(2>1)", "fn() -> u8". */
size_t name_group(const char *text);

/* Whether brackets at AT are arguments of what stands before them, and no name themselves, as in
 * "(anonymous namespace)::f", "<T as Trait>::f", "p.(*T).f". */
bool name_is_arguments(const struct function_name *name, size_t at);

/* The qualifiers behind the parameters of a function: " const", " &". */
size_t name_qualifiers(const char *text);

/* How long what is between two parts is, if TEXT, which is in NAME, begins with it; else 0. */
size_t name_separator(const struct function_name *name, const char *text);
