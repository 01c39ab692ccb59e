/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Whose ticks may be looked at, where profil's file lends its user the privilege to count: those of
 * tasks that the user could read with ptrace(2) at that very moment (kernel/ptrace.c,
 * __ptrace_may_access()).  A measured program may execute one with rights of its own, or one that
 * its user may not read; a tick there is counted, and nothing is learnt of it.  It is asked at the
 * tick, for a task's rights change as it runs.
 *
 * Whoever may load this is in the initial user namespace, so that numbers of users are the kernel's
 * own and that namespace is the one at level 0. */

/* Set before the object is loaded. */
const volatile bool guarded; /* off: nothing is lent, and none of this is in the program */
const volatile __u32 own_uid;
const volatile __u32 own_gid;

#define USER_NAMESPACES 32 /* levels, at most */
#define DUMPABLE_MASK 3
#define DUMPABLE_BY_USER 1

static __always_inline bool guard_same_ids(const struct cred *cred)
{
	return cred->uid.value == own_uid && cred->euid.value == own_uid &&
	       cred->suid.value == own_uid && cred->gid.value == own_gid &&
	       cred->egid.value == own_gid && cred->sgid.value == own_gid;
}

static __always_inline bool guard_no_capabilities(const struct cred *cred)
{
	return !cred->cap_permitted.low && !cred->cap_permitted.high;
}

/* Whether the user made the namespace at ADDRESS, or one that it is in: whoever is root in it is
 * his. */
static __noinline bool guard_owns(__u64 address)
{
	struct user_namespace *namespace = (void *)address;
	__u32 owner = 0;

	for (int i = 0; i < USER_NAMESPACES && namespace; i++) {
		int level = BPF_CORE_READ(namespace, level);

		if (level == 1)
			bpf_core_read(&owner, sizeof(owner), &namespace->owner);
		if (level <= 1)
			return level && owner == own_uid;
		namespace = BPF_CORE_READ(namespace, parent);
	}
	return false;
}

static __always_inline bool guard_dumpable(struct mm_struct *mm)
{
	struct mm_struct___numbers *older = (void *)mm;
	unsigned long flags = 0;

	if (bpf_core_field_exists(mm->flags))
		bpf_core_read(&flags, sizeof(flags), &mm->flags);
	else
		bpf_core_read(&flags, sizeof(flags), &older->flags);
	return (flags & DUMPABLE_MASK) == DUMPABLE_BY_USER;
}

static __always_inline bool guard_allows(struct task_struct *task)
{
	const struct cred *cred = task->real_cred;
	struct mm_struct *mm = task->mm;

	if (!cred->user_ns->level)
		return guard_same_ids(cred) && guard_no_capabilities(cred) &&
		       (!mm || guard_dumpable(mm));
	if (!guard_owns((__u64)BPF_CORE_READ(cred, user_ns)))
		return false;
	return !mm || guard_dumpable(mm) || guard_owns((__u64)BPF_CORE_READ(mm, user_ns));
}
