// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/fetch.h"

#include "base/progress.h"
#include "base/reap.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000ull
/* How much later than its time the one who asks is killed: time to take its unfinished file away.
 */
#define GRACE_NS (SECOND_NS / 2)

static struct fetch_limits limits = {.timeout_ns = FETCH_TIMEOUT_NS, .stop = -1};
static uint64_t used_ns; /* of the timeout */
static bool gave_up;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

void fetch_limit(const struct fetch_limits *new_limits)
{
	limits = *new_limits;
	used_ns = 0;
	gave_up = false;
}

bool fetch_is_stopped(void)
{
	struct pollfd stop = {.fd = limits.stop, .events = POLLIN};

	return limits.stop >= 0 && poll(&stop, 1, 0) > 0;
}

bool fetch_gave_up(void)
{
	return gave_up;
}

bool fetch_has_server(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls && limits.timeout_ns;
}

/* The library, as its header has it; the one who measures does without it. */
struct library {
	void *(*begin)(void);
	void (*on_progress)(void *client, int (*progress)(void *client, long done, long all));
	int (*find)(void *client, const unsigned char *build_id, int size, char **ret_path);
};

static bool load(struct library *library)
{
	void *object = dlopen("libdebuginfod.so.1", RTLD_NOW);

	if (!object)
		return false;
	*(void **)&library->begin = dlsym(object, "debuginfod_begin");
	*(void **)&library->on_progress = dlsym(object, "debuginfod_set_progressfn");
	*(void **)&library->find = dlsym(object, "debuginfod_find_debuginfo");
	return library->begin && library->on_progress && library->find;
}

/* Never ends a download: the library would remember for some minutes that there is no such file. */
static int look(void *client, long done, long all)
{
	progress_at((uint64_t)(done / 1000), (uint64_t)(all / 1000));
	return 0;
}

/* In a process of its own: the path goes through CHANNEL.  Returns an errno, its exit status. */
static int ask(const uint8_t *build_id, size_t size, int channel)
{
	struct library library;
	char *path = NULL;
	void *client;
	size_t length;
	int fd;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	client = load(&library) ? library.begin() : NULL;
	if (!client)
		return ENOSYS;
	library.on_progress(client, look);
	fd = library.find(client, build_id, (int)size, &path);
	if (fd < 0)
		return -fd;
	length = strlen(path);
	return write(channel, path, length) == (ssize_t)length ? 0 : EPIPE;
}

/* Until the process that asks has closed CHANNEL, which it does by its end, or time is over.
 * Returns 0 or -errno. */
static int wait_for(int channel, uint64_t until)
{
	struct pollfd ends[] = {{.fd = channel, .events = POLLIN},
				{.fd = limits.stop, .events = POLLIN}};

	for (;;) {
		uint64_t now = now_ns();
		uint64_t left = now < until ? until - now : 0;
		struct timespec timeout = {(time_t)(left / SECOND_NS), (long)(left % SECOND_NS)};
		int ret = ppoll(ends, 2, &timeout, NULL);

		if (ret < 0 && errno != EINTR)
			return -errno;
		if (ends[1].revents && ret > 0)
			return -ECANCELED;
		if (ret > 0)
			return 0;
		if (!ret)
			return -ETIME;
	}
}

/* What the library is writing in its cache: ".../debuginfo." and six characters. */
static bool is_unfinished(const char *path)
{
	static const char name[] = "/debuginfo.";
	const char *at = strrchr(path, '/');

	return at && !strncmp(at, name, strlen(name)) && strlen(at) == strlen(name) + 6;
}

/* What the process PID has begun to write, in FOUND; "": nothing. */
static void find_unfinished(pid_t pid, char found[PATH_MAX])
{
	char folder[64];
	DIR *open_files;

	*found = '\0';
	(void)snprintf(folder, sizeof(folder), "/proc/%d/fd", (int)pid);
	open_files = opendir(folder);
	for (struct dirent *entry; open_files && (entry = readdir(open_files));) {
		char path[PATH_MAX];
		ssize_t got = readlinkat(dirfd(open_files), entry->d_name, path, sizeof(path) - 1);

		path[got > 0 ? got : 0] = '\0';
		if (is_unfinished(path))
			memcpy(found, path, sizeof(path));
	}
	if (open_files)
		closedir(open_files);
}

/* End the process PID, and leave nothing of its in the cache. */
static void abandon(pid_t pid)
{
	char path[PATH_MAX];

	find_unfinished(pid, path);
	kill(pid, SIGKILL);
	(void)reap(pid);
	if (*path)
		(void)unlink(path);
}

/* Returns 0 and the path, or -errno. */
static int receive(int channel, pid_t pid, uint64_t until, char path[PATH_MAX])
{
	int ret = wait_for(channel, until), status;
	ssize_t got;

	if (ret) {
		abandon(pid);
		return ret;
	}
	got = read(channel, path, PATH_MAX - 1);
	status = reap(pid);
	if (status)
		return WIFEXITED(status) ? -WEXITSTATUS(status) : -ECHILD;
	path[got > 0 ? got : 0] = '\0';
	return got > 0 ? 0 : -ENOENT;
}

static int ask_apart(const uint8_t *build_id, size_t size, uint64_t until, char path[PATH_MAX])
{
	int channel[2], ret;
	pid_t pid;

	if (pipe2(channel, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid) {
		close(channel[0]);
		_exit(ask(build_id, size, channel[1]));
	}
	ret = pid < 0 ? -errno : 0;
	close(channel[1]);
	if (!ret)
		ret = receive(channel[0], pid, until, path);
	close(channel[0]);
	return ret;
}

int fetch_debuginfo(const uint8_t *build_id, size_t size, char **ret_path)
{
	uint64_t began = now_ns();
	char path[PATH_MAX];
	int ret, fd;

	if (!fetch_has_server())
		return -ENOSYS;
	if (fetch_is_stopped())
		return -ECANCELED;
	progress_begin("debuginfod", "kB");
	ret = used_ns >= limits.timeout_ns
		      ? -ETIME
		      : ask_apart(build_id, size, began + limits.timeout_ns - used_ns, path);
	progress_end();
	used_ns += now_ns() - began;
	gave_up |= ret == -ETIME;
	if (ret)
		return ret;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_path = strdup(path);
	if (*ret_path)
		return fd;
	close(fd);
	return -ENOMEM;
}
