// SPDX-License-Identifier: BSD-2-Clause
#include "engine/kernel/unwinding.h"

#include "base/array.h"
#include "base/keyset.h"
#include "base/maps_line.h"
#include "engine/kernel/private.h"
#include "engine/kernel/stacks.h"
#include "engine/kernel/tables.h"
#include "target/closure.h"
#include "unwind/cache.h"
#include "unwind/framed.h"
#include "unwind/load.h"

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

/* Elsewhere nobody walks yet, and no file is known before it is met. */
#if defined(__x86_64__)
#define UNWIND_HAS_TABLES 1
#else
#define UNWIND_HAS_TABLES 0
#endif

struct unwinding {
	struct engine *engine;
	struct kernel_tables tables;
	struct keyset mapped; /* device and inode of what processes were seen to have */
	struct ring_buffer *asked;
	struct framed *framed; /* heap */
	size_t framed_count, framed_capacity;
	struct unwind_answers answers;
};

/* A file of which frame pointers are all that is known. */
struct framed {
	uint32_t number;
	int fd;
	struct unwind_table table;
};

/* ---- tables ---- */

/* The vdso's that LOAD has. */
static void put_vdso(struct unwinding *unwinding, uint32_t slot,
		     int (*load)(struct unwind_table *ret_table))
{
	struct unwind_table table = {0};

	if (unwinding->tables.of[slot].state > KERNEL_TABLE_ASKED)
		return;
	if (load(&table))
		unwinding->tables.of[slot].state = KERNEL_TABLE_NONE;
	else
		kernel_tables_put(&unwinding->tables, slot, &table);
	unwind_table_done(&table);
}

/* Keep TABLE, of the file FD, if it has such rules. */
static void keep_framed(struct unwinding *unwinding, uint32_t number, int fd,
			struct unwind_table *table)
{
	if (!unwind_has_framed(table) ||
	    ARRAY_RESERVE(unwinding->framed, unwinding->framed_capacity,
			  unwinding->framed_count + 1))
		return;
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return;
	unwinding->framed[unwinding->framed_count++] = (struct framed){number, fd, *table};
	*table = (struct unwind_table){0};
}

/* Of the file FD. */
static void put_compiled(struct unwinding *unwinding, uint32_t slot, int fd)
{
	struct unwind_table table = {0};

	unwinding->tables.of[slot].python = kernel_python_take(unwinding->engine, fd);
	if (unwind_load_cached(fd, &table))
		unwinding->tables.of[slot].state = KERNEL_TABLE_NONE;
	else
		kernel_tables_put(&unwinding->tables, slot, &table);
	if (table.word_size == sizeof(uint32_t))
		put_vdso(unwinding, STACK_TABLE_VDSO32, unwind_load_vdso32);
	keep_framed(unwinding, slot, fd, &table);
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

/* The same of the file FD. */
static uint32_t number_of_open(struct unwinding *unwinding, int fd, bool add)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *image = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	uint32_t found;

	if (image == MAP_FAILED)
		return KERNEL_FILES;
	found = number_of_mapped(unwinding, image, add);
	munmap(image, page);
	return found;
}

/* The file FD, which is to be NUMBER, or any: KERNEL_FILES.  False: it is another one. */
static bool put_open(struct unwinding *unwinding, int fd, uint32_t number)
{
	bool is_any = number == KERNEL_FILES;
	uint32_t found = number_of_open(unwinding, fd, /* add= */ is_any);

	if (found >= KERNEL_FILES || (!is_any && found != number))
		return false;
	if (unwinding->tables.of[found].state <= KERNEL_TABLE_ASKED)
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
	    unwinding->tables.of[asked->number].state <= KERNEL_TABLE_ASKED &&
	    !put_asked(unwinding, asked->number))
		unwinding->tables.of[asked->number].state = KERNEL_TABLE_NONE;
	if (asked->number == KERNEL_ASKED_PROGRAM) {
		(void)snprintf(path, sizeof(path), "/proc/%u/exe", asked->pid);
		put_file(unwinding, path, KERNEL_FILES);
	}
	put_process(unwinding, asked->pid);
	return 0;
}

static void put_closure(struct unwinding *unwinding, struct closure *closure)
{
	closure_end(closure);
	for (size_t i = 0; i < closure->count; i++)
		put_file(unwinding, closure->paths[i], KERNEL_FILES);
}

/* The measured process is profil itself until it executes the program.  Only what is executed later
 * needs a table of that file. */
static void mark_launcher(struct unwinding *unwinding)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	uint32_t number;

	if (fd < 0)
		return;
	number = number_of_open(unwinding, fd, /* add= */ true);
	close(fd);
	if (number >= KERNEL_FILES || unwinding->tables.of[number].state != KERNEL_TABLE_UNKNOWN)
		return;
	unwinding->tables.of[number].word_size = sizeof(void *);
	unwinding->tables.of[number].state = KERNEL_TABLE_LAUNCHER;
}

/* ---- what was taken for sure ---- */

bool unwinding_is_sure(struct unwinding *unwinding, uint32_t number, uint64_t offset, bool is_exact)
{
	const struct framed *framed = NULL;
	const struct unwind_answer *answer;
	const struct unwind_row *row;

	for (size_t i = 0; i < unwinding->framed_count; i++)
		if (unwinding->framed[i].number == number)
			framed = &unwinding->framed[i];
	row = framed ? unwind_find(&framed->table, offset) : NULL;
	if (!row || !(framed->table.rules[row->rule].flags & UNWIND_FRAMED))
		return true;
	answer = unwind_answer(&unwinding->answers, framed->fd, number, offset, is_exact,
			       /* may_follow= */ true);
	return answer && answer->is_sure;
}

/* ---- the whole ---- */

int unwinding_open(struct engine *engine, struct unwinding **ret)
{
	const struct kernel *kernel = engine->kernel;
	struct unwinding *unwinding = calloc(1, sizeof(*unwinding));

	if (!unwinding)
		return -ENOMEM;
	unwinding->engine = engine;
	unwinding->asked =
		ring_buffer__new(bpf_map__fd(kernel->maps.asked), serve, unwinding, NULL);
	if (kernel_tables_map(&unwinding->tables, kernel) || !unwinding->asked) {
		unwinding_close(unwinding);
		return -ENOMEM;
	}
	if (UNWIND_HAS_TABLES) {
		put_vdso(unwinding, STACK_TABLE_VDSO, unwind_load_vdso);
		if (engine->options.program) {
			put_closure(unwinding, &engine->closure);
			mark_launcher(unwinding);
		}
	}
	*ret = unwinding;
	return 0;
}

uint32_t unwinding_wanted_mib(const struct unwinding *unwinding)
{
	return kernel_tables_wanted(&unwinding->tables);
}

void unwinding_close(struct unwinding *unwinding)
{
	if (!unwinding)
		return;
	kernel_tables_unmap(&unwinding->tables, unwinding->engine->kernel);
	ring_buffer__free(unwinding->asked);
	keyset_done(&unwinding->mapped);
	for (size_t i = 0; i < unwinding->framed_count; i++) {
		close(unwinding->framed[i].fd);
		unwind_table_done(&unwinding->framed[i].table);
	}
	free(unwinding->framed);
	unwind_answers_done(&unwinding->answers);
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
