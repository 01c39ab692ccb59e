/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The few kernel structures that are read, each with the few members that are read.  libbpf moves
 * every access to where the running kernel has the member (CO-RE), so no vmlinux.h is needed.  No
 * kernel has all of them: what has a kernel's number beside it is asked for before it is read.  A
 * name behind ___ is the same structure in kernels where a member was of another type; there are no
 * more of them than that takes, for libbpf looks through all the kernel's types for each name,
 * which is most of what a start costs. */

/* Once a number each, or two, whatever the kernel calls them: only where they are may move. */
struct kernel_id {
	__u32 value;
};

struct kernel_capabilities {
	__u32 low, high;
};

struct kernel_bitmap {
	unsigned long words[1];
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct user_namespace {
	struct user_namespace *parent;
	int level;
	struct kernel_id owner;
};

struct cred {
	struct kernel_id uid, gid, suid, sgid, euid, egid;
	struct kernel_capabilities cap_permitted;
	struct user_namespace *user_ns;
};

struct rq {
	__u64 clock; /* of the CPU, as of the last look at it */
};

struct cfs_rq {
	struct rq *rq;
};

struct sched_info {
	unsigned long pcount;		/* how often it has come to a CPU */
	unsigned long long run_delay;	/* in the queue, so far; */
	unsigned long long last_queued; /* and since then; 0: it is not there */
};

struct sched_entity {
	struct cfs_rq *cfs_rq; /* of its group, on its CPU */
	__u64 sum_exec_runtime;
	unsigned char sched_delayed; /* since 6.12 */
};

struct thread_info {
	__u32 status;
};

#if defined(__TARGET_ARCH_x86)
struct thread_struct {
	unsigned long fsbase;
};
#endif

struct task_struct {
	struct thread_info thread_info;
	void *stack;
	struct mm_struct *mm;
	struct fs_struct *fs;
	struct nsproxy *nsproxy;
	struct css_set *cgroups;
	struct pid *thread_pid;
	int pid;
	int tgid;
	struct task_struct *group_leader;
	struct sched_entity se;
	struct sched_info sched_info;
	char comm[16];
	__u64 parent_exec_id; /* SELF_EXEC_ID of its maker when it was made */
	__u64 self_exec_id;
	const struct cred *real_cred;
	unsigned int flags;
	int on_rq;
	int on_cpu;
	unsigned int __state;
	bool throttled; /* since 6.18 */
	unsigned int in_iowait : 1;
	__u64 start_time; /* CLOCK_MONOTONIC */
#if defined(__TARGET_ARCH_x86)
	struct thread_struct thread;
#endif
};

struct pid {
	unsigned int level; /* of its namespace; the first one's is 0 */
};

struct ns_common {
	unsigned int inum;
};

struct mnt_namespace {
	struct ns_common ns;
};

struct nsproxy {
	struct mnt_namespace *mnt_ns;
};

struct kernfs_node {
	struct kernfs_node *parent;
	struct kernfs_node *__parent; /* since 6.15 */
	const char *name;
	__u64 id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp; /* in the hierarchy of cgroup v2 */
};

struct mm_context {
	void *vdso;
};

struct maple_tree {
	void *ma_root;
};

struct seqcount {
	unsigned int sequence;
};

struct mm_struct {
	struct maple_tree mm_mt; /* since 6.1 */
	struct mm_context context;
	struct file *exe_file;
	struct user_namespace *user_ns;
	int map_count;
	unsigned long exec_vm;
	unsigned long total_vm;
	unsigned long arg_start, arg_end;
	struct seqcount mm_lock_seq; /* since 6.13 */
	struct kernel_bitmap flags;  /* since 6.18 */
};

struct mm_struct___numbers {
	int mm_lock_seq; /* 6.4 to 6.12 */
	unsigned long flags;
};

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	struct mm_struct *vm_mm;
	unsigned long vm_pgoff;
	struct file *vm_file;
	unsigned long vm_flags;
	int vm_lock_seq; /* since 6.4 */
};

struct qstr {
	__u32 len;
	const unsigned char *name;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct fs_struct {
	struct path root;
};

struct file {
	struct inode *f_inode;
	struct path f_path;
	unsigned int f_mode;
};

struct backing_file { /* since 6.7: what an overlay maps, and the path it is known by */
	struct file file;
	struct path user_path;
};

struct super_block {
	__u32 s_dev;
};

struct timespec64 {
	__s64 tv_sec;
	long tv_nsec;
};

struct inode {
	struct super_block *i_sb;
	unsigned long i_ino;
	__u32 i_generation;
	__s64 i_mtime_sec;	     /* since 6.11 */
	__u32 i_mtime_nsec;	     /* since 6.11 */
	struct timespec64 __i_mtime; /* 6.7 to 6.10 */
	struct timespec64 i_mtime;   /* before 6.7 */
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

#define PF_EXITING 0x4 /* include/linux/sched.h */

/* include/linux/fs.h: a macro there, so CO-RE cannot know it; it moved once. */
extern int LINUX_KERNEL_VERSION __kconfig;
#define FMODE_BACKING (LINUX_KERNEL_VERSION >= KERNEL_VERSION(6, 14, 0) ? 1u << 24 : 1u << 25)
