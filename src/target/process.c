// SPDX-License-Identifier: BSD-2-Clause
#include "target/process.h"

#include "base/array.h"
#include "base/capability.h"
#include "target/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

/* The beginning of PID's FILE in /proc, SIZE - 1 bytes at most, and a NUL. */
static size_t read_proc(pid_t pid, const char *file, char *text, size_t size)
{
	char path[64];
	ssize_t got = -1;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = read(fd, text, size - 1);
		close(fd);
	}
	text[got > 0 ? got : 0] = '\0';
	return got > 0 ? (size_t)got : 0;
}

void process_name(pid_t pid, char name[PROCESS_NAME_MAX])
{
	(void)read_proc(pid, "comm", name, PROCESS_NAME_MAX);
	name[strcspn(name, "\n")] = '\0';
}

void process_title(pid_t pid, const char *name, char title[PROCESS_TITLE_MAX])
{
	size_t length = read_proc(pid, "cmdline", title, PROCESS_TITLE_MAX);
	char is[PROCESS_NAME_MAX];

	process_name(pid, is);
	if (strcmp(is, name))
		length = 0;
	process_title_settle(title, length);
}

void process_title_settle(char *title, size_t length)
{
	while (length && (!title[length - 1] || title[length - 1] == ' '))
		length--;
	title[length] = '\0';
	for (size_t i = 0; i < length; i++)
		if (!title[i])
			title[i] = ' ';
}

/* What 'setcap' gives to profil, and not to the user who runs it. */
#define LENT (1ull << CAP_BPF | 1ull << CAP_PERFMON | 1ull << CAP_SYSLOG)

/* The kernel asks, by opening the map, what it asks for ptrace(2).  Of what has no memory, as a
 * thread of its own, everybody may open that; there it asks by the link to the program, which leads
 * nowhere. */
static int may_look(pid_t pid)
{
	char path[64], program[1];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	close(fd);
	(void)snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return readlink(path, program, sizeof(program)) < 0 && errno != ENOENT ? -errno : 0;
}

/* With the rights of the user, without those that are lent, for CAP_PERFMON alone opens every map.
 */
static int may_measure(pid_t pid)
{
	uint64_t all = capability_effective();
	int ret = getuid() ? capability_set_effective(all & ~LENT) : 0;

	if (ret)
		return ret;
	ret = may_look(pid);
	if (getuid() && capability_set_effective(all) && !ret)
		ret = -EPERM;
	return ret;
}

static int refuse(pid_t pid, int code, struct error *reterr)
{
	char name[PROCESS_NAME_MAX];

	process_name(pid, name);
	if (code == -ESRCH)
		return error_set(reterr, code, "process %d: no such process: see 'ps -e'",
				 (int)pid);
	/* What pidfd_open(2) says of a thread that leads no process, as new kernels put it. */
	if (code == -EINVAL || code == -ENOENT)
		return error_set(reterr, code,
				 "process %d: a thread of another process: give that one's number",
				 (int)pid);
	return error_set(reterr, code, "process %d (%s): %s: %s", (int)pid, name, strerror(-code),
			 geteuid()
				 ? "run profil as its user or as root"
				 : "not even root may look into it here: run profil where it runs");
}

static int take(struct processes *processes, pid_t pid)
{
	int fd;

	if (ARRAY_RESERVE(processes->pids, processes->capacity, processes->count + 1) ||
	    ARRAY_RESERVE(processes->ends, processes->end_capacity, processes->count + 1))
		return -ENOMEM;
	fd = pidfd_open(pid, 0);
	if (fd < 0)
		return -errno;
	processes->pids[processes->count] = pid;
	processes->ends[processes->count++] = (struct pollfd){.fd = fd, .events = POLLIN};
	return 0;
}

int processes_add_own(struct processes *processes, pid_t pid, struct error *reterr)
{
	int ret = take(processes, pid);

	return ret ? refuse(pid, ret, reterr) : 0;
}

int processes_add(struct processes *processes, pid_t pid, struct error *reterr)
{
	int ret;

	for (size_t i = 0; i < processes->count; i++)
		if (processes->pids[i] == pid)
			return 0;
	ret = proc_check(reterr);
	if (ret)
		return ret;
	ret = may_measure(pid);
	return ret ? refuse(pid, ret, reterr) : processes_add_own(processes, pid, reterr);
}

static bool is_called(pid_t pid, const char *name)
{
	char is[PROCESS_NAME_MAX];

	process_name(pid, is);
	return *is && !strncmp(is, name, PROCESS_NAME_MAX - 1);
}

int processes_add_called(struct processes *processes, const char *name, struct error *reterr)
{
	size_t before = processes->count;
	int refused = proc_check(reterr);
	struct error why;
	DIR *proc;

	if (refused)
		return refused;
	proc = opendir("/proc");
	if (!proc)
		return error_set(reterr, -errno, "/proc: %s: mount it", strerror(errno));
	for (struct dirent *entry; (entry = readdir(proc));) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && pid != getpid() && is_called(pid, name)) {
			int ret = processes_add(processes, pid, &why);

			refused = ret && ret != -ESRCH ? ret : refused;
		}
	}
	closedir(proc);
	if (processes->count > before)
		return 0;
	if (refused)
		return error_set(reterr, refused, "%s", why.text);
	return error_set(reterr, -ESRCH, "--comm %s: no process is called that: see 'ps -e'", name);
}

bool processes_left(struct processes *processes)
{
	bool left = false;

	(void)poll(processes->ends, processes->count, 0);
	for (size_t i = 0; i < processes->count; i++) {
		struct pollfd *end = &processes->ends[i];

		if (end->fd >= 0 && end->revents) {
			close(end->fd);
			end->fd = -1;
		}
		left |= end->fd >= 0;
	}
	return left;
}

int processes_wait(const struct processes *processes, struct pollfd *more, size_t count,
		   const struct timespec *timeout)
{
	size_t ends = processes->count;
	struct pollfd *all = calloc(ends + count + 1, sizeof(*all));
	int ret = 0;

	if (!all)
		return -ENOMEM;
	if (ends)
		memcpy(all, processes->ends, ends * sizeof(*all));
	memcpy(all + ends, more, count * sizeof(*all));
	if (ppoll(all, ends + count, timeout, NULL) < 0)
		ret = -errno;
	else
		memcpy(more, all + ends, count * sizeof(*all));
	free(all);
	return ret;
}

void processes_done(struct processes *processes)
{
	for (size_t i = 0; i < processes->count; i++)
		if (processes->ends[i].fd >= 0)
			close(processes->ends[i].fd);
	free(processes->ends);
	free(processes->pids);
	*processes = (struct processes){0};
}
