// SPDX-License-Identifier: BSD-2-Clause
/* The account of all time, out of the kernel. */
#include "engine/kernel/private.h"

#include "base/array.h"
#include "engine/privilege.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

/* ---- before ---- */

/* The programs of the account. */
#define WALL_PROGRAMS(kernel)                                                                     \
	{                                                                                         \
		(kernel)->progs.switched, (kernel)->progs.switched_with_stack,                    \
			(kernel)->progs.woken, (kernel)->progs.woken_new, (kernel)->progs.waking, \
			(kernel)->progs.lives_left, (kernel)->progs.find_schedule                 \
	}

static void leave_out(struct kernel *kernel)
{
	struct bpf_program *programs[] = WALL_PROGRAMS(kernel);
	struct bpf_map *maps[] = {kernel->maps.lives,	   kernel->maps.waits,
				  kernel->maps.waits_full, kernel->maps.lives_ended,
				  kernel->maps.wall_cpus,  kernel->maps.wall_all,
				  kernel->maps.wall_shares};

	for (size_t i = 0; i < ARRAY_LENGTH(programs); i++)
		bpf_program__set_autoload(programs[i], false);
	for (size_t i = 0; i < ARRAY_LENGTH(maps); i++)
		bpf_map__set_autocreate(maps[i], false);
}

int kernel_wall_configure(struct engine *engine)
{
	const struct engine_options *options = &engine->options;
	struct kernel *kernel = engine->kernel;
	uint32_t budget = options->wall_budget ? options->wall_budget : WALL_BUDGET;
	const char *drop = secure_getenv("PROFIL_DROP_SWITCHES"); /* CONTRIBUTING: faults */
	int ret;

	if (!options->wall) {
		leave_out(kernel);
		return 0;
	}
	bpf_program__set_autoload(options->call_stacks ? kernel->progs.switched
						       : kernel->progs.switched_with_stack,
				  false);
	bpf_program__set_autoload(kernel->progs.waking, options->wakers);
	bpf_program__set_autoload(kernel->progs.find_schedule,
				  options->call_stacks && !kernel->rodata->hide_kernel);
	kernel->rodata->wakers = options->wakers;
	kernel->rodata->wall = true;
	kernel->rodata->wall_stacks = options->call_stacks;
	kernel->rodata->wall_at_event = options->program;
	kernel->rodata->wall_drop = drop ? (uint32_t)strtoul(drop, NULL, 10) : 0;
	kernel->rodata->wall_budget =
		(uint32_t)(((uint64_t)budget << WALL_WINDOW_SHIFT) / 1000000000) + 1;
	ret = bpf_map__set_max_entries(kernel->maps.waits,
				       options->cell_limit ? options->cell_limit : WALL_WAITS);
	if (!ret)
		ret = bpf_map__set_max_entries(kernel->maps.wall_shares,
					       options->cell_limit ? options->cell_limit
								   : WALL_WAITS);
	return ret ? ret
		   : bpf_map__set_max_entries(kernel->maps.lives_ended,
					      kernel->rodata->split ? KERNEL_TASKS_SPLIT : 1);
}

static bool has_member(const struct btf *types, const char *structure, const char *member)
{
	int number = btf__find_by_name_kind(types, structure, BTF_KIND_STRUCT);
	const struct btf_type *type = number > 0 ? btf__type_by_id(types, (uint32_t)number) : NULL;

	for (uint32_t i = 0; type && i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(types, btf_members(type)[i].name_off), member))
			return true;
	return false;
}

void kernel_wall_settle(const struct kernel *kernel, const struct btf *types)
{
	if (!kernel->rodata->wall || kernel->rodata->wakers ||
	    !has_member(types, "sched_info", "last_queued") || !has_member(types, "cfs_rq", "rq") ||
	    !has_member(types, "rq", "clock"))
		return;
	kernel->rodata->wall_by_queue = true;
	bpf_program__set_autoload(kernel->progs.woken, false);
}

int kernel_wall_probe(struct error *reterr)
{
	/* Before, the hook of a switch had not the state that the thread leaves in. */
	if (!privilege_kernel_is_older(5, 18))
		return 0;
	return error_set(reterr, -ENOSYS, "kernel engine: --wall needs Linux 5.18: leave it out");
}

int kernel_wall_open(struct engine *engine)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);
	struct kernel_wall_sums none = {0};
	uint32_t nobody = 0;

	if (!engine->options.wall)
		return 0;
	if (bpf_program__autoload(engine->kernel->progs.find_schedule) &&
	    bpf_prog_test_run_opts(bpf_program__fd(engine->kernel->progs.find_schedule), &options))
		return -errno;
	return bpf_map_update_elem(bpf_map__fd(engine->kernel->maps.lives_ended), &nobody, &none,
				   BPF_NOEXIST);
}

void kernel_wall_begin(struct engine *engine)
{
	if (engine->options.wall && !engine->options.program)
		engine->kernel->bss->wall_base_ns = monotonic_ns();
}

/* ---- after ---- */

/* What an event has begun on another CPU is over soon. */
static void close_account(struct engine *engine)
{
	volatile struct kernel__bss *bss = engine->kernel->bss;

	if (bss->wall_closed_ns)
		return;
	bss->wall_closed_ns = monotonic_ns();
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static int read_left(struct engine *engine, struct wall *wall)
{
	struct kernel_life_left *left;
	int fd = bpf_iter_create(engine->followers[KERNEL_LIVES_LEFT]);
	ssize_t got = 0;
	size_t used = 0;

	if (fd < 0)
		return -errno;
	do {
		if (ARRAY_RESERVE(wall->left, wall->left_capacity, used / sizeof(*left) + 64)) {
			close(fd);
			return -ENOMEM;
		}
		got = read(fd, (char *)wall->left + used, 64 * sizeof(*left));
		used += got > 0 ? (size_t)got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	wall->left_count = used / sizeof(*left);
	close(fd);
	return got < 0 ? -errno : 0;
}

static int read_waits(struct engine *engine, struct wall *wall)
{
	struct kernel_wait_key *keys;
	struct kernel_wait *waits;
	uint32_t count;
	int ret = kernel_map_read(engine->kernel->maps.waits, (void **)&keys, (void **)&waits,
				  &count);

	if (ret)
		return ret;
	ret = ARRAY_RESERVE(wall->waits, wall->wait_capacity, count + 1);
	for (uint32_t i = 0; !ret && i < count; i++)
		wall->waits[wall->wait_count++] = (struct wall_wait){keys[i], waits[i]};
	free(keys);
	free(waits);
	return ret ? -ENOMEM : 0;
}

static int add_full(struct wall *wall, uint32_t at, const struct kernel_wait *full)
{
	const struct kernel_wait_key key = {
		.reason = at % KERNEL_WALL_REASONS,
		.kind = (uint8_t)(at / KERNEL_WALL_REASONS),
		.end = KERNEL_STACK_WAITS_FULL,
	};
	const struct kernel_wait wait = {.ns = full->ns + full->alike_ns,
					 .count = full->count + full->alike_count};

	if (!wait.count)
		return 0;
	if (ARRAY_RESERVE(wall->waits, wall->wait_capacity, wall->wait_count + 1))
		return -ENOMEM;
	wall->waits[wall->wait_count++] = (struct wall_wait){key, wait};
	wall->full_ns += wait.ns;
	return 0;
}

/* What found no room, by reason alone. */
static int read_full(struct engine *engine, struct wall *wall)
{
	struct kernel_wait *waits;
	uint32_t *places, count;
	int ret = kernel_map_read(engine->kernel->maps.waits_full, (void **)&places,
				  (void **)&waits, &count);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < count && !ret; i++)
		ret = add_full(wall, places[i], &waits[i]);
	free(places);
	free(waits);
	return ret;
}

/* Since 6.1 the kernel does not run a program that it has interrupted on that CPU: who wakes itself
 * does so with interrupts on. */
static int read_nested(struct engine *engine, struct wall *wall)
{
	struct bpf_program *programs[] = WALL_PROGRAMS(engine->kernel);

	for (size_t i = 0; i < ARRAY_LENGTH(programs); i++) {
		struct bpf_prog_info info = {0};
		uint32_t size = sizeof(info);
		int fd = bpf_program__fd(programs[i]);

		if (fd < 0)
			continue; /* not loaded */
		if (bpf_obj_get_info_by_fd(fd, &info, &size))
			return -errno;
		wall->all.facts[KERNEL_WALL_MISSED_NESTED] += info.recursion_misses;
	}
	return 0;
}

static int read_all(struct engine *engine, struct wall *wall)
{
	uint32_t zero = 0;
	int ret = kernel_map_read(engine->kernel->maps.lives_ended, (void **)&wall->tasks,
				  (void **)&wall->ended, &wall->ended_count);

	if (!ret)
		ret = kernel_map_read(engine->kernel->maps.wall_shares, (void **)&wall->places,
				      (void **)&wall->shares, &wall->share_count);
	if (!ret)
		ret = read_waits(engine, wall);
	if (!ret)
		ret = read_full(engine, wall);
	if (!ret)
		ret = read_left(engine, wall);
	if (!ret &&
	    bpf_map_lookup_elem(bpf_map__fd(engine->kernel->maps.wall_all), &zero, &wall->all))
		ret = -errno;
	return ret ? ret : read_nested(engine, wall);
}

int kernel_wall_read(struct engine *engine, bool final, uint64_t period_ns, struct wall **ret_wall)
{
	struct wall *wall = calloc(1, sizeof(*wall));
	int ret = wall ? 0 : -ENOMEM;

	if (!ret && final)
		close_account(engine);
	if (!ret)
		ret = read_all(engine, wall);
	if (ret) {
		kernel_wall_done(wall);
		return ret;
	}
	wall->period_ns = period_ns;
	wall->is_started = engine->options.program;
	wall->base_ns = engine->kernel->bss->wall_base_ns;
	wall->closed_ns = engine->kernel->bss->wall_closed_ns;
	if (!wall->closed_ns)
		wall->closed_ns = monotonic_ns();
	*ret_wall = wall;
	return 0;
}

void kernel_wall_done(struct wall *wall)
{
	if (!wall)
		return;
	free(wall->waits);
	free(wall->tasks);
	free(wall->ended);
	free(wall->left);
	free(wall->places);
	free(wall->shares);
	free(wall);
}
