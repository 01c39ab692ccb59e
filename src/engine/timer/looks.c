// SPDX-License-Identifier: BSD-2-Clause
/* All of the time of threads, as /proc tells it to whoever looks: nobody tells of their ends, so
 * that of one that has ended what it did after the last look is known as CPU time alone, and of all
 * together. */
#include "base/array.h"
#include "engine/timer/private.h"

#include <errno.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 100000000

/* As hidden threads of the engine are called. */
#define HIDDEN "profil"

int preload_looks_begin(struct engine *engine)
{
	const struct timespec each = {.tv_nsec = LOOK_NS};
	const struct itimerspec when = {.it_interval = each, .it_value = each};

	engine->looks = -1;
	if (!engine->lives.is_on)
		return 0;
	engine->looks = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (engine->looks < 0 || timerfd_settime(engine->looks, 0, &when, NULL))
		return -errno;
	return 0;
}

/* ---- a thread ---- */

struct seen {
	uint32_t pid, tid;
	char name[16];
	uint64_t ran, queued;
};

static FILE *open_of(const struct seen *seen, const char *what)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/%s", seen->pid,
		       seen->tid, what);
	return fopen(path, "re");
}

static bool read_seen(struct seen *seen)
{
	FILE *file = open_of(seen, "comm");
	bool is_there;

	if (!file || !fgets(seen->name, sizeof(seen->name), file))
		seen->name[0] = '\0';
	seen->name[strcspn(seen->name, "\n")] = '\0';
	if (file)
		fclose(file);
	if (seen->tid != seen->pid && !strcmp(seen->name, HIDDEN))
		return false;
	file = open_of(seen, "schedstat");
	is_there = file && fscanf(file, "%" SCNu64 " %" SCNu64, &seen->ran, &seen->queued) == 2;
	if (file)
		fclose(file);
	return is_there;
}

/* One that is met had that much of a life, at least. */
static void take_seen(struct lives *lives, const struct seen *seen, uint64_t now)
{
	struct life *life = lives_find(lives, seen->tid);
	uint64_t used = seen->ran + seen->queued, lived;

	if (!life)
		life = lives_begin(lives, seen->pid, seen->tid, LIFE_SEEN, now);
	if (!life)
		return;
	/* Its CPU time is as of the kernel's last tick, its wait as of its end: there was more. */
	if (life->began > now - used)
		life->began = now - used;
	lived = now - life->began;
	life->since = now;
	life->spent.ns[LIFE_RUNNING] = seen->ran;
	life->spent.ns[LIFE_QUEUED] = seen->queued;
	life->spent.ns[LIFE_BLOCKED] = lived - used;
	memcpy(life->name, seen->name, sizeof(life->name));
}

/* ---- all ---- */

struct pids {
	uint32_t *all; /* heap */
	size_t count, capacity;
};

static void add_pid(struct pids *pids, uint32_t pid)
{
	for (size_t i = 0; i < pids->count; i++)
		if (pids->all[i] == pid)
			return;
	if (!ARRAY_RESERVE(pids->all, pids->capacity, pids->count + 1))
		pids->all[pids->count++] = pid;
}

static void add_children(struct pids *pids, const struct seen *seen)
{
	FILE *file = open_of(seen, "children");
	uint32_t child;

	while (file && fscanf(file, "%" SCNu32, &child) == 1)
		add_pid(pids, child);
	if (file)
		fclose(file);
}

static void look_at(struct lives *lives, struct pids *pids, uint32_t pid)
{
	struct seen seen = {.pid = pid};
	struct dirent *entry;
	char path[64];
	DIR *tasks;

	(void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		seen.tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
		if (!seen.tid)
			continue;
		add_children(pids, &seen);
		if (read_seen(&seen))
			take_seen(lives, &seen, monotonic_ns());
	}
	if (tasks)
		closedir(tasks);
}

/* A process that was seen stays, whoever has become its parent. */
void preload_look(struct engine *engine)
{
	struct lives *lives = &engine->lives;
	uint64_t began = monotonic_ns(), unused;
	struct pids pids = {0};

	if (!lives->is_on || !engine->child)
		return;
	(void)!read(engine->looks, &unused, sizeof(unused));
	add_pid(&pids, (uint32_t)engine->child);
	for (size_t i = 0; i < lives->count; i++)
		add_pid(&pids, lives->all[i].pid);
	for (size_t i = 0; i < pids.count; i++)
		look_at(lives, &pids, pids.all[i]);
	free(pids.all);
	for (size_t i = lives->count; i--;)
		if (lives->all[i].since < began)
			lives_end(lives, &lives->all[i], lives->all[i].since);
}

static uint64_t ran_of(const struct lives *lives)
{
	uint64_t ran = 0;

	for (size_t i = 0; i < lives->count; i++)
		ran += lives->all[i].spent.ns[LIFE_RUNNING];
	for (size_t i = 0; i < lives->sum_count; i++)
		ran += lives->sums[i].spent.ns[LIFE_RUNNING];
	return ran;
}

int preload_looks_read(struct engine *engine, struct histogram *histogram)
{
	struct histogram_cell rest = {.space = CELL_LIVES, .task = HISTOGRAM_NO_TASK};
	uint64_t ran = ran_of(&engine->lives);
	int ret = lives_read(&engine->lives, monotonic_ns(), histogram);

	if (ret || !engine->lives.is_on)
		return ret;
	if (histogram->wall[WALL_THREADS] < histogram->task_total)
		histogram->wall[WALL_THREADS] = histogram->task_total;
	if (histogram->cpu_ns <= ran)
		return 0;
	ret = histogram_add_function(histogram, "on CPU, of threads that ended between looks", 0,
				     &rest.file);
	if (!ret)
		ret = histogram_add_amount(histogram, &rest, VALUE_RUNNING,
					   histogram->cpu_ns - ran);
	return ret ? ret
		   : histogram_add_amount(histogram, &rest, VALUE_LIFETIME,
					  histogram->cpu_ns - ran);
}
