/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The table of files: a number for each, its path and its build-id. */

static __always_inline struct kernel_file *file_of(__u32 number)
{
	return &files[number & (KERNEL_FILES - 1)];
}

/* Put the path that WALK has found into the heap.  Returns its length, with where it begins; 0 when
 * there is none or no room. */
static __always_inline __u32 path_keep(struct path_walk *walk, __u32 *ret_offset)
{
	__u32 length, at;

	if (walk->position >= KERNEL_PATH_MAX)
		return 0;
	length = KERNEL_PATH_MAX - 1 - walk->position;
	at = __sync_fetch_and_add(&path_heap_used, length);
	if (!length || at > KERNEL_PATH_HEAP - KERNEL_PATH_MAX)
		return 0;
	/* The heap's end is out of reach by the test above: the mask only tells the verifier so. */
	bpf_probe_read_kernel(&path_heap[at & (KERNEL_PATH_HEAP - 1)],
			      length & (KERNEL_PATH_MAX - 1),
			      &walk->text[walk->position & (KERNEL_PATH_MAX - 1)]);
	*ret_offset = at;
	return length;
}

static __always_inline void file_take_path(struct cpu_state *cpu, struct kernel_file *slot,
					   __u64 file)
{
	struct path_walk *walk = &cpu->path;
	struct path_context context = {walk};

	walk->position = KERNEL_PATH_MAX - 1;
	walk->dentry = file_dentry(file);
	walk->mount = file_mount(file);
	bpf_loop(256, path_step, &context, 0);
	slot->path_length = path_keep(walk, &slot->path_offset);
}

/* Whose file it is: from where that process stands, the path leads to it. */
static __always_inline void file_take_holder(struct kernel_file *slot)
{
	struct task_struct *task = bpf_get_current_task_btf();

	slot->pid = bpf_get_current_pid_tgid() >> 32;
	slot->mounts = BPF_CORE_READ(task, nsproxy, mnt_ns, ns.inum);
}

/* The number of a file, a new one with FLAGS at first sight; KERNEL_FILES when there is none left.
 * This and vma_walk() are global functions, so that the verifier looks at them once and not once
 * for every way that leads here: it halves the time a measurement needs to begin. */
__noinline __u32 file_number(__u64 file, __u32 flags)
{
	__u32 *known, number, zero = 0;
	struct cpu_state *cpu = bpf_map_lookup_elem(&cpus, &zero);
	struct kernel_file *slot;

	if (!cpu)
		return KERNEL_FILES;
	file_key(file, &cpu->key);
	known = bpf_map_lookup_elem(&file_numbers, &cpu->key);
	if (known)
		return *known;
	if (file_count >= KERNEL_FILES)
		return KERNEL_FILES;
	number = __sync_fetch_and_add(&file_count, 1);
	if (number >= KERNEL_FILES)
		return KERNEL_FILES;
	slot = file_of(number);
	slot->key = cpu->key;
	slot->build_id_tries = KERNEL_BUILD_ID_TRIES;
	file_take_path(cpu, slot, file);
	file_take_holder(slot);
	slot->flags = flags;
	if (!bpf_map_update_elem(&file_numbers, &cpu->key, &number, BPF_NOEXIST))
		return number;
	/* Two CPUs saw it first at once: the other one's number stands, ours stays unused. */
	slot->flags = 0;
	known = bpf_map_lookup_elem(&file_numbers, &cpu->key);
	return known ? *known : KERNEL_FILES;
}

/* A file's build-id, while it is mapped: it may be deleted or built anew before anybody reads the
 * profile.  The helper reads it from the page cache if the page is there and the map's lock is
 * free; hence a few tries, one a tick. */
static __always_inline void take_build_id(struct tick *tick, __u32 number)
{
	struct kernel_file *file = file_of(number);
	struct bpf_stack_build_id frame = {};

	if (!file->build_id_tries)
		return;
	file->build_id_tries--;
	if (bpf_get_stack(tick->event, &frame, sizeof(frame),
			  BPF_F_USER_STACK | BPF_F_USER_BUILD_ID) != sizeof(frame))
		return;
	if (frame.status != BPF_STACK_BUILD_ID_VALID)
		return;
	file->build_id_tries = 0;
	__builtin_memcpy(file->build_id, frame.build_id, KERNEL_BUILD_ID_MAX);
	file->build_id_size = KERNEL_BUILD_ID_MAX;
}
