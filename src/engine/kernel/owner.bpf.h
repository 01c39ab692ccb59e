/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Whose a tick is, where cells are split by it: a process, a thread, a CPU, a control group. */

static __always_inline struct kernfs_node *kernfs_parent(struct kernfs_node *node)
{
	if (bpf_core_field_exists(node->__parent))
		return BPF_CORE_READ(node, __parent);
	return BPF_CORE_READ(node, parent);
}

/* One step towards the root, which has no name. */
static long cgroup_step(__u32 index, struct path_context *context)
{
	struct path_walk *walk = context->walk;
	struct kernfs_node *node = (void *)walk->dentry;
	/* Room behind all that a path can reach. */
	char *scratch = &walk->text[2 * KERNEL_PATH_MAX - 256];
	long size;

	walk->dentry = (__u64)kernfs_parent(node);
	if (!walk->dentry)
		return 1;
	size = bpf_probe_read_kernel_str(scratch, 256, BPF_CORE_READ(node, name));
	return size <= 1 || !path_put(walk, scratch, (__u32)size - 1);
}

/* Take the path of group ID the first time it is seen: it may be gone when somebody asks. */
static __always_inline void cgroup_take(struct tick *tick, __u64 id)
{
	struct path_walk *walk = &tick->cpu->path;
	struct path_context context = {walk};
	struct kernel_cgroup group = {};
	struct task_struct *task = tick->task;

	if (bpf_map_lookup_elem(&cgroups, &id))
		return;
	walk->position = KERNEL_PATH_MAX - 1;
	walk->dentry = (__u64)BPF_CORE_READ(task, cgroups, dfl_cgrp, kn);
	bpf_loop(64, cgroup_step, &context, 0);
	group.path_length = path_keep(walk, &group.path_offset);
	if (!group.path_length && walk->position < KERNEL_PATH_MAX - 1)
		return; /* no room for it */
	bpf_map_update_elem(&cgroups, &id, &group, BPF_NOEXIST);
}

static __always_inline __u32 owner_exec(const struct task_struct *task)
{
	return 1 + (__u32)(task->self_exec_id - task->parent_exec_id) % KERNEL_EXECS;
}

/* What code of no file goes by, of the task or process ID. */
static __always_inline __u32 owner_of_code(const struct task_struct *task, __u32 id)
{
	return id | owner_exec(task) << KERNEL_ID_BITS;
}

static __always_inline void owner_find(struct tick *tick, const struct place *place,
				       struct kernel_owner *owner)
{
	struct task_struct *task = tick->task;
	bool is_code = place->file == KERNEL_SPACE_ANONYMOUS;

	if (split & (KERNEL_SPLIT_THREAD | KERNEL_SPLIT_PROCESS) || is_code)
		owner->pid = tick->tgid;
	if (is_code)
		owner->exec = owner_exec(task);
	if (split & KERNEL_SPLIT_THREAD)
		owner->tid = tick->tid;
	if (split & KERNEL_SPLIT_CPU && !tick->off_cpu)
		owner->cpu = bpf_get_smp_processor_id() + 1;
	if (split & KERNEL_SPLIT_CGROUP)
		owner->cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
}

/* The number of who is charged, a new one at first sight; 0: nobody, or there is none left. */
static __always_inline __u32 owner_number(struct tick *tick, const struct place *place)
{
	struct kernel_owner owner = {};
	__u32 *known, number;

	owner_find(tick, place, &owner);
	known = bpf_map_lookup_elem(&owners, &owner);
	if (known)
		return *known;
	number = __sync_fetch_and_add(&owner_count, 1) + 1;
	if (split & KERNEL_SPLIT_CGROUP)
		cgroup_take(tick, owner.cgroup);
	if (!bpf_map_update_elem(&owners, &owner, &number, BPF_NOEXIST))
		return number;
	/* Another CPU saw it first at once, or the table is full. */
	known = bpf_map_lookup_elem(&owners, &owner);
	return known ? *known : 0;
}

/* What the process is called with, as of now: when it ends, that is gone.  Only of who runs here.
 */
static __always_inline void title_take(struct tick *tick)
{
	struct kernel_title *title = (void *)tick->cpu->path.text;
	struct task_struct *task = tick->task;
	struct mm_struct *mm = task->mm;
	__u32 process = tick->tgid;
	__u64 start;

	if (!mm || (__u64)task != bpf_get_current_task())
		return;
	start = BPF_CORE_READ(mm, arg_start);
	title->length = (__u32)(BPF_CORE_READ(mm, arg_end) - start);
	if (!bpf_probe_read_user(title->text, sizeof(title->text), (void *)start))
		bpf_map_update_elem(&titles, &process, title, BPF_ANY);
}

/* The name that an owner goes by, as of the last time one of its cells became recent. */
static __always_inline void owner_remember(struct tick *tick, const struct place *place,
					   __u32 number)
{
	struct kernel_task named = {};
	struct task_struct *task = tick->task;

	owner_find(tick, place, &named.owner);
	if (split & KERNEL_SPLIT_THREAD)
		BPF_CORE_READ_STR_INTO(&named.name, task, comm);
	else if (named.owner.pid)
		BPF_CORE_READ_STR_INTO(&named.name, task, group_leader, comm);
	bpf_map_update_elem(&tasks, &number, &named, BPF_ANY);
	if (split & (KERNEL_SPLIT_THREAD | KERNEL_SPLIT_PROCESS))
		title_take(tick);
}
