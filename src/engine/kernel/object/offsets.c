// SPDX-License-Identifier: BSD-2-Clause
/* Where the kernel has the members that the counting program looks at.  CO-RE would say it too, but
 * by reading all of the kernel's types and comparing the name of each with those of the structures,
 * at every load: 14 ms of CPU time, in each forked child again. */
#include "engine/kernel/object/offsets.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/btf.h>

#define KERNEL_TYPES "/sys/kernel/btf/vmlinux"

/* ------------------------------------------------------------------ one member */

/* Where MEMBER is in STRUCTURE, or in one without a name within it, in bits; -ENOENT. */
static int64_t find_member(const struct btf *types, const struct btf_type *structure,
			   const char *member, const struct btf_type **ret_type)
{
	const struct btf_member *members = btf_members(structure);

	for (uint32_t i = 0; i < btf_vlen(structure); i++) {
		const char *name = btf__name_by_offset(types, members[i].name_off);
		const struct btf_type *type =
			btf__type_by_id(types, (uint32_t)btf__resolve_type(types, members[i].type));
		int64_t at = btf_member_bit_offset(structure, i), within;

		if (!name || !type)
			return -EBADMSG;
		if (!strcmp(name, member)) {
			*ret_type = type;
			return at;
		}
		if (*name || !btf_is_composite(type))
			continue;
		within = find_member(types, type, member, ret_type);
		if (within != -ENOENT)
			return within < 0 ? within : at + within;
	}
	return -ENOENT;
}

static const struct wanted {
	const char *structure, *member;
	const char *within; /* where the member is a structure itself: its member */
	size_t place;	    /* in struct count_offsets */
	bool may_lack;
} all_wanted[] = {
#define PLACE(member) offsetof(struct count_offsets, member)
	{"task_struct", "mm", NULL, PLACE(task_map), false},
	{"mm_struct", "mm_mt", "ma_root", PLACE(map_tree), true},
	/* A number in Linux 6.4, a seqcount_t since 6.13. */
	{"mm_struct", "mm_lock_seq", "sequence", PLACE(map_generation), true},
	{"mm_struct", "map_count", NULL, PLACE(map_count), false},
	{"mm_struct", "exec_vm", NULL, PLACE(map_executable), false},
	{"mm_struct", "total_vm", NULL, PLACE(map_total), false},
	{"vm_area_struct", "vm_mm", NULL, PLACE(mapping_map), false},
	{"vm_area_struct", "vm_start", NULL, PLACE(mapping_start), false},
	{"vm_area_struct", "vm_end", NULL, PLACE(mapping_end), false},
	{"vm_area_struct", "vm_flags", NULL, PLACE(mapping_flags), false},
	{"vm_area_struct", "vm_pgoff", NULL, PLACE(mapping_page), false},
	{"vm_area_struct", "vm_private_data", NULL, PLACE(mapping_private), false},
#undef PLACE
};

/* In bits, or a negative errno. */
static int64_t find_wanted(const struct btf *types, const struct wanted *wanted)
{
	int id = btf__find_by_name_kind(types, wanted->structure, BTF_KIND_STRUCT);
	const struct btf_type *type = id < 0 ? NULL : btf__type_by_id(types, (uint32_t)id);
	int64_t at, within = 0;

	if (!type)
		return -ENOENT;
	at = find_member(types, type, wanted->member, &type);
	if (at >= 0 && wanted->within && btf_is_composite(type))
		within = find_member(types, type, wanted->within, &type);
	return at < 0 ? at : within < 0 ? within : at + within;
}

int offsets_of(const struct btf *types, struct count_offsets *ret_offsets)
{
	struct count_offsets offsets;

	for (size_t i = 0; i < sizeof(all_wanted) / sizeof(*all_wanted); i++) {
		const struct wanted *wanted = &all_wanted[i];
		int64_t bits = find_wanted(types, wanted);
		uint32_t offset = bits < 0 ? COUNT_NOWHERE : (uint32_t)(bits / 8);

		if (bits < 0 && !(bits == -ENOENT && wanted->may_lack))
			return (int)bits;
		memcpy((char *)&offsets + wanted->place, &offset, sizeof(offset));
	}
	*ret_offsets = offsets;
	return 0;
}

/* ------------------------------------------------------------------ of this kernel */

/* Since Linux 6.16 the kernel's own copy can be mapped, which spares libbpf the reading of 5 MB. */
static struct btf *read_mapped(void)
{
	int fd = open(KERNEL_TYPES, O_RDONLY | O_CLOEXEC);
	struct btf *types = NULL;
	struct stat status;
	void *data = MAP_FAILED;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &status) && status.st_size > 0 && status.st_size <= UINT32_MAX)
		data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (data == MAP_FAILED)
		return NULL;
	types = btf__new(data, (uint32_t)status.st_size);
	munmap(data, (size_t)status.st_size);
	return types;
}

static int read_offsets(struct count_offsets *ret_offsets)
{
	struct btf *types = read_mapped();
	int ret;

	if (!types)
		types = btf__load_vmlinux_btf();
	if (!types)
		return -errno;
	ret = offsets_of(types, ret_offsets);
	btf__free(types);
	return ret;
}

int offsets_find(struct count_offsets *ret_offsets)
{
	/* Once it is set it stays.  Of two threads that find it at once one sets it, and no lock is
	 * held that a fork could leave locked in the child. */
	static struct count_offsets *known;
	struct count_offsets *found = __atomic_load_n(&known, __ATOMIC_ACQUIRE), *others = NULL;
	int ret;

	if (!found) {
		found = malloc(sizeof(*found));
		ret = found ? read_offsets(found) : -ENOMEM;
		if (ret) {
			free(found);
			return ret;
		}
		if (!__atomic_compare_exchange_n(&known, &others, found, /* weak= */ false,
						 __ATOMIC_RELEASE, __ATOMIC_ACQUIRE)) {
			free(found);
			found = others;
		}
	}
	*ret_offsets = *found;
	return 0;
}
