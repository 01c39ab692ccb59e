// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/cache.h"

#include "base/array.h"
#include "base/build_id.h"
#include "base/write_all.h"
#include "unwind/cache_folder.h"
#include "unwind/load.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAGIC "profilU8"

/* Of all tables: a compiler's takes 4 MiB, a browser's 20. */
#define CACHE_MOST (UINT64_C(96) << 20)
#define TABLE_MOST (CACHE_MOST / 2)

/* A smaller file's table is compiled in less time than it takes to look for it. */
#define FILE_LEAST (1 << 20)
#define ROWS_LEAST 16384

/* A file that was changed just now may change again, and its times may not show it. */
#define SETTLED_NS (INT64_C(2) * 1000000000)

#define REGISTER_MOST (UNWIND_OTHER + 15)

enum { NAME_SIZE = 64 };

/* ---- what stands in a file ---- */

/* Four sums side by side, for one would wait for itself; each word counts by its place. */
uint64_t unwind_cache_sum(const void *cached, size_t size)
{
	const uint64_t prime = 0x9e3779b97f4a7c15u;
	uint64_t sums[4] = {1, 2, 3, 4}, words[4], sum = size;
	const char *at = (const char *)cached + offsetof(struct unwind_cache_head, key);
	size_t left = size - offsetof(struct unwind_cache_head, key);

	for (; left; at += sizeof(words)) {
		size_t piece = left < sizeof(words) ? left : sizeof(words);

		if (piece < sizeof(words))
			memset(words, 0, sizeof(words));
		memcpy(words, at, piece);
		for (int i = 0; i < 4; i++) {
			sums[i] = (sums[i] ^ words[i]) * prime;
			sums[i] ^= sums[i] >> 32;
		}
		left -= piece;
	}
	for (int i = 0; i < 4; i++) {
		sum = (sum ^ sums[i]) * prime;
		sum ^= sum >> 32;
	}
	return sum;
}

static bool is_rule(const struct unwind_rule *rule)
{
	const unsigned flags = UNWIND_DEREFERENCE | UNWIND_STUB | UNWIND_SIGNAL | UNWIND_FRAMED;

	if (rule->cfa_register > REGISTER_MOST || (rule->flags & ~flags) ||
	    rule->saved[UNWIND_RETURN].where == UNWIND_SAME)
		return false;
	for (unsigned i = 0; i < UNWIND_SAVED_COUNT; i++) {
		const struct unwind_place *place = &rule->saved[i];

		if (place->where > UNWIND_IN_REGISTER)
			return false;
		if (place->where == UNWIND_IN_REGISTER &&
		    (place->offset < 0 || place->offset > REGISTER_MOST))
			return false;
	}
	return true;
}

static bool is_sound(const struct unwind_table *table)
{
	const struct unwind_row *rows = table->rows;

	for (size_t i = UNWIND_FIRST_RULE; i < table->rule_count; i++)
		if (!is_rule(&table->rules[i]))
			return false;
	for (size_t i = 0; i < table->row_count; i++) {
		if (i && rows[i].offset <= rows[i - 1].offset)
			return false;
		if (rows[i].back > i && rows[i].back != UINT16_MAX)
			return false;
		if (rows[i].rule >= UNWIND_FIRST_RULE && rows[i].rule >= table->rule_count)
			return false;
	}
	return table->word_size == 4 || table->word_size == 8;
}

static bool is_of(const struct unwind_cache_head *head, const struct unwind_cache_key *key)
{
	struct unwind_cache_key found = head->key;

	found.word_size = 0;
	return !memcmp(&found, key, sizeof(found));
}

int unwind_cache_parse(const void *cached, size_t size, const struct unwind_cache_key *key,
		       struct unwind_table *ret_table)
{
	const struct unwind_cache_head *head = cached;
	struct unwind_table table = {0};
	uint64_t row_bytes;

	if (size < sizeof(*head) || memcmp(head->magic, MAGIC, sizeof(head->magic)) ||
	    !is_of(head, key) || head->row_count > size / sizeof(*table.rows) ||
	    head->rule_count > UINT16_MAX + UINT64_C(1))
		return -EBADMSG;
	row_bytes = head->row_count * sizeof(*table.rows);
	if (size != sizeof(*head) + row_bytes + head->rule_count * sizeof(*table.rules) ||
	    unwind_cache_sum(cached, size) != head->sum)
		return -EBADMSG;
	table.row_count = head->row_count;
	table.rule_count = head->rule_count;
	table.word_size = head->key.word_size;
	table.rows = malloc(row_bytes + 1);
	table.rules = calloc(head->rule_count + 1, sizeof(*table.rules));
	if (!table.rows || !table.rules) {
		unwind_table_done(&table);
		return -ENOMEM;
	}
	memcpy(table.rows, head + 1, row_bytes);
	memcpy(table.rules, (const char *)(head + 1) + row_bytes,
	       head->rule_count * sizeof(*table.rules));
	if (!is_sound(&table)) {
		unwind_table_done(&table);
		return -EBADMSG;
	}
	*ret_table = table;
	return 0;
}

/* ---- whose it is ---- */

/* The build-id of the program that runs: the first of all objects. */
static int take_maker(struct dl_phdr_info *info, size_t size, void *context)
{
	struct unwind_cache_key *key = context;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type == PT_NOTE &&
		    build_id_find((const char *)info->dlpi_addr + part->p_vaddr, part->p_memsz,
				  part->p_align, key->maker, sizeof(key->maker)))
			return 1;
	}
	return -1;
}

static int64_t in_ns(const struct timespec *time)
{
	return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

/* The file FD, if its table may be kept.  What only profil's rights let it read stays unwritten. */
static bool key_of(int fd, struct unwind_cache_key *ret_key)
{
	struct unwind_cache_key key = {0};
	struct stat status;
	struct timespec now;

	if (fstat(fd, &status) || clock_gettime(CLOCK_REALTIME, &now) || !S_ISREG(status.st_mode) ||
	    status.st_size < FILE_LEAST ||
	    !(status.st_mode & S_IROTH || status.st_uid == geteuid()))
		return false;
	key.device = status.st_dev;
	key.inode = status.st_ino;
	key.size = (uint64_t)status.st_size;
	key.modified_ns = in_ns(&status.st_mtim);
	key.changed_ns = in_ns(&status.st_ctim);
	if (key.changed_ns > in_ns(&now) - SETTLED_NS || dl_iterate_phdr(take_maker, &key) != 1)
		return false;
	*ret_key = key;
	return true;
}

static void name_of(const struct unwind_cache_key *key, char *ret_name)
{
	(void)snprintf(ret_name, NAME_SIZE, "unwind-%" PRIx64 "-%" PRIx64, key->device, key->inode);
}

/* ---- reading ---- */

static bool read_all(int fd, void *to, size_t size)
{
	for (char *at = to; size;) {
		ssize_t got = read(fd, at, size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		size -= (size_t)got;
	}
	return true;
}

static int parse_open(int fd, const struct unwind_cache_key *key, struct unwind_table *ret_table)
{
	struct stat status;
	void *cached;
	int ret;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
	    status.st_size <= 0 || (uint64_t)status.st_size > TABLE_MOST)
		return -EBADMSG;
	cached = malloc((size_t)status.st_size);
	if (!cached)
		return -ENOMEM;
	ret = read_all(fd, cached, (size_t)status.st_size)
		      ? unwind_cache_parse(cached, (size_t)status.st_size, key, ret_table)
		      : -EBADMSG;
	free(cached);
	return ret;
}

static int find(int folder, const struct unwind_cache_key *key, struct unwind_table *ret_table)
{
	char name[NAME_SIZE];
	int fd, ret;

	name_of(key, name);
	fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	ret = parse_open(fd, key, ret_table);
	if (!ret)
		(void)futimens(fd, NULL); /* the oldest go first */
	(void)close(fd);
	return ret;
}

/* ---- writing ---- */

/* Under a name of its own first, so that nobody reads half of it. */
static void put(int folder, const char *name, const void *bytes, size_t size)
{
	char unfinished[NAME_SIZE];
	bool is_whole;
	int fd;

	(void)snprintf(unfinished, sizeof(unfinished), "new-%d", (int)getpid());
	(void)unlinkat(folder, unfinished, 0); /* of one that was killed, with the same number */
	fd = openat(folder, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	is_whole = !write_all(fd, bytes, size);
	if (close(fd) || !is_whole || renameat(folder, unfinished, folder, name))
		(void)unlinkat(folder, unfinished, 0);
}

static void keep(int folder, const struct unwind_cache_key *key, const struct unwind_table *table)
{
	size_t rows = table->row_count * sizeof(*table->rows);
	size_t rules = table->rule_count * sizeof(*table->rules);
	size_t size = sizeof(struct unwind_cache_head) + rows + rules;
	struct unwind_cache_head *head;
	char name[NAME_SIZE];

	if (size > TABLE_MOST)
		return;
	head = calloc(1, size);
	if (!head)
		return;
	memcpy(head->magic, MAGIC, sizeof(head->magic));
	head->key = *key;
	head->key.word_size = table->word_size;
	head->row_count = table->row_count;
	head->rule_count = table->rule_count;
	memcpy(head + 1, table->rows, rows);
	memcpy((char *)(head + 1) + rows, table->rules, rules);
	head->sum = unwind_cache_sum(head, size);
	name_of(key, name);
	put(folder, name, head, size);
	free(head);
	unwind_cache_trim(folder, CACHE_MOST);
}

/* Compile what is not there; a file that was written to meanwhile is not kept. */
static int load_and_keep(int folder, int fd, const struct unwind_cache_key *key,
			 struct unwind_table *ret_table)
{
	struct unwind_cache_key after;
	int ret = unwind_load(fd, ret_table);

	if (!ret && ret_table->row_count >= ROWS_LEAST && key_of(fd, &after) &&
	    !memcmp(key, &after, sizeof(after)))
		keep(folder, key, ret_table);
	return ret;
}

int unwind_load_cached(int fd, struct unwind_table *ret_table)
{
	struct unwind_cache_key key;
	int folder = key_of(fd, &key) ? unwind_cache_folder() : -1;
	int ret;

	if (folder < 0)
		return unwind_load(fd, ret_table);
	ret = find(folder, &key, ret_table);
	if (ret)
		ret = load_and_keep(folder, fd, &key, ret_table);
	(void)close(folder);
	return ret;
}
