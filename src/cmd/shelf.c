// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/shelf.h"

#include "base/array.h"
#include "base/parse.h"
#include "base/path.h"
#include "base/write_all.h"
#include "cmd/apart.h"
#include "cmd/command.h"
#include "format/format.h"
#include "profile/pprof.h"
#include "view/html_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FILE_SECONDS 30 /* of CPU time, for a file of the list */
#define PROCESS_SECONDS 60

static int check_file(const char *path, struct error *reterr)
{
	struct stat stat_;

	if (stat(path, &stat_))
		return error_set(reterr, -errno, "%s: %s: name a profile or a folder of them", path,
				 strerror(errno));
	if (S_ISREG(stat_.st_mode))
		return 0;
	return error_set(reterr, -EINVAL, "%s: not a file: name files, or one folder alone", path);
}

int shelf_open(struct shelf *shelf, char **operands, size_t count, struct error *reterr)
{
	struct stat stat_;
	int ret = 0;

	*shelf = (struct shelf){operands, count};
	if (count == 1 && !stat(operands[0], &stat_) && S_ISDIR(stat_.st_mode)) {
		*shelf = (struct shelf){.is_folder = true};
		if (!chdir(operands[0]))
			return 0;
		return error_set(reterr, -errno, "%s: %s: name a folder that you may read",
				 operands[0], strerror(errno));
	}
	for (size_t i = 0; i < count && !ret; i++)
		ret = check_file(operands[i], reterr);
	return ret;
}

/* Whether NAME is a file of this folder, or a link to one below it.  What begins with a dot is
 * hidden, and with a dash would be an option. */
static bool is_here(const char *name)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
			       .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
	struct stat stat;
	bool is_file;
	int fd;

	if (!*name || *name == '.' || *name == '-' || strchr(name, '/'))
		return false;
	fd = (int)syscall(SYS_openat2, AT_FDCWD, name, &how, sizeof(how));
	if (fd < 0 && errno == ENOSYS) /* RestrictSUIDSGID= of systemd: then no links */
		fd = open(name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	is_file = !fstat(fd, &stat) && S_ISREG(stat.st_mode);
	close(fd);
	return is_file;
}

const char *shelf_find(const struct shelf *shelf, const char *name)
{
	uint64_t number;

	if (shelf->is_folder)
		return is_here(name) ? name : NULL;
	return parse_count(name, 1, shelf->count, &number) ? NULL : shelf->files[number - 1];
}

/* A file is read by another process, for no file may end the list or the page: one process for
 * all of them, and where it ends, another one for those behind the one that it was reading. */
struct list {
	const struct shelf *shelf;
	struct html_listed *items;
	size_t count, capacity;
	size_t read; /* of them */
	int ends[2]; /* of the pipe that the process writes to */
};

/* What that process says of a file: this, and behind it a text with its NUL, the command or why it
 * could not be read. */
struct record {
	bool is_read;
	int64_t time_ns;
	uint64_t duration_ns, samples;
};

/* What is not profil's own is read whole. */
static int glance(const char *file, struct pprof_glance *ret_glance, struct error *reterr)
{
	struct profile_account account;
	struct profile *profile;
	int ret = pprof_glance(file, ret_glance);

	if (!ret)
		return ret;
	ret = format_read(file, NULL, &profile, reterr);
	if (ret)
		return ret;
	profile_account(profile, &account);
	*ret_glance = (struct pprof_glance){
		.time_ns = profile->facts.time_ns,
		.duration_ns = profile->facts.duration_ns,
		.samples = account.total,
		.command = strdup(profile_text(profile, profile->facts.command)),
	};
	(void)profile_free(profile);
	return 0;
}

/* The texts are not given back: the process is over with the page. */
static int add(struct list *list, const char *address, const char *file)
{
	struct html_listed *item;
	int ret = ARRAY_RESERVE(list->items, list->capacity, list->count + 1);

	if (ret)
		return ret;
	item = &list->items[list->count++];
	*item = (struct html_listed){.address = strdup(address), .name = path_base(file)};
	return item->address ? 0 : -ENOMEM;
}

static const char *file_of(const struct list *list, size_t item)
{
	return list->shelf->is_folder ? list->items[item].address : list->shelf->files[item];
}

/* The limit on CPU time is each file's; a process that has used much of its own is followed by
 * another. */
static bool has_time(void)
{
	struct rlimit limit;
	rlim_t used = (rlim_t)clock() / CLOCKS_PER_SEC, most = used + 1 + FILE_SECONDS;

	if (!getrlimit(RLIMIT_CPU, &limit)) {
		limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
		(void)setrlimit(RLIMIT_CPU, &limit);
	}
	return used < PROCESS_SECONDS;
}

/* In the process that reads. */
static int read_on(void *context, int stop)
{
	struct list *list = context;
	int ret = 0;

	(void)stop;
	close(list->ends[0]);
	for (size_t i = list->read; i < list->count && !ret && has_time(); i++) {
		struct pprof_glance seen = {0};
		struct error why = {""};
		bool is_read = !glance(file_of(list, i), &seen, &why);
		struct record record = {is_read, seen.time_ns, seen.duration_ns, seen.samples};
		const char *text = !is_read ? why.text : seen.command ? seen.command : "";

		ret = write_all(list->ends[1], &record, sizeof(record));
		ret = ret ? ret : write_all(list->ends[1], text, strlen(text) + 1);
		free(seen.command);
	}
	return ret ? EXIT_PROFIL : 0;
}

/* Returns whether what it says of ITEM has come, whole. */
static bool receive(FILE *in, struct html_listed *item)
{
	struct record record;
	char *text = NULL;
	size_t room = 0;
	ssize_t length;

	if (fread(&record, sizeof(record), 1, in) != 1)
		return false;
	length = getdelim(&text, &room, '\0', in);
	if (length < 1 || text[length - 1])
		return false;
	item->time_ns = record.time_ns;
	item->duration_ns = record.duration_ns;
	item->samples = record.samples;
	item->program = record.is_read ? text : "";
	item->why = record.is_read ? NULL : text;
	return true;
}

/* STATUS is that of the process that was reading FILE. */
static const char *why_ended(const char *file, int status)
{
	char *why;
	int length;

	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		length = asprintf(&why, "%s: takes more than %d s to read: move it elsewhere", file,
				  FILE_SECONDS);
	else
		length = asprintf(&why, "%s: what read it ended with %s %d: move it elsewhere",
				  file, WIFSIGNALED(status) ? "signal" : "status",
				  WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return length < 0 ? NULL : why;
}

/* As many as a process can read. */
static int read_some(struct list *list)
{
	struct apart apart;
	struct html_listed *item;
	int ret = pipe2(list->ends, O_CLOEXEC) ? -errno : apart_begin(&apart, read_on, list),
	    status;
	FILE *in;

	if (ret)
		return ret;
	close(list->ends[1]);
	in = fdopen(list->ends[0], "r");
	while (in && list->read < list->count && receive(in, &list->items[list->read]))
		list->read++;
	ret = !in || (ferror(in) && !feof(in)) ? -ENOMEM : 0;
	if (in)
		(void)fclose(in); /* before it is waited for, for it may be writing */
	(void)apart_wait(&apart, /* ms= */ -1, /* watched= */ -1);
	status = apart_end(&apart);
	if (ret || !status || list->read == list->count)
		return ret;
	item = &list->items[list->read];
	item->program = "";
	item->why = status < 0 ? NULL : why_ended(file_of(list, list->read++), status);
	return status < 0 ? status : item->why ? 0 : -ENOMEM;
}

static int take(const struct dirent *entry)
{
	return is_here(entry->d_name);
}

static int add_folder(struct list *list)
{
	struct dirent **entries;
	int count = scandir(".", &entries, take, alphasort), ret = count < 0 ? -errno : 0;

	for (int i = 0; i < count && !ret; i++)
		ret = add(list, entries[i]->d_name, entries[i]->d_name);
	return ret;
}

static int add_files(struct list *list, const struct shelf *shelf)
{
	char number[24];
	int ret = 0;

	for (size_t i = 0; i < shelf->count && !ret; i++) {
		(void)snprintf(number, sizeof(number), "%zu", i + 1);
		ret = add(list, number, shelf->files[i]);
	}
	return ret;
}

static int compare_age(const void *a, const void *b)
{
	const struct html_listed *one = a, *other = b;

	ARRAY_COMPARE(!!one->why, !!other->why);
	ARRAY_COMPARE(other->time_ns, one->time_ns);
	return strcmp(one->name, other->name);
}

int shelf_print(const void *context)
{
	const struct shelf *shelf = context;
	struct list list = {.shelf = shelf};
	int ret = shelf->is_folder ? add_folder(&list) : add_files(&list, shelf);

	while (!ret && list.read < list.count)
		ret = read_some(&list);
	if (ret)
		return cmd_fail("list: %s: free some memory", strerror(-ret));
	ARRAY_SORT(list.items, list.count, compare_age);
	html_list_print(stdout, list.items, list.count, shelf->moves);
	return 0;
}
