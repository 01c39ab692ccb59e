/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Which file a mapping is of, and what it is called: read once, the first time a file is seen,
 * so that a process which lives two milliseconds leaves its name behind. */

static __always_inline void file_key(__u64 file, struct kernel_file_key *key)
{
	struct file *opened = (void *)file;
	struct inode *inode = BPF_CORE_READ(opened, f_inode);

	__builtin_memset(key, 0, sizeof(*key));
	key->inode = BPF_CORE_READ(inode, i_ino);
	key->generation = BPF_CORE_READ(inode, i_generation);
	key->device = BPF_CORE_READ(inode, i_sb, s_dev);
	if (bpf_core_field_exists(inode->i_mtime_sec)) {
		key->mtime_sec = BPF_CORE_READ(inode, i_mtime_sec);
		key->mtime_nsec = BPF_CORE_READ(inode, i_mtime_nsec);
	} else if (bpf_core_field_exists(inode->__i_mtime)) {
		key->mtime_sec = BPF_CORE_READ(inode, __i_mtime.tv_sec);
		key->mtime_nsec = BPF_CORE_READ(inode, __i_mtime.tv_nsec);
	} else {
		key->mtime_sec = BPF_CORE_READ(inode, i_mtime.tv_sec);
		key->mtime_nsec = BPF_CORE_READ(inode, i_mtime.tv_nsec);
	}
}

/* A path is put together from its end to its beginning, so it grows downwards from the middle of
 * the buffer; the upper half only gives the verifier room for a whole name behind any position.
 * All of it lives in a map: what the verifier cannot know it need not follow step by step. */
struct path_walk {
	__u64 dentry;
	__u64 mount;
	__u32 position;
	char text[2 * KERNEL_PATH_MAX];
};

/* Where profil's own "/" is: a path that leads there ends there, so that profil finds its files
 * again inside a chroot. */
__u64 path_root_dentry;
__u64 path_root_mount;

static __always_inline void path_take_root(void)
{
	struct task_struct *reader = bpf_get_current_task_btf();

	path_root_dentry = (__u64)BPF_CORE_READ(reader, fs, root.dentry);
	path_root_mount = (__u64)BPF_CORE_READ(reader, fs, root.mnt) -
			  bpf_core_field_offset(struct mount, mnt);
}

struct path_context { /* on the stack, as the helper wants it */
	struct path_walk *walk;
};

static __always_inline bool path_put(struct path_walk *walk, const void *name, __u32 length)
{
	length &= 0xff;
	if (walk->position < length + 1)
		return false;
	walk->position -= length + 1;
	bpf_probe_read_kernel(&walk->text[(walk->position + 1) & (KERNEL_PATH_MAX - 1)], length,
			      name);
	walk->text[walk->position & (KERNEL_PATH_MAX - 1)] = '/';
	return true;
}

static __always_inline bool path_prepend(struct path_walk *walk, __u64 dentry)
{
	struct dentry *named = (void *)dentry;

	return path_put(walk, BPF_CORE_READ(named, d_name.name), BPF_CORE_READ(named, d_name.len));
}

/* One step towards the root: a name, or from the root of a mount to where it is mounted. */
static long path_step(__u32 index, struct path_context *context)
{
	struct path_walk *walk = context->walk;
	struct dentry *dentry = (void *)walk->dentry;
	struct mount *mount = (void *)walk->mount;
	__u64 parent;

	if (walk->dentry == path_root_dentry && walk->mount == path_root_mount)
		return 1;
	if (walk->dentry == (__u64)BPF_CORE_READ(mount, mnt.mnt_root)) {
		parent = (__u64)BPF_CORE_READ(mount, mnt_parent);
		if (!parent || parent == walk->mount)
			return 1;
		walk->dentry = (__u64)BPF_CORE_READ(mount, mnt_mountpoint);
		walk->mount = parent;
		return 0;
	}
	parent = (__u64)BPF_CORE_READ(dentry, d_parent);
	if (!path_prepend(walk, walk->dentry) || !parent || parent == walk->dentry)
		return 1; /* a file of no folder (memfd) has its name and no more */
	walk->dentry = parent;
	return 0;
}

/* An overlay maps a file of one of its layers; the name people know it by is the overlay's, which
 * until 6.6 is that file's own path. */
static __always_inline bool file_is_backing(struct file *file)
{
	return bpf_core_field_exists(((struct backing_file *)file)->user_path) &&
	       (BPF_CORE_READ(file, f_mode) & FMODE_BACKING);
}

static __always_inline __u64 file_dentry(__u64 file)
{
	struct file *plain = (void *)file;
	struct backing_file *backing = (void *)file;

	if (file_is_backing(plain))
		return (__u64)BPF_CORE_READ(backing, user_path.dentry);
	return (__u64)BPF_CORE_READ(plain, f_path.dentry);
}

static __always_inline __u64 file_mount(__u64 file)
{
	struct file *plain = (void *)file;
	struct backing_file *backing = (void *)file;
	__u64 mnt;

	if (file_is_backing(plain))
		mnt = (__u64)BPF_CORE_READ(backing, user_path.mnt);
	else
		mnt = (__u64)BPF_CORE_READ(plain, f_path.mnt);
	return mnt - bpf_core_field_offset(struct mount, mnt);
}
