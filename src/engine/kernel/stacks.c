// SPDX-License-Identifier: BSD-2-Clause
/* What of the kernel engine is there for call stacks alone, and what is left out where they are not
 * asked for: neither costs the other anything. */
#include "engine/kernel/private.h"
#include "engine/kernel/tables.h"

#include "base/array.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>

#include <bpf/libbpf.h>

int kernel_flat_configure(struct engine *engine)
{
	struct kernel *kernel = engine->kernel;
	struct bpf_map *unused[] = {kernel->maps.stacks,	 kernel->maps.tables,
				    kernel->maps.table_pages,	 kernel->maps.table_rows,
				    kernel->maps.table_rules,	 kernel->maps.asked,
				    kernel->maps.contexts,	 kernel->maps.context_slots,
				    kernel->maps.stack_cells,	 kernel->maps.stack_recent,
				    kernel->maps.stack_rows,	 kernel->maps.python_states,
				    kernel->maps.python_threads, kernel->maps.python_names,
				    kernel->maps.python_pieces};

	bpf_program__set_autoload(kernel->progs.tick_with_stack, false);
	bpf_program__set_autoload(kernel->progs.know_file, false);
	bpf_program__set_autoload(kernel->progs.executed, false);
	for (size_t i = 0; i < ARRAY_LENGTH(unused); i++)
		bpf_map__set_autocreate(unused[i], false);
	return bpf_map__set_max_entries(kernel->maps.cells, engine->cell_limit);
}

int kernel_stacks_configure(struct engine *engine)
{
	const struct engine_options *options = &engine->options;
	struct kernel *kernel = engine->kernel;
	int ret = kernel_tables_configure(engine);

	/* The loader works while the kernel checks the counting program. */
	if (options->program)
		closure_begin(options->program, &engine->closure);
	bpf_program__set_autoload(kernel->progs.tick, false);
	bpf_map__set_autocreate(kernel->maps.cells, false);
	bpf_map__set_autocreate(kernel->maps.recent, false);
	kernel->rodata->max_stack = options->max_stack ? options->max_stack : STACK_DEEPEST;
	kernel->rodata->folds = !options->no_fold;
	if (getrandom((void *)&kernel->rodata->context_seed, sizeof(uint64_t), GRND_NONBLOCK) < 0)
		kernel->rodata->context_seed = monotonic_ns();
	if (!ret)
		ret = kernel_python_configure(engine);
	if (!ret)
		ret = kernel_contexts_configure(engine);
	return ret ? ret : bpf_map__set_max_entries(kernel->maps.stack_cells, engine->cell_limit);
}

/* What CPUs come, and what files are met, is told by one descriptor. */
static int watch_both(struct engine *engine)
{
	struct epoll_event event = {.events = EPOLLIN};
	int fd;

	engine->wakeup = epoll_create1(EPOLL_CLOEXEC);
	if (engine->wakeup < 0)
		return -errno;
	fd = unwinding_wakeup(engine->unwinding);
	if (epoll_ctl(engine->wakeup, EPOLL_CTL_ADD, fd, &event))
		return -errno;
	if (engine->watch >= 0 && epoll_ctl(engine->wakeup, EPOLL_CTL_ADD, engine->watch, &event))
		return -errno;
	return 0;
}

int kernel_stacks_open(struct engine *engine, struct error *reterr)
{
	int ret = unwinding_open(engine, &engine->unwinding);

	if (!ret)
		ret = watch_both(engine);
	return ret ? error_set(reterr, ret,
			       "kernel engine: no room for unwind tables: %s: take --flat",
			       strerror(-ret))
		   : 0;
}
