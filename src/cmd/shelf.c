// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/shelf.h"

#include "base/array.h"
#include "base/parse.h"
#include "base/path.h"
#include "cmd/command.h"
#include "format/format.h"
#include "profile/pprof.h"
#include "view/html_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

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

struct list {
	struct html_listed *items;
	size_t count, capacity, others;
};

/* What is not profil's own is read whole. */
static int glance(const char *file, struct pprof_glance *ret_glance)
{
	struct profile_account account;
	struct profile *profile;
	struct error ignored;
	int ret = pprof_glance(file, ret_glance);

	if (!ret || ret == -ENOMEM)
		return ret;
	ret = format_read(file, NULL, &profile, &ignored);
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
	struct pprof_glance seen;
	int ret = glance(file, &seen);

	if (ret == -ENOMEM)
		return ret;
	list->others += !!ret;
	if (ret)
		return 0;
	ret = ARRAY_RESERVE(list->items, list->capacity, list->count + 1);
	if (ret)
		return ret;
	item = &list->items[list->count++];
	*item = (struct html_listed){
		.address = strdup(address),
		.name = path_base(file),
		.program = seen.command ? seen.command : strdup(""),
		.time_ns = seen.time_ns,
		.duration_ns = seen.duration_ns,
		.samples = seen.samples,
	};
	return item->address && item->program ? 0 : -ENOMEM;
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

	ARRAY_COMPARE(other->time_ns, one->time_ns);
	return strcmp(one->name, other->name);
}

int shelf_print(const void *context)
{
	const struct shelf *shelf = context;
	struct list list = {0};
	int ret = shelf->is_folder ? add_folder(&list) : add_files(&list, shelf);

	if (ret)
		return cmd_fail("list: %s: free some memory", strerror(-ret));
	ARRAY_SORT(list.items, list.count, compare_age);
	html_list_print(stdout, list.items, list.count, list.others);
	return 0;
}
