/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/btf.h>

/* The kernel's own types (BTF), looked at where they lie.  libbpf would copy and check all of them,
 * and compare each one's name with those a program knows, one after the other: most of what a
 * measurement took to begin. */
struct types {
	void *data; /* all of the file */
	size_t size;
	const char *names;
	uint32_t names_size;
	const struct btf_type **list; /* by number, from 1 on */
	uint32_t count;		      /* of them, and nobody's 0 */
};

/* Returns 0 and what types_done() takes, or -errno; -EBADMSG for what are no types. */
int types_read(const char *path, struct types *ret_types);
void types_done(struct types *types);

/* NULL where there is none of that number. */
const struct btf_type *types_at(const struct types *types, uint32_t number);

/* What is behind const, typedef and the like. */
const struct btf_type *types_bare(const struct types *types, uint32_t number);

const char *types_name(const struct types *types, uint32_t offset);

/* The number of the type of KIND called NAME; 0: there is none. */
uint32_t types_find(const struct types *types, uint32_t kind, const char *name);

/* Of the structures that PROGRAM (its own types) knows by name, what KERNEL has of their members:
 * all that libbpf has to know of the kernel to move each access to where the member is there.
 * NULL when memory is short. */
struct btf *types_needed(const struct types *kernel, const struct btf *program);
