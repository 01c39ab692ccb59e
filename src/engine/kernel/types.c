// SPDX-License-Identifier: BSD-2-Clause
#include "engine/kernel/types.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_BYTES (1u << 30)

/* Read FD into memory of its own, SIZE bytes. */
static int copy_file(int fd, void *data, size_t size)
{
	for (size_t at = 0; at < size;) {
		ssize_t got = read(fd, (char *)data + at, size - at);

		if (got < 0)
			return -errno;
		if (!got)
			return -EBADMSG;
		at += (size_t)got;
	}
	return 0;
}

/* Since Linux 6.16 the kernel's own copy can be mapped. */
static int get_file(int fd, struct types *types)
{
	struct stat status;

	if (fstat(fd, &status))
		return -errno;
	if (status.st_size <= 0 || status.st_size > MOST_BYTES)
		return -EBADMSG;
	types->size = (size_t)status.st_size;
	types->data = mmap(NULL, types->size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (types->data != MAP_FAILED)
		return 0;
	types->data = mmap(NULL, types->size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (types->data == MAP_FAILED) {
		types->data = NULL;
		return -ENOMEM;
	}
	return copy_file(fd, types->data, types->size);
}

/* What stands behind a type's head; SIZE_MAX: not known. */
static size_t tail_of(const struct btf_type *type)
{
	switch (btf_kind(type)) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	case BTF_KIND_INT:
		return sizeof(uint32_t);
	case BTF_KIND_VAR:
		return sizeof(struct btf_var);
	case BTF_KIND_DECL_TAG:
		return sizeof(struct btf_decl_tag);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return btf_vlen(type) * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return btf_vlen(type) * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return btf_vlen(type) * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return btf_vlen(type) * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return btf_vlen(type) * sizeof(struct btf_var_secinfo);
	default:
		return SIZE_MAX;
	}
}

/* List the types from AT to END. */
static int list_types(struct types *types, const char *at, const char *end)
{
	size_t most = (size_t)(end - at) / sizeof(struct btf_type) + 1;

	types->list = calloc(most, sizeof(*types->list)); /* what is not used is not touched */
	if (!types->list)
		return -ENOMEM;
	types->count = 1;
	while (at < end) {
		const struct btf_type *type = (const struct btf_type *)at;
		size_t left = (size_t)(end - at), tail;

		if (left < sizeof(*type))
			return -EBADMSG;
		tail = tail_of(type);
		if (tail > left - sizeof(*type))
			return -EBADMSG;
		types->list[types->count++] = type;
		at += sizeof(*type) + tail;
	}
	return 0;
}

static int list_all(struct types *types)
{
	const struct btf_header *head = types->data;
	const char *body;
	size_t left;

	if (types->size < sizeof(*head) || head->magic != BTF_MAGIC ||
	    head->hdr_len < sizeof(*head) || head->hdr_len > types->size || head->hdr_len % 4)
		return -EBADMSG;
	body = (const char *)types->data + head->hdr_len;
	left = types->size - head->hdr_len;
	if (head->type_off > left || head->type_len > left - head->type_off || head->type_off % 4 ||
	    head->str_off > left || head->str_len > left - head->str_off || !head->str_len)
		return -EBADMSG;
	types->names = body + head->str_off;
	types->names_size = head->str_len;
	if (types->names[types->names_size - 1])
		return -EBADMSG;
	return list_types(types, body + head->type_off, body + head->type_off + head->type_len);
}

int types_read(const char *path, struct types *ret_types)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;
	struct types types = {0};

	if (fd < 0)
		return -errno;
	ret = get_file(fd, &types);
	close(fd);
	if (!ret)
		ret = list_all(&types);
	if (ret) {
		types_done(&types);
		return ret;
	}
	*ret_types = types;
	return 0;
}

void types_done(struct types *types)
{
	if (types->data)
		munmap(types->data, types->size);
	free(types->list);
	*types = (struct types){0};
}

const struct btf_type *types_at(const struct types *types, uint32_t number)
{
	return number && number < types->count ? types->list[number] : NULL;
}

/* A chain longer than this is none of a compiler's. */
#define MOST_NAMES 32

const struct btf_type *types_bare(const struct types *types, uint32_t number)
{
	const struct btf_type *type = types_at(types, number);

	for (int i = 0; type && i < MOST_NAMES; i++) {
		if (!btf_is_mod(type) && !btf_is_typedef(type))
			return type;
		type = types_at(types, type->type);
	}
	return NULL;
}

const char *types_name(const struct types *types, uint32_t offset)
{
	return offset < types->names_size ? types->names + offset : "";
}

uint32_t types_find(const struct types *types, uint32_t kind, const char *name)
{
	for (uint32_t i = 1; i < types->count; i++)
		if (btf_kind(types->list[i]) == kind &&
		    !strcmp(types_name(types, types->list[i]->name_off), name))
			return i;
	return 0;
}
