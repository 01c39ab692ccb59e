// SPDX-License-Identifier: BSD-2-Clause
#include "profile/order.h"

#include <string.h>

#define COMPARE(a, b)                              \
	do {                                       \
		if ((a) != (b))                    \
			return (a) < (b) ? -1 : 1; \
	} while (0)

static int order_text(const struct profile *profile, uint32_t left, uint32_t right)
{
	return left == right ? 0
			     : strcmp(profile_text(profile, left), profile_text(profile, right));
}

static int order_identities(const struct file_identity *left, const struct file_identity *right)
{
	COMPARE(left->device, right->device);
	COMPARE(left->inode, right->inode);
	COMPARE(left->generation, right->generation);
	COMPARE(left->mtime_ns, right->mtime_ns);
	return 0;
}

int order_mappings(const struct profile *profile, const struct profile_mapping *left,
		   const struct profile_mapping *right)
{
	int order;

	COMPARE(left->class, right->class);
	order = order_text(profile, left->path, right->path);
	order = order ? order : order_text(profile, left->build_id, right->build_id);
	order = order ? order : order_text(profile, left->note, right->note);
	if (order)
		return order;
	COMPARE(left->start, right->start);
	COMPARE(left->limit, right->limit);
	COMPARE(left->offset, right->offset);
	return order_identities(&left->identity, &right->identity);
}

int order_functions(const struct profile *profile, const struct profile_function *left,
		    const struct profile_function *right)
{
	int order = order_text(profile, left->name, right->name);

	order = order ? order : order_text(profile, left->system_name, right->system_name);
	order = order ? order : order_text(profile, left->file, right->file);
	if (order)
		return order;
	COMPARE(left->start_line, right->start_line);
	return 0;
}

int order_tasks(const struct profile *profile, const struct profile_task *left,
		const struct profile_task *right)
{
	int order;

	COMPARE(left->pid, right->pid);
	COMPARE(left->tid, right->tid);
	COMPARE(left->cpu, right->cpu);
	order = order_text(profile, left->cgroup, right->cgroup);
	return order ? order : order_text(profile, left->name, right->name);
}

int order_lines(const struct profile *profile, const struct profile_line *left, uint32_t left_count,
		const struct profile_line *right, uint32_t right_count)
{
	int order = 0;

	COMPARE(left_count, right_count);
	for (uint32_t i = 0; !order && i < left_count; i++) {
		order = order_functions(profile, &profile->functions[left[i].function],
					&profile->functions[right[i].function]);
		if (!order)
			COMPARE(left[i].line, right[i].line);
	}
	return order;
}
