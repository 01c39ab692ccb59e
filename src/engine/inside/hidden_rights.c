// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/hidden_rights.h"

#include "engine/inside/raw.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Real, effective, saved. */
struct ids {
	unsigned user[3], group[3];
};

static bool has_root(const unsigned *users)
{
	return !users[0] || !users[1] || !users[2];
}

static bool find_three(const char *text, const char *name, unsigned *ids)
{
	const char *line = strstr(text, name);

	return line && sscanf(line + strlen(name), "%u %u %u", &ids[0], &ids[1], &ids[2]) == 3;
}

/* The process's first thread, which every change of the C library's reaches. */
static bool read_first(struct ids *ret_ids)
{
	char path[64], text[2048];
	ssize_t bytes;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/status", (int)getpid());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bytes = read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	if (bytes < 0)
		return false;
	text[bytes] = '\0';
	return find_three(text, "\nUid:", ret_ids->user) &&
	       find_three(text, "\nGid:", ret_ids->group);
}

/* On i386 the calls without a number have 16 bits for an identity. */
#if defined(__i386__)
#define SET_GROUPS SYS_setgroups32
#define SET_GROUP SYS_setresgid32
#define SET_USER SYS_setresuid32
#else
#define SET_GROUPS SYS_setgroups
#define SET_GROUP SYS_setresgid
#define SET_USER SYS_setresuid
#endif

/* Not the C library's calls, which would change all threads. */
static void become(const struct ids *ids)
{
	raw_syscall(SET_GROUPS, 0, 0, 0, 0, 0, 0);
	raw_syscall(SET_GROUP, ids->group[0], ids->group[1], ids->group[2], 0, 0, 0);
	raw_syscall(SET_USER, ids->user[0], ids->user[1], ids->user[2], 0, 0, 0);
}

void rights_follow(void)
{
	struct ids own, first;

	if (getresuid(&own.user[0], &own.user[1], &own.user[2]) || !has_root(own.user))
		return;
	if (read_first(&first) && memcmp(own.user, first.user, sizeof(own.user)) != 0)
		become(&first);
}
