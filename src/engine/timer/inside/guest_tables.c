// SPDX-License-Identifier: BSD-2-Clause
#include "engine/timer/inside/guest.h"
#include "engine/timer/inside/guest_bench.h"

#include "unwind/load.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* The unwind tables of what is mapped here: whoever meets a file first compiles its table into
 * profil's memory, where all others find it.  One that finds no room there, or that another one was
 * killed while he wrote, is this process's own. */

#define PAGE 4096
#define ALIGN 8

enum { NOT_READY, BEING_WRITTEN, READY };

/* ------------------------------------------------------------------ the shared memory */

/* From now on ticks walk by it. */
static void publish(struct unwind_table *table, const struct unwind_table *made)
{
	table->rows = made->rows;
	table->row_count = made->row_count;
	table->rule_count = made->rule_count;
	table->word_size = made->word_size;
	__atomic_store_n(&table->rules, made->rules, __ATOMIC_RELEASE);
}

/* What stands there may be anything: rows and rules are looked at again where they are used. */
static bool adopt(struct guest_stacks *stacks, uint32_t place)
{
	struct handoff_table *shared = &stacks->shared.tables[place];
	uint64_t at, rows, rules;
	struct unwind_table made;

	if (__atomic_load_n(&shared->is_ready, __ATOMIC_ACQUIRE) != READY)
		return false;
	at = __atomic_load_n(&shared->at, __ATOMIC_RELAXED);
	rows = __atomic_load_n(&shared->row_count, __ATOMIC_RELAXED);
	rules = __atomic_load_n(&shared->rule_count, __ATOMIC_RELAXED);
	if (at > HANDOFF_TABLES || at % ALIGN ||
	    rows > (HANDOFF_TABLES - at) / sizeof(*made.rows) ||
	    rules > (HANDOFF_TABLES - at - rows * sizeof(*made.rows)) / sizeof(*made.rules))
		return false;
	made.rows = (struct unwind_row *)(void *)(stacks->shared.table_bytes + at);
	made.row_count = rows;
	made.rules = (struct unwind_rule *)(made.rows + rows);
	made.rule_count = rules;
	made.word_size = (uint32_t)__atomic_load_n(&shared->word_size, __ATOMIC_RELAXED);
	publish(&stacks->tables[place], &made);
	return true;
}

/* Copy MADE to where all find it. */
static void share(struct guest *guest, uint32_t place, const struct unwind_table *made)
{
	struct handoff_table *shared = &guest->stacks.shared.tables[place];
	uint64_t rows = made->row_count * sizeof(*made->rows);
	uint64_t bytes = rows + made->rule_count * sizeof(*made->rules), at;
	char *to = guest->stacks.shared.table_bytes;
	uint64_t state = NOT_READY;

	bytes += -bytes % ALIGN;
	if (bytes > HANDOFF_TABLES ||
	    !__atomic_compare_exchange_n(&shared->is_ready, &state, BEING_WRITTEN,
					 /* weak= */ false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	at = __atomic_fetch_add(&guest->handoff->table_bytes, bytes, __ATOMIC_RELAXED);
	if (at > HANDOFF_TABLES - bytes)
		return;
	if (rows)
		memcpy(to + at, made->rows, rows);
	if (made->rule_count)
		memcpy(to + at + rows, made->rules, made->rule_count * sizeof(*made->rules));
	shared->at = at;
	shared->row_count = made->row_count;
	shared->rule_count = made->rule_count;
	shared->word_size = made->word_size;
	__atomic_store_n(&shared->is_ready, READY, __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------------ files */

/* As guest_look.c has found it: another file's table would lead to wrong callers. */
static bool is_file(int fd, const struct handoff_place *place)
{
	struct stat status;

	if (fstat(fd, &status) || status.st_ino != place->inode ||
	    (status.st_dev != place->device && major(status.st_dev)))
		return false;
	return (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec ==
	       place->mtime_ns;
}

/* Never waited for. */
static int open_file(const struct handoff *handoff, const struct handoff_place *place)
{
	uint32_t start = place->path < HANDOFF_PATHS ? place->path : 0;
	char path[PATH_MAX];
	size_t length = strnlen(handoff->paths + start, HANDOFF_PATHS - start);
	int fd;

	if (length >= sizeof(path))
		return -1;
	memcpy(path, handoff->paths + start, length);
	path[length] = '\0';
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && !is_file(fd, place)) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

static int compile(const struct handoff *handoff, const struct handoff_place *place,
		   struct unwind_table *ret_table)
{
	int fd, ret;

	if (place->kind == HANDOFF_VDSO)
		return unwind_load_vdso(ret_table);
	fd = place->kind == HANDOFF_FILE ? open_file(handoff, place) : -1;
	if (fd < 0)
		return fd;
	ret = unwind_load(fd, ret_table);
	(void)close(fd);
	return ret;
}

static void load(struct guest *guest, uint32_t place)
{
	struct guest_stacks *stacks = &guest->stacks;
	struct unwind_table made;

	if (adopt(stacks, place) || stacks->wishes[place].tried)
		return;
	stacks->wishes[place].tried = 1;
	if (compile(guest->handoff, &guest->handoff->places[place], &made))
		return;
	share(guest, place, &made);
	if (adopt(stacks, place))
		unwind_table_done(&made);
	else
		publish(&stacks->tables[place], &made);
}

void guest_load_tables(struct guest *guest)
{
	struct guest_stacks *stacks = &guest->stacks;

	for (uint32_t i = 0; stacks->wishes && i < HANDOFF_PLACES; i++)
		if (stacks->wishes[i].is_mapped && !stacks->tables[i].rules)
			load(guest, i);
}

/* ------------------------------------------------------------------ the beginning */

/* A dump of the program's memory need not have all tables. */
static void hide_tables(const struct guest_stacks *stacks)
{
	uintptr_t start = ((uintptr_t)stacks->shared.table_bytes + PAGE - 1) & -(uintptr_t)PAGE;

	(void)madvise((void *)start, HANDOFF_TABLES - PAGE, MADV_DONTDUMP);
}

void guest_stacks_init(struct guest *guest)
{
	struct handoff *handoff = guest->handoff;
	struct guest_stacks *stacks = &guest->stacks;

	stacks->shared = handoff_stacks(handoff, handoff->cell_room, handoff->context_room);
	if (!stacks->shared.callers)
		return;
	hide_tables(stacks);
	stacks->most = handoff->most_calls;
	stacks->no_fold = handoff->no_fold;
	stacks->bench_size = sizeof(struct guest_bench) + stacks->most * sizeof(struct unwind_call);
	stacks->benches = space_make(GUEST_BENCHES * stacks->bench_size);
	stacks->tables = space_make(HANDOFF_PLACES * sizeof(*stacks->tables));
	if (stacks->benches && stacks->tables)
		stacks->wishes = space_make(HANDOFF_PLACES * sizeof(*stacks->wishes));
	guest_free_benches(guest);
}
