// SPDX-License-Identifier: BSD-2-Clause
#include "target/closure.h"

#include "base/array.h"
#include "base/reap.h"
#include "target/executable.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void wait_for_loader(struct closure *closure)
{
	if (closure->loader)
		(void)reap(closure->loader);
	closure->loader = 0;
}

void closure_done(struct closure *closure)
{
	if (closure->loader)
		close(closure->list);
	wait_for_loader(closure);
	for (size_t i = 0; i < closure->count; i++)
		free(closure->paths[i]);
	free(closure->paths);
	*closure = (struct closure){0};
}

/* PATH, heap or NULL, is taken over. */
static void add(struct closure *closure, char *path)
{
	if (path && !ARRAY_RESERVE(closure->paths, closure->capacity, closure->count + 1))
		closure->paths[closure->count++] = path;
	else
		free(path);
}

/* "name => /path (0x7f...)", or the path alone. */
static void add_line(struct closure *closure, char *line)
{
	char *path = strstr(line, "=> ");
	char *end;

	path = path ? path + 3 : line + strspn(line, " \t");
	end = strstr(path, " (0x");
	if (*path != '/' || !end)
		return;
	*end = '\0';
	add(closure, strdup(path));
}

/* What LOADER lists instead of starting PROGRAM, into FD. */
static pid_t list(char *loader, char *program, int fd)
{
	char *argv[] = {loader, "--list", program, NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int failed = posix_spawn_file_actions_init(&actions);

	if (failed)
		return -1;
	if (posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) ||
	    posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO) ||
	    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) ||
	    posix_spawn(&pid, loader, &actions, NULL, argv, environ))
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

static void begin_list(struct closure *closure, char *loader, char *program)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return;
	pid = list(loader, program, ends[1]);
	close(ends[1]);
	if (pid > 0) {
		closure->loader = pid;
		closure->list = ends[0];
	} else {
		close(ends[0]);
	}
}

void closure_end(struct closure *closure)
{
	FILE *lines = closure->loader ? fdopen(closure->list, "r") : NULL;
	char *line = NULL;
	size_t size = 0;

	if (!lines)
		return;
	while (getline(&line, &size, lines) >= 0)
		add_line(closure, line);
	free(line);
	(void)fclose(lines);
	wait_for_loader(closure);
}

void closure_begin(const char *program, struct closure *ret_closure)
{
	struct closure closure = {0};
	char *path = executable_path(program);
	char loader[PATH_MAX];

	*ret_closure = closure;
	if (!path)
		return;
	add(&closure, path);
	/* Any other program would not know what it is asked. */
	if (closure.count && executable_loader(path, loader) &&
	    (strstr(loader, "/ld-linux") || strstr(loader, "/ld-musl") || strstr(loader, "/ld64")))
		begin_list(&closure, loader, path);
	*ret_closure = closure;
}
