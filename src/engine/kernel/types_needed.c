// SPDX-License-Identifier: BSD-2-Clause
/* The part of the kernel's types that one program asks for. */
#include "engine/kernel/types.h"

#include <errno.h>
#include <string.h>

#define MOST_ALIKE \
	4 /* structures of a program that are one of the kernel's, in its several times */
#define MOST_WITHIN 8 /* structures within structures */

struct copying {
	const struct types *kernel;
	const struct btf *program;
	struct btf *to;
};

/* What the program knows of one structure of the kernel's. */
struct known {
	const struct btf_type *types[MOST_ALIKE];
	size_t count;
};

static const char *program_name(const struct copying *copying, uint32_t offset)
{
	const char *name = btf__name_by_offset(copying->program, offset);

	return name ? name : "";
}

/* As libbpf has it: what is behind three low lines tells two of one name apart. */
static bool is_same_name(const char *kernels, const char *programs)
{
	size_t length = strlen(kernels);

	return !strncmp(kernels, programs, length) &&
	       (!programs[length] || !strncmp(programs + length, "___", 3));
}

static const struct btf_type *program_bare(const struct copying *copying, uint32_t number)
{
	int bare = btf__resolve_type(copying->program, number);

	return bare < 0 ? NULL : btf__type_by_id(copying->program, (uint32_t)bare);
}

/* Whether the program knows the member NAME; where it is a structure there, too, *RET_WITHIN is
 * what is known of that one. */
static bool is_known(const struct copying *copying, const struct known *known, const char *name,
		     struct known *ret_within)
{
	bool found = false;

	*ret_within = (struct known){0};
	for (size_t i = 0; i < known->count; i++) {
		const struct btf_member *members = btf_members(known->types[i]);

		for (uint32_t j = 0; j < btf_vlen(known->types[i]); j++) {
			const struct btf_type *type;

			if (strcmp(program_name(copying, members[j].name_off), name) != 0)
				continue;
			found = true;
			type = program_bare(copying, members[j].type);
			if (type && btf_is_composite(type) && ret_within->count < MOST_ALIKE)
				ret_within->types[ret_within->count++] = type;
		}
	}
	return found;
}

static int copy_structure(struct copying *copying, const struct btf_type *type, const char *name,
			  const struct known *known, int depth);

/* Add the bare type NUMBER, of which WITHIN is known.  Returns its number, or -errno. */
static int copy_type(struct copying *copying, uint32_t number, const struct known *within,
		     int depth)
{
	const struct btf_type *type = types_bare(copying->kernel, number);
	int inner;

	if (!type)
		return -EBADMSG;
	switch (btf_kind(type)) {
	case BTF_KIND_INT:
		return btf__add_int(copying->to, "number", type->size, btf_int_encoding(type));
	case BTF_KIND_ENUM:
		return btf__add_enum(copying->to, NULL, type->size);
	case BTF_KIND_ENUM64:
		return btf__add_enum64(copying->to, NULL, type->size, /* is_signed= */ false);
	case BTF_KIND_PTR:
		return btf__add_ptr(copying->to, /* void= */ 0);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return copy_structure(copying, type, NULL, within, depth + 1);
	case BTF_KIND_ARRAY:
		if (depth > MOST_WITHIN)
			return -EBADMSG;
		inner = copy_type(copying, btf_array(type)->type, within, depth + 1);
		return inner < 0
			       ? inner
			       : btf__add_array(copying->to, inner, inner, btf_array(type)->nelems);
	default:
		return -ENOENT;
	}
}

struct field {
	const char *name;
	int type;
	uint32_t offset, bits;
};

#define MOST_FIELDS 64

/* What a structure is to have of MEMBER.  Returns 1 and the field, 0: nothing; or -errno. */
static int copy_member(struct copying *copying, const struct btf_type *type, uint32_t index,
		       const struct known *known, int depth, struct field *ret_field)
{
	const struct btf_member *member = btf_members(type) + index;
	const char *name = types_name(copying->kernel, member->name_off);
	struct known within = *known;

	*ret_field = (struct field){
		.name = *name ? name : NULL,
		.offset = btf_member_bit_offset(type, index),
		.bits = btf_member_bitfield_size(type, index),
	};
	if (*name) {
		if (!is_known(copying, known, name, &within))
			return 0;
	} else {
		const struct btf_type *nameless = types_bare(copying->kernel, member->type);

		if (!nameless || !btf_is_composite(nameless))
			return 0;
	}
	ret_field->type = copy_type(copying, member->type, &within, depth);
	return ret_field->type < 0 ? ret_field->type : 1;
}

/* What is within a structure is added before it. */
static int copy_structure(struct copying *copying, const struct btf_type *type, const char *name,
			  const struct known *known, int depth)
{
	struct field fields[MOST_FIELDS];
	size_t count = 0;
	int number, ret;

	if (depth > MOST_WITHIN)
		return -EBADMSG;
	for (uint32_t i = 0; i < btf_vlen(type); i++) {
		if (count == MOST_FIELDS)
			return -E2BIG;
		ret = copy_member(copying, type, i, known, depth, &fields[count]);
		if (ret < 0)
			return ret;
		count += (size_t)ret;
	}
	number = btf_is_union(type) ? btf__add_union(copying->to, name, type->size)
				    : btf__add_struct(copying->to, name, type->size);
	for (size_t i = 0; i < count && number >= 0; i++) {
		ret = btf__add_field(copying->to, fields[i].name, fields[i].type, fields[i].offset,
				     fields[i].bits);
		if (ret < 0)
			return ret;
	}
	return number;
}

#define MOST_STRUCTURES 256

/* The structures that the program knows by name. */
struct structures {
	const struct btf_type *types[MOST_STRUCTURES];
	const char *names[MOST_STRUCTURES];
	size_t count;
};

static int list_structures(const struct copying *copying, struct structures *structures)
{
	structures->count = 0;
	for (uint32_t i = 1; i < btf__type_cnt(copying->program); i++) {
		const struct btf_type *type = btf__type_by_id(copying->program, i);
		const char *name = program_name(copying, type->name_off);

		if (!btf_is_composite(type) || !*name)
			continue;
		if (structures->count == MOST_STRUCTURES)
			return -E2BIG;
		structures->types[structures->count] = type;
		structures->names[structures->count++] = name;
	}
	return 0;
}

/* Those of them that are called NAME. */
static void find_known(const struct structures *structures, const char *name,
		       struct known *ret_known)
{
	ret_known->count = 0;
	for (size_t i = 0; i < structures->count && ret_known->count < MOST_ALIKE; i++)
		if (*structures->names[i] == *name && is_same_name(name, structures->names[i]))
			ret_known->types[ret_known->count++] = structures->types[i];
}

static int copy_all(struct copying *copying)
{
	struct structures structures;
	int ret = list_structures(copying, &structures);

	for (uint32_t i = 1; i < copying->kernel->count && ret >= 0; i++) {
		const struct btf_type *type = copying->kernel->list[i];
		const char *name = types_name(copying->kernel, type->name_off);
		struct known known;

		if (!btf_is_composite(type) || !*name)
			continue;
		find_known(&structures, name, &known);
		if (known.count)
			ret = copy_structure(copying, type, name, &known, /* depth= */ 0);
	}
	return ret < 0 ? ret : 0;
}

struct btf *types_needed(const struct types *kernel, const struct btf *program)
{
	struct copying copying = {kernel, program, btf__new_empty()};

	if (!copying.to || !copy_all(&copying))
		return copying.to;
	btf__free(copying.to);
	return NULL;
}
