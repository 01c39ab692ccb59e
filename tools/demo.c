// SPDX-License-Identifier: BSD-2-Clause
/* What "make demo" profiles: it puts the files below a folder into a database (SQLite), each packed
 * (zlib), with an index of all their words.  One thread reads and packs, the other stores: what
 * each waits for, the other or the disk, is in the profile. */
#include <errno.h>
#include <fts.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#define BYTES_MAX 32000000 /* a few seconds of work */
#define QUEUE 8
#define COMMIT_EACH 64 /* files */

struct file {
	char *path, *text;
	size_t size;
	Bytef *packed;
	uLongf packed_size;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct file files[QUEUE];
	size_t put, taken;
	bool ended;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};

static void fail(const char *what, const char *why)
{
	(void)fprintf(stderr, "demo: %s: %s\n", what, why);
	exit(EXIT_FAILURE);
}

static void *must(void *memory)
{
	if (!memory)
		fail("memory", strerror(ENOMEM));
	return memory;
}

/* NULL: there are no more. */
static void put(const struct file *file)
{
	pthread_mutex_lock(&queue.lock);
	while (queue.put - queue.taken == QUEUE)
		pthread_cond_wait(&queue.changed, &queue.lock);
	if (file)
		queue.files[queue.put++ % QUEUE] = *file;
	queue.ended = !file;
	pthread_cond_signal(&queue.changed);
	pthread_mutex_unlock(&queue.lock);
}

static bool take(struct file *ret_file)
{
	bool is_there;

	pthread_mutex_lock(&queue.lock);
	while (queue.put == queue.taken && !queue.ended)
		pthread_cond_wait(&queue.changed, &queue.lock);
	is_there = queue.put != queue.taken;
	if (is_there)
		*ret_file = queue.files[queue.taken++ % QUEUE];
	pthread_cond_signal(&queue.changed);
	pthread_mutex_unlock(&queue.lock);
	return is_there;
}

/* ---- the thread that reads ---- */

static void read_file(const FTSENT *entry, struct file *ret_file)
{
	FILE *in = fopen(entry->fts_accpath, "re");
	size_t size = (size_t)entry->fts_statp->st_size;

	if (!in)
		fail(entry->fts_path, strerror(errno));
	*ret_file = (struct file){must(strdup(entry->fts_path)), must(malloc(size + 1))};
	ret_file->size = fread(ret_file->text, 1, size, in);
	(void)fclose(in);
}

static void pack_file(struct file *file)
{
	file->packed_size = compressBound(file->size);
	file->packed = must(malloc(file->packed_size));
	if (compress2(file->packed, &file->packed_size, (Bytef *)file->text, file->size,
		      Z_BEST_COMPRESSION))
		fail(file->path, "cannot be packed");
}

static int by_name(const FTSENT **left, const FTSENT **right)
{
	return strcmp((*left)->fts_name, (*right)->fts_name);
}

static void *read_files(void *folder)
{
	FTS *walk = must(fts_open((char *[]){folder, NULL}, FTS_PHYSICAL | FTS_NOCHDIR, by_name));
	size_t bytes = 0;
	FTSENT *entry;

	while (bytes < BYTES_MAX && (entry = fts_read(walk))) {
		struct file file;

		if (entry->fts_info != FTS_F)
			continue;
		read_file(entry, &file);
		pack_file(&file);
		bytes += file.size;
		put(&file);
	}
	(void)fts_close(walk);
	put(NULL);
	return NULL;
}

/* ---- the thread that stores ---- */

static void execute(sqlite3 *database, const char *sql)
{
	if (sqlite3_exec(database, sql, NULL, NULL, NULL))
		fail(sql, sqlite3_errmsg(database));
}

static sqlite3_stmt *prepare(sqlite3 *database, const char *sql)
{
	sqlite3_stmt *statement;

	if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL))
		fail(sql, sqlite3_errmsg(database));
	return statement;
}

static void insert(sqlite3_stmt *statement, const char *path, const void *text, size_t size)
{
	(void)sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC);
	(void)sqlite3_bind_blob(statement, 2, text, (int)size, SQLITE_STATIC);
	(void)sqlite3_step(statement);
	if (sqlite3_reset(statement))
		fail(path, sqlite3_errmsg(sqlite3_db_handle(statement)));
}

static void store_files(sqlite3 *database)
{
	sqlite3_stmt *words = prepare(database, "insert into words values (?, cast(? as text))");
	sqlite3_stmt *files = prepare(database, "insert into files values (?, ?)");
	struct file file;

	execute(database, "begin");
	for (size_t count = 1; take(&file); count++) {
		insert(words, file.path, file.text, file.size);
		insert(files, file.path, file.packed, file.packed_size);
		if (count % COMMIT_EACH == 0)
			execute(database, "commit; begin");
		free(file.path);
		free(file.text);
		free(file.packed);
	}
	execute(database, "commit");
	(void)sqlite3_finalize(words);
	(void)sqlite3_finalize(files);
}

int main(int argc, char **argv)
{
	sqlite3 *database;
	pthread_t reader;
	int ret;

	if (argc != 3)
		fail("usage", "demo FOLDER DATABASE");
	if (sqlite3_open(argv[2], &database))
		fail(argv[2], sqlite3_errmsg(database));
	execute(database, "create virtual table words using fts5(path, text);"
			  "create table files(path primary key, packed)");
	ret = pthread_create(&reader, NULL, read_files, argv[1]);
	if (ret)
		fail("thread", strerror(ret));
	store_files(database);
	(void)pthread_join(reader, NULL);
	(void)sqlite3_close(database);
	return 0;
}
