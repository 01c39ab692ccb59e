// SPDX-License-Identifier: BSD-2-Clause
#include "engine/kernel/unwinding.h"

#include "base/array.h"
#include "base/keyset.h"
#include "base/maps_line.h"
#include "engine/kernel/private.h"
#include "engine/kernel/rule.h"
#include "engine/kernel/stacks.h"
#include "target/closure.h"
#include "unwind/cache.h"
#include "unwind/load.h"
#include "unwind/rules.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/* Room for all files' rows: the C compiler of a distribution has half a million, a browser or an
 * interpreter with what it loads fewer.  What comes when there is none left has no table, and its
 * callers are not known. */
#define TABLES_MIB 10
#define ROWS_TO_A_PAGE 4 /* there is room for so many times the rows */
#define ROWS_OF_A_MIB \
	((1u << 20) / \
	 (sizeof(struct kernel_table_row) + sizeof(struct kernel_table_page) / ROWS_TO_A_PAGE))

/* Elsewhere nobody walks yet, and no file is known before it is met. */
#if defined(__x86_64__)
#define UNWIND_HAS_TABLES 1
#else
#define UNWIND_HAS_TABLES 0
#endif

/* A page of the index has so many rows, more or less. */
#define ROWS_IN_PAGE 8
#define LEAST_PAGE_SHIFT 6

_Static_assert(sizeof(struct unwind_row) == sizeof(struct kernel_table_row), "they are the same");

struct unwinding {
	struct engine *engine;
	struct kernel_table *tables;
	struct kernel_table_page *pages;
	struct kernel_table_row *rows;
	struct kernel_rule *rules;
	uint32_t page_count, row_count, most_pages, most_rows;
	struct unwind_rules known; /* those that RULES has */
	struct keyset mapped;	   /* device and inode of what processes were seen to have */
	struct ring_buffer *asked;
};

int unwinding_configure(const struct engine *engine)
{
	const struct kernel *kernel = engine->kernel;
	uint32_t mib = engine->options.tables_mib ? engine->options.tables_mib : TABLES_MIB;
	uint32_t rows = mib * ROWS_OF_A_MIB;
	int ret = bpf_map__set_max_entries(kernel->maps.table_rows, rows);

	return ret ? ret
		   : bpf_map__set_max_entries(kernel->maps.table_pages, rows / ROWS_TO_A_PAGE);
}

/* ---- into the maps ---- */

/* The number of RULE among those of all files. */
static uint16_t number_of(struct unwinding *unwinding, const struct unwind_rule *rule)
{
	size_t before = unwinding->known.count;
	uint16_t number;

	if (unwind_rules_add(&unwinding->known, rule, &number) || number >= STACK_RULES)
		return UNWIND_UNKNOWN;
	if (unwinding->known.count != before)
		rule_shorten(rule, &unwinding->rules[number]);
	return number;
}

static int put_rows(struct unwinding *unwinding, const struct unwind_table *table)
{
	struct kernel_table_row *to = unwinding->rows + unwinding->row_count;
	uint16_t *numbers = calloc(table->rule_count + UNWIND_FIRST_RULE, sizeof(*numbers));

	if (!numbers)
		return -ENOMEM;
	numbers[UNWIND_OUTERMOST] = UNWIND_OUTERMOST;
	for (size_t i = UNWIND_FIRST_RULE; i < table->rule_count; i++)
		numbers[i] = number_of(unwinding, &table->rules[i]);
	for (size_t i = 0; i < table->row_count; i++)
		to[i] = (struct kernel_table_row){
			table->rows[i].offset, numbers[table->rows[i].rule], table->rows[i].back};
	free(numbers);
	return 0;
}

/* The index of the rows from FIRST on, each page of which knows where its own begin. */
static void put_pages(struct unwinding *unwinding, const struct kernel_table *table, uint32_t first,
		      uint32_t count)
{
	const struct kernel_table_row *rows = unwinding->rows;
	struct kernel_table_page *pages = unwinding->pages + table->page_base;
	uint32_t row = first, end = first + count;

	for (uint32_t i = 0; i < table->page_count; i++) {
		uint64_t after = table->first_offset + ((uint64_t)(i + 1) << table->page_shift);

		pages[i].low = row;
		while (row + 1 < end && rows[row + 1].offset < after)
			row++;
		pages[i].high = row + 1;
	}
}

static uint32_t state_of(struct unwinding *unwinding, const struct unwind_table *from,
			 struct kernel_table *to)
{
	const struct unwind_row *rows = from->rows;
	uint32_t first = unwinding->row_count, count = (uint32_t)from->row_count;
	uint32_t span;

	if (!count)
		return KERNEL_TABLE_EMPTY;
	if (from->row_count > unwinding->most_rows - first)
		return KERNEL_TABLE_FULL;
	span = rows[count - 1].offset - rows[0].offset;
	to->page_shift = LEAST_PAGE_SHIFT;
	while (span >> to->page_shift > count / ROWS_IN_PAGE)
		to->page_shift++;
	to->first_offset = rows[0].offset;
	to->page_base = unwinding->page_count;
	to->page_count = (span >> to->page_shift) + 1;
	if (to->page_count > unwinding->most_pages - unwinding->page_count)
		return KERNEL_TABLE_FULL;
	if (put_rows(unwinding, from))
		return KERNEL_TABLE_NONE;
	put_pages(unwinding, to, first, count);
	unwinding->row_count += count;
	unwinding->page_count += to->page_count;
	return KERNEL_TABLE_READY;
}

/* What is in a table is there before it is said to be. */
static void put(struct unwinding *unwinding, uint32_t slot, const struct unwind_table *from)
{
	struct kernel_table *to = &unwinding->tables[slot];
	uint32_t state = state_of(unwinding, from, to);

	to->word_size = from->word_size;
	__atomic_store_n(&to->state, state, __ATOMIC_RELEASE);
}

/* The vdso's that LOAD has. */
static void put_vdso(struct unwinding *unwinding, uint32_t slot,
		     int (*load)(struct unwind_table *ret_table))
{
	struct unwind_table table = {0};

	if (unwinding->tables[slot].state > KERNEL_TABLE_ASKED)
		return;
	if (load(&table))
		unwinding->tables[slot].state = KERNEL_TABLE_NONE;
	else
		put(unwinding, slot, &table);
	unwind_table_done(&table);
}

/* Of the file FD. */
static void put_compiled(struct unwinding *unwinding, uint32_t slot, int fd)
{
	struct unwind_table table = {0};

	unwinding->tables[slot].python = kernel_python_take(unwinding->engine, fd);
	if (unwind_load_cached(fd, &table))
		unwinding->tables[slot].state = KERNEL_TABLE_NONE;
	else
		put(unwinding, slot, &table);
	if (table.word_size == sizeof(uint32_t))
		put_vdso(unwinding, STACK_TABLE_VDSO32, unwind_load_vdso32);
	unwind_table_done(&table);
}

/* ---- files ---- */

/* The number that the BPF program has for the file that is mapped at IMAGE. */
static uint32_t number_of_mapped(struct unwinding *unwinding, const void *image, bool add)
{
	const struct kernel *kernel = unwinding->engine->kernel;
	volatile struct kernel__bss *bss = kernel->bss;
	LIBBPF_OPTS(bpf_test_run_opts, options);

	bss->known_address = (uint64_t)(uintptr_t)image;
	bss->known_add = add;
	if (bpf_prog_test_run_opts(bpf_program__fd(kernel->progs.know_file), &options))
		return KERNEL_FILES;
	return bss->known_number;
}

/* The file FD, which is to be NUMBER, or any: KERNEL_FILES.  False: it is another one. */
static bool put_open(struct unwinding *unwinding, int fd, uint32_t number)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *image = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	bool is_any = number == KERNEL_FILES;
	uint32_t found;

	if (image == MAP_FAILED)
		return false;
	found = number_of_mapped(unwinding, image, /* add= */ is_any);
	munmap(image, page);
	if (found >= KERNEL_FILES || (!is_any && found != number))
		return false;
	if (unwinding->tables[found].state <= KERNEL_TABLE_ASKED)
		put_compiled(unwinding, found, fd);
	return true;
}

static bool put_file(struct unwinding *unwinding, const char *path, uint32_t number)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	bool is_it;

	if (fd < 0)
		return false;
	is_it = !fstat(fd, &status) && S_ISREG(status.st_mode) && put_open(unwinding, fd, number);
	close(fd);
	return is_it;
}

/* Where FILE is found from here, or from where one stands who has it. */
static bool put_asked(struct unwinding *unwinding, uint32_t number)
{
	const struct kernel__bss *bss = unwinding->engine->kernel->bss;
	const struct kernel_file *file = &bss->files[number];
	char path[PATH_MAX + 64];
	int length = (int)file->path_length;

	if (!length || file->path_offset + file->path_length > KERNEL_PATH_HEAP)
		return false;
	(void)snprintf(path, sizeof(path), "%.*s", length, bss->path_heap + file->path_offset);
	if (put_file(unwinding, path, number))
		return true;
	(void)snprintf(path, sizeof(path), "/proc/%u/root/%.*s", file->pid, length,
		       bss->path_heap + file->path_offset);
	return put_file(unwinding, path, number);
}

/* What LINE of a process's memory maps has. */
static void put_mapped(struct unwinding *unwinding, const char *root, char *text)
{
	char path[PATH_MAX + 64];
	struct maps_line line;
	struct key key;
	uint32_t number;

	text[strcspn(text, "\n")] = '\0';
	if (!maps_line_parse(text, &line) || line.rights[2] != 'x' || *line.path != '/')
		return;
	key = (struct key){{(uint64_t)line.major << 32 | line.minor, line.inode}};
	if (keyset_add(&unwinding->mapped, &key, &number) != 1)
		return;
	(void)snprintf(path, sizeof(path), "%s%s", root, line.path);
	put_file(unwinding, path, KERNEL_FILES);
}

/* All that process PID has mapped by now: most often it is about to run that, too, and each file
 * that is met by itself costs a tick and a wake-up. */
static void put_process(struct unwinding *unwinding, uint32_t pid)
{
	char path[64], root[64], *line = NULL;
	size_t size = 0;
	FILE *maps;

	(void)snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	(void)snprintf(root, sizeof(root), "/proc/%u/root", pid);
	maps = fopen(path, "re");
	if (!maps)
		return;
	while (getline(&line, &size, maps) >= 0)
		put_mapped(unwinding, root, line);
	free(line);
	(void)fclose(maps);
}

static int serve(void *context, void *data, size_t size)
{
	struct unwinding *unwinding = context;
	const struct kernel_asked *asked = data;
	char path[64];

	if (size < sizeof(*asked))
		return 0;
	if (asked->number == STACK_TABLE_VDSO32)
		put_vdso(unwinding, STACK_TABLE_VDSO32, unwind_load_vdso32);
	if (asked->number < KERNEL_FILES &&
	    unwinding->tables[asked->number].state <= KERNEL_TABLE_ASKED &&
	    !put_asked(unwinding, asked->number))
		unwinding->tables[asked->number].state = KERNEL_TABLE_NONE;
	if (asked->number == KERNEL_ASKED_PROGRAM) {
		(void)snprintf(path, sizeof(path), "/proc/%u/exe", asked->pid);
		put_file(unwinding, path, KERNEL_FILES);
	}
	put_process(unwinding, asked->pid);
	return 0;
}

static void put_closure(struct unwinding *unwinding, const char *program)
{
	struct closure closure;

	closure_find(program, &closure);
	for (size_t i = 0; i < closure.count; i++)
		put_file(unwinding, closure.paths[i], KERNEL_FILES);
	closure_done(&closure);
}

/* ---- the whole ---- */

static void *map_of(const struct bpf_map *map, size_t element)
{
	size_t size = bpf_map__max_entries(map) * ((element + 7) & ~(size_t)7);
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	return at == MAP_FAILED ? NULL : at;
}

static void unmap(const struct bpf_map *map, void *at, size_t element)
{
	if (at)
		munmap(at, bpf_map__max_entries(map) * ((element + 7) & ~(size_t)7));
}

int unwinding_open(struct engine *engine, struct unwinding **ret)
{
	const struct kernel *kernel = engine->kernel;
	struct unwinding *unwinding = calloc(1, sizeof(*unwinding));

	if (!unwinding)
		return -ENOMEM;
	unwinding->engine = engine;
	unwinding->most_pages = bpf_map__max_entries(kernel->maps.table_pages);
	unwinding->most_rows = bpf_map__max_entries(kernel->maps.table_rows);
	unwinding->tables = map_of(kernel->maps.tables, sizeof(*unwinding->tables));
	unwinding->pages = map_of(kernel->maps.table_pages, sizeof(*unwinding->pages));
	unwinding->rows = map_of(kernel->maps.table_rows, sizeof(*unwinding->rows));
	unwinding->rules = map_of(kernel->maps.table_rules, sizeof(*unwinding->rules));
	unwinding->asked =
		ring_buffer__new(bpf_map__fd(kernel->maps.asked), serve, unwinding, NULL);
	if (!unwinding->tables || !unwinding->pages || !unwinding->rows || !unwinding->rules ||
	    !unwinding->asked) {
		unwinding_close(unwinding);
		return -ENOMEM;
	}
	if (UNWIND_HAS_TABLES) {
		put_vdso(unwinding, STACK_TABLE_VDSO, unwind_load_vdso);
		if (engine->options.program)
			put_closure(unwinding, engine->options.program);
	}
	*ret = unwinding;
	return 0;
}

void unwinding_close(struct unwinding *unwinding)
{
	const struct kernel *kernel = unwinding ? unwinding->engine->kernel : NULL;

	if (!unwinding)
		return;
	unmap(kernel->maps.tables, unwinding->tables, sizeof(*unwinding->tables));
	unmap(kernel->maps.table_pages, unwinding->pages, sizeof(*unwinding->pages));
	unmap(kernel->maps.table_rows, unwinding->rows, sizeof(*unwinding->rows));
	unmap(kernel->maps.table_rules, unwinding->rules, sizeof(*unwinding->rules));
	ring_buffer__free(unwinding->asked);
	unwind_rules_finish(&unwinding->known);
	free(unwinding->known.items);
	keyset_done(&unwinding->mapped);
	free(unwinding);
}

int unwinding_wakeup(const struct unwinding *unwinding)
{
	return ring_buffer__epoll_fd(unwinding->asked);
}

void unwinding_serve(struct unwinding *unwinding)
{
	(void)ring_buffer__consume(unwinding->asked);
}
