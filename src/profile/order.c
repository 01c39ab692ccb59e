// SPDX-License-Identifier: BSD-2-Clause
#include "profile/order.h"

#include "base/array.h"

#include <string.h>

static int order_text(const struct profile *profile, uint32_t left, uint32_t right)
{
	return left == right ? 0
			     : strcmp(profile_text(profile, left), profile_text(profile, right));
}

static int order_identities(const struct file_identity *left, const struct file_identity *right)
{
	ARRAY_COMPARE(left->device, right->device);
	ARRAY_COMPARE(left->inode, right->inode);
	ARRAY_COMPARE(left->generation, right->generation);
	ARRAY_COMPARE(left->mtime_ns, right->mtime_ns);
	return 0;
}

int order_mappings(const struct profile *profile, const struct profile_mapping *left,
		   const struct profile_mapping *right)
{
	int order;

	ARRAY_COMPARE(left->class, right->class);
	order = order_text(profile, left->path, right->path);
	order = order ? order : order_text(profile, left->build_id, right->build_id);
	order = order ? order : order_text(profile, left->note, right->note);
	if (order)
		return order;
	ARRAY_COMPARE(left->start, right->start);
	ARRAY_COMPARE(left->limit, right->limit);
	ARRAY_COMPARE(left->offset, right->offset);
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
	ARRAY_COMPARE(left->start_line, right->start_line);
	return 0;
}

int order_values(const struct profile *profile, const struct profile_value *left,
		 const struct profile_value *right)
{
	int order = order_text(profile, left->type, right->type);

	return order ? order : order_text(profile, left->unit, right->unit);
}

int order_tasks(const struct profile *profile, const struct profile_task *left,
		const struct profile_task *right)
{
	int order;

	ARRAY_COMPARE(left->pid, right->pid);
	ARRAY_COMPARE(left->tid, right->tid);
	ARRAY_COMPARE(left->cpu, right->cpu);
	order = order_text(profile, left->cgroup, right->cgroup);
	order = order ? order : order_text(profile, left->name, right->name);
	return order ? order : order_text(profile, left->title, right->title);
}

int order_lines(const struct profile *profile, const struct profile_line *left, uint32_t left_count,
		const struct profile_line *right, uint32_t right_count)
{
	int order = 0;

	ARRAY_COMPARE(left_count, right_count);
	for (uint32_t i = 0; !order && i < left_count; i++) {
		order = order_functions(profile, &profile->functions[left[i].function],
					&profile->functions[right[i].function]);
		if (!order)
			ARRAY_COMPARE(left[i].line, right[i].line);
	}
	return order;
}
