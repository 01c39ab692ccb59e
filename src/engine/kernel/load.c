// SPDX-License-Identifier: BSD-2-Clause
/* The counting program into the kernel.  What libbpf would look up in all of the kernel's types, by
 * reading them anew for each of two purposes, it is told: where members are (types_needed()), and
 * the numbers of what the program is attached to. */
#include "engine/kernel/private.h"

#include "base/array.h"
#include "engine/privilege.h"
#include "engine/kernel/types.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/* ------------------------------------------------------------------ what it is attached to */

static struct hook {
	const char *section, *type;
	uint32_t kind;
	enum bpf_attach_type attach;
	uint32_t number; /* of the type in this kernel */
} hooks[] = {
	[KERNEL_FORKED] = {"tp_btf/sched_process_fork", "btf_trace_sched_process_fork",
			   BTF_KIND_TYPEDEF, BPF_TRACE_RAW_TP},
	[KERNEL_FREED] = {"tp_btf/sched_process_free", "btf_trace_sched_process_free",
			  BTF_KIND_TYPEDEF, BPF_TRACE_RAW_TP},
	[KERNEL_EXITED] = {"tp_btf/sched_process_exit", "btf_trace_sched_process_exit",
			   BTF_KIND_TYPEDEF, BPF_TRACE_RAW_TP},
	[KERNEL_EXECUTED] = {"tp_btf/sched_process_exec", "btf_trace_sched_process_exec",
			     BTF_KIND_TYPEDEF, BPF_TRACE_RAW_TP},
	[KERNEL_CPU_CAME] = {"tp_btf/cpuhp_exit", "btf_trace_cpuhp_exit", BTF_KIND_TYPEDEF,
			     BPF_TRACE_RAW_TP},
	[KERNEL_SWITCHED] = {"tp_btf/sched_switch", "btf_trace_sched_switch", BTF_KIND_TYPEDEF,
			     BPF_TRACE_RAW_TP},
	[KERNEL_WOKEN] = {"tp_btf/sched_wakeup", "btf_trace_sched_wakeup", BTF_KIND_TYPEDEF,
			  BPF_TRACE_RAW_TP},
	[KERNEL_WAKING] = {"tp_btf/sched_waking", "btf_trace_sched_waking", BTF_KIND_TYPEDEF,
			   BPF_TRACE_RAW_TP},
	[KERNEL_WOKEN_NEW] = {"tp_btf/sched_wakeup_new", "btf_trace_sched_wakeup_new",
			      BTF_KIND_TYPEDEF, BPF_TRACE_RAW_TP},
	[KERNEL_SURVEY] = {"iter/task", "bpf_iter_task", BTF_KIND_FUNC, BPF_TRACE_ITER},
};

static const struct hook *hook_of(const struct bpf_program *program)
{
	const char *section = bpf_program__section_name(program);

	for (size_t i = 0; i < ARRAY_LENGTH(hooks); i++)
		if (!strcmp(hooks[i].section, section))
			return &hooks[i];
	return NULL;
}

/* Only now it becomes what it is: of a program that is so from the start libbpf would look up the
 * number itself. */
static int prepare(struct bpf_program *program, struct bpf_prog_load_opts *options, long cookie)
{
	const struct hook *hook = hook_of(program);

	if (!hook || !hook->number)
		return -ESRCH;
	options->expected_attach_type = hook->attach;
	options->attach_btf_id = hook->number;
	return bpf_program__set_type(program, BPF_PROG_TYPE_TRACING);
}

/* Once a process, and for good: libbpf keeps where it stands in its list. */
static int teach(void)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, options, .prog_prepare_load_fn = prepare);
	static bool is_taught;

	for (size_t i = 0; i < ARRAY_LENGTH(hooks) && !is_taught; i++) {
		int ret =
			libbpf_register_prog_handler(hooks[i].section, BPF_PROG_TYPE_RAW_TRACEPOINT,
						     /* attach= */ 0, &options);

		if (ret < 0)
			return ret;
	}
	is_taught = true;
	return 0;
}

int kernel_attach(const struct bpf_program *program)
{
	const struct hook *hook = hook_of(program);
	int fd = bpf_program__fd(program);

	return hook->attach == BPF_TRACE_ITER ? bpf_link_create(fd, 0, hook->attach, NULL)
					      : bpf_raw_tracepoint_open(NULL, fd);
}

/* ------------------------------------------------------------------ where members are */

/* Open it with the types at FD, a file in memory that is yet to be filled.  libbpf wants a path:
 * without /proc there is none for it, and it has to read all there are.  (All are named, too, for
 * in kernels that lack one it would go on in the modules, which takes CAP_SYS_ADMIN.) */
static struct kernel *open_with(int fd)
{
	LIBBPF_OPTS(bpf_object_open_opts, options);
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	options.btf_custom_path = !access(path, R_OK) ? path : PRIVILEGE_BTF;
	return kernel__open_opts(&options);
}

static int fill(int fd, const struct types *types, const struct kernel *kernel)
{
	struct btf *needed = types_needed(types, bpf_object__btf(kernel->obj));
	const void *data;
	uint32_t size;
	int ret = 0;

	if (needed)
		kernel_wall_settle(kernel, needed);
	data = needed ? btf__raw_data(needed, &size) : NULL;
	if (!data || write(fd, data, size) != (ssize_t)size)
		ret = -ENOMEM;
	btf__free(needed);
	return ret;
}

static int read_types(int fd, const struct kernel *kernel)
{
	struct types types;
	int ret = types_read(PRIVILEGE_BTF, &types);

	if (ret)
		return ret;
	for (size_t i = 0; i < ARRAY_LENGTH(hooks); i++)
		hooks[i].number = types_find(&types, hooks[i].kind, hooks[i].type);
	ret = fill(fd, &types, kernel);
	types_done(&types);
	return ret;
}

/* ------------------------------------------------------------------ the largest maps */

/* The kernel takes as long to make room for all cells as profil takes to read the kernel's types:
 * one thread does the one meanwhile, and the other helps it when it is through.  Of the zeros that
 * libbpf would copy in page by page, a new map is made, too.  What cannot be made here libbpf makes
 * in its turn, and says why where it cannot. */
struct early {
	struct bpf_map *maps[8];
	int fds[8];
	size_t next; /* map to be made, of both threads */
	pthread_t maker;
	bool is_made;
};

static int make_one(const struct bpf_map *map)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = bpf_map__map_flags(map));

	if (!bpf_map__autocreate(map))
		return -1;
	return bpf_map_create(bpf_map__type(map), bpf_map__name(map), bpf_map__key_size(map),
			      bpf_map__value_size(map), bpf_map__max_entries(map), &options);
}

static void *make_early(void *context)
{
	struct early *early = context;
	size_t i;

	while ((i = __atomic_fetch_add(&early->next, 1, __ATOMIC_RELAXED)) <
	       ARRAY_LENGTH(early->maps))
		early->fds[i] = make_one(early->maps[i]);
	return NULL;
}

static void begin_early(struct early *early, const struct kernel *kernel)
{
	*early = (struct early){.maps = {kernel->maps.cells, kernel->maps.stack_cells,
					 kernel->maps.contexts, kernel->maps.context_slots,
					 kernel->maps.bss, kernel->maps.table_rows,
					 kernel->maps.table_pages, kernel->maps.waits}};
	early->is_made = !pthread_create(&early->maker, NULL, make_early, early);
}

static int end_early(struct early *early)
{
	int ret = 0;

	if (!early->is_made)
		return 0;
	(void)make_early(early);
	(void)pthread_join(early->maker, NULL);
	for (size_t i = 0; i < ARRAY_LENGTH(early->maps); i++) {
		if (early->fds[i] < 0)
			continue;
		if (!ret)
			ret = bpf_map__reuse_fd(early->maps[i], early->fds[i]);
		close(early->fds[i]);
	}
	return ret;
}

static int read_types_and_make(int fd, struct kernel *kernel)
{
	struct early early;
	int ret, ended;

	begin_early(&early, kernel);
	ret = read_types(fd, kernel);
	ended = end_early(&early);
	return ret ? ret : ended;
}

int kernel_load(struct engine *engine, int (*configure)(struct engine *engine))
{
	int fd = memfd_create("profil-types", MFD_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = teach();
	engine->kernel = ret ? NULL : open_with(fd);
	/* Short of memory, libbpf goes on without the variables it could not map. */
	if (!ret && (!engine->kernel || !engine->kernel->rodata))
		ret = -ENOMEM;
	if (!ret)
		ret = configure(engine);
	if (!ret)
		ret = read_types_and_make(fd, engine->kernel);
	if (!ret)
		ret = kernel__load(engine->kernel);
	if (!ret && !engine->kernel->bss)
		ret = -ENOMEM;
	close(fd);
	return ret;
}

/* Since 6.4 the kernel says what a map takes by now; before, what it might. */
static uint64_t map_bytes(int fd)
{
	char path[40], line[128];
	uint64_t bytes = 0;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file) && sscanf(line, "memlock: %" SCNu64, &bytes) != 1)
		;
	fclose(file);
	return bytes;
}

size_t kernel_memory(const struct engine *engine, struct engine_memory *parts)
{
	const struct bpf_map *map;
	size_t count = 0;

	bpf_object__for_each_map(map, engine->kernel->obj)
	{
		int fd = bpf_map__fd(map);

		if (fd >= 0 && count < ENGINE_MEMORY_PARTS)
			parts[count++] = (struct engine_memory){bpf_map__name(map), map_bytes(fd)};
	}
	return count;
}
