// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/moving.h"

#include "analysis/names.h"
#include "base/pass_fd.h"
#include "cmd/command.h"
#include "cmd/destination.h"
#include "cmd/measuring.h"
#include "cmd/signals.h"
#include "profile/pprof.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STOP_MS 1000

/* What comes with a profile: a file in memory, of the form that files have, and behind it what
 * those leave out, the roots of all mappings, each with its NUL. */
struct answer {
	uint64_t profile_size, roots_size; /* 0: there is none */
	uint64_t used_ns;		   /* of CPU time for it */
	struct error why;
};

struct moving {
	int channel, news, end;
	struct symbols *symbols;
	pthread_mutex_t naming; /* whose SYMBOLS are */
	pthread_mutex_t lock;	/* of what is below */
	struct profile *newest; /* the thread's, */
	struct profile *shown;	/* and moving_take()'s; may be the same */
	struct error why;	/* there is no newer one */
	uint64_t used_ns;	/* by the collector */
	bool is_asked, is_last;
};

static uint64_t used_ns(void)
{
	struct timespec used;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * SECOND_NS + (uint64_t)used.tv_nsec;
}

/* ---- the collector's end ---- */

int mover_fd(const struct mover *mover)
{
	return mover->apart.pid ? mover->channel : -1;
}

enum mover_wish mover_wish(struct mover *mover)
{
	char byte;
	ssize_t got = recv(mover->channel, &byte, 1, MSG_DONTWAIT);

	mover->used_ns = used_ns();
	if (got == 1)
		return MOVER_PROFILE;
	return got < 0 && (errno == EAGAIN || errno == EINTR) ? MOVER_NOTHING : MOVER_ENDED;
}

void mover_go(struct mover *mover)
{
	const struct answer nothing = {0};

	if (mover->apart.pid)
		pass_fd(mover->channel, &nothing, sizeof(nothing), /* fd= */ -1);
}

static int write_roots(const struct profile *profile, int fd)
{
	FILE *file = fdopen(dup(fd), "a");

	for (size_t i = 0; file && i < profile->mapping_count; i++) {
		const char *root = profile_text(profile, profile->mappings[i].root);

		(void)fwrite(root, 1, strlen(root) + 1, file);
	}
	return !file || fclose(file) ? -ENOMEM : 0;
}

static int write_profile(const struct profile *profile, int fd, struct answer *answer)
{
	struct stat before, behind;
	int ret = pprof_send(profile, fd);

	ret = ret ? ret : fstat(fd, &before) ? -errno : write_roots(profile, fd);
	ret = ret ? ret : fstat(fd, &behind) ? -errno : 0;
	if (ret)
		return ret;
	answer->profile_size = (uint64_t)before.st_size;
	answer->roots_size = (uint64_t)(behind.st_size - before.st_size);
	return 0;
}

void mover_send(struct mover *mover, const struct profile *profile, const struct error *why)
{
	struct answer answer = {.why = *why};
	int fd, ret;

	if (!mover->apart.pid)
		return;
	fd = profile ? memfd_create("profil", MFD_CLOEXEC) : -1;
	ret = !profile ? 0 : fd < 0 ? -errno : write_profile(profile, fd, &answer);
	if (ret)
		(void)error_set(&answer.why, ret, "profile: %s: free some memory", strerror(-ret));
	answer.used_ns = used_ns() - mover->used_ns;
	pass_fd(mover->channel, &answer, sizeof(answer), ret ? -1 : fd);
	if (fd >= 0)
		close(fd);
}

void mover_stop(struct mover *mover)
{
	if (!mover->apart.pid)
		return;
	(void)shutdown(mover->channel, SHUT_WR); /* it may wait for a beginning */
	apart_stop(&mover->apart);
}

int mover_wait(struct mover *mover, int signals)
{
	bool is_ended = !mover->apart.pid;
	int status;

	if (is_ended)
		return mover->status;
	while (mover->apart.stop >= 0 && !is_ended) {
		is_ended = apart_wait(&mover->apart, /* ms= */ -1, signals);
		if (!is_ended && signals_next_end(signals))
			apart_stop(&mover->apart);
	}
	(void)(is_ended || apart_wait(&mover->apart, STOP_MS, /* watched= */ -1));
	status = apart_end(&mover->apart);
	close(mover->channel);
	if (status >= 0 && WIFEXITED(status))
		return mover->status = WEXITSTATUS(status);
	if (mover->show.rescue)
		mover->show.rescue(mover->show.context);
	return mover->status = cmd_fail("what %s the profile ended with signal %d",
					mover->show.keeps ? "names" : "shows",
					status < 0 ? 0 : WTERMSIG(status));
}

/* ---- what does not move ---- */

struct moving *moving_still(struct profile *profile, struct symbols *symbols)
{
	struct moving *moving = malloc(sizeof(*moving));

	if (!moving)
		return NULL;
	*moving = (struct moving){
		.channel = -1,
		.news = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK),
		.end = -1,
		.symbols = symbols,
		.naming = PTHREAD_MUTEX_INITIALIZER,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.newest = profile,
		.is_last = true,
	};
	if (moving->news >= 0)
		return moving;
	free(moving);
	return NULL;
}

void moving_still_free(struct moving *moving)
{
	if (!moving)
		return;
	close(moving->news);
	free(moving);
}

/* ---- the end of the one who shows ---- */

void moving_ask(struct moving *moving)
{
	pthread_mutex_lock(&moving->lock);
	if (!moving->is_asked && !moving->is_last)
		moving->is_asked = send(moving->channel, "", 1, MSG_NOSIGNAL) == 1;
	pthread_mutex_unlock(&moving->lock);
}

int moving_news(const struct moving *moving)
{
	return moving->news;
}

int moving_end(const struct moving *moving)
{
	return moving->end;
}

const struct profile *moving_take(struct moving *moving, struct error *reterr)
{
	const struct profile *profile = NULL;
	struct profile *old = NULL;
	uint64_t count;

	(void)!read(moving->news, &count, sizeof(count));
	pthread_mutex_lock(&moving->lock);
	*reterr = moving->why;
	moving->why = (struct error){};
	if (moving->shown != moving->newest) {
		old = moving->shown;
		profile = moving->shown = moving->newest;
	}
	pthread_mutex_unlock(&moving->lock);
	profile_free(old);
	return profile;
}

uint64_t moving_used_ns(struct moving *moving)
{
	uint64_t used;

	pthread_mutex_lock(&moving->lock);
	used = moving->used_ns;
	pthread_mutex_unlock(&moving->lock);
	return used + used_ns();
}

struct symbols *moving_lend_symbols(struct moving *moving)
{
	return pthread_mutex_trylock(&moving->naming) ? NULL : moving->symbols;
}

void moving_return_symbols(struct moving *moving)
{
	pthread_mutex_unlock(&moving->naming);
}

int moving_file(const struct profile *profile, struct error *reterr)
{
	int fd = memfd_create("profil", MFD_CLOEXEC);
	int ret = fd < 0 ? -errno : pprof_send(profile, fd);

	if (!ret)
		return fd;
	if (fd >= 0)
		close(fd);
	return error_set(reterr, ret, "profile: %s: free some memory", strerror(-ret));
}

/* PROFILE is the newest; NULL: it did not come, WHY. */
static void publish(struct moving *moving, struct profile *profile, const struct answer *answer,
		    const struct error *why)
{
	struct profile *old = NULL;
	uint64_t one = 1;

	pthread_mutex_lock(&moving->lock);
	moving->is_asked = false;
	moving->why = *why;
	moving->used_ns += answer->used_ns;
	if (profile) {
		if (moving->newest != moving->shown)
			old = moving->newest;
		moving->newest = profile;
		moving->is_last |= !profile->facts.partial;
	}
	pthread_mutex_unlock(&moving->lock);
	profile_free(old);
	(void)!write(moving->news, &one, sizeof(one));
}

static int read_roots(struct profile *profile, const char *text, size_t size)
{
	const char *end = text + size;
	int ret = 0;

	for (size_t i = 0; !ret && text < end && i < profile->mapping_count; i++) {
		ret = profile_string(profile, text, &profile->mappings[i].root);
		text += strlen(text) + 1;
	}
	return ret;
}

static int read_profile(const struct answer *answer, int fd, struct profile **ret_profile,
			struct error *reterr)
{
	size_t size = answer->profile_size + answer->roots_size;
	uint8_t *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	int ret;

	if (bytes == MAP_FAILED)
		return error_set(reterr, -errno, "profile: %s: free some memory", strerror(errno));
	ret = pprof_parse("the profile so far", bytes, answer->profile_size, ret_profile, reterr);
	if (!ret) {
		(*ret_profile)->is_private = destination_is_private();
		ret = read_roots(*ret_profile, (char *)bytes + answer->profile_size,
				 answer->roots_size);
		if (ret) {
			*ret_profile = profile_free(*ret_profile);
			(void)error_set(reterr, ret, "out of memory: free some");
		}
	}
	(void)munmap(bytes, size);
	return ret;
}

/* The names of the one before are kept.  Without memory for them, or where all is to end, it is
 * shown as it is. */
static void name(struct moving *moving, struct profile *profile)
{
	pthread_mutex_lock(&moving->naming);
	(void)names_resolve_knowing(profile, moving->symbols, moving->newest);
	pthread_mutex_unlock(&moving->naming);
}

static void *follow(void *context)
{
	struct moving *moving = context;
	struct answer answer;
	int fd;

	while (take_fd(moving->channel, /* flags= */ 0, &answer, sizeof(answer), &fd)) {
		struct profile *profile = NULL;
		struct error why = answer.why;

		if (fd >= 0 && !read_profile(&answer, fd, &profile, &why))
			name(moving, profile);
		if (fd >= 0)
			close(fd);
		publish(moving, profile, &answer, &why);
	}
	return NULL;
}

struct job {
	const struct mover *mover;
	const struct naming_options *naming;
	int channel;
};

static int show(const struct job *job, struct moving *moving)
{
	struct answer begun;
	sigset_t all, before;
	pthread_t thread;
	int fd, ret;

	if (!take_fd(moving->channel, /* flags= */ 0, &begun, sizeof(begun), &fd))
		return 0;
	/* All signals are SHOW's to take. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	ret = pthread_create(&thread, NULL, follow, moving);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (ret)
		return cmd_fail("names: no thread for them: free some memory");
	return job->mover->show.show(job->mover->show.context, moving);
}

/* The process ends when it returns, and the thread and all memory with it. */
static int work(void *context, int stop)
{
	const struct job *job = context;
	struct moving moving = {
		.channel = job->channel,
		.end = stop,
		.news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.naming = PTHREAD_MUTEX_INITIALIZER,
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
	int ret = moving.news < 0 ? -errno : naming_open(job->naming, stop, &moving.symbols);

	close(job->mover->channel);
	return ret ? cmd_fail("names: %s: free some memory or descriptors", strerror(-ret))
		   : show(job, &moving);
}

int mover_begin(struct mover *mover, const struct moving_show *show_,
		const struct naming_options *naming, struct error *reterr)
{
	struct job job = {mover, naming, -1};
	int ends[2], ret;

	if (!show_->show)
		return 0;
	ret = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) ? -errno : 0;
	if (!ret) {
		mover->show = *show_;
		mover->channel = ends[0];
		job.channel = ends[1];
		ret = apart_begin(&mover->apart, work, &job);
		close(ends[1]);
		if (ret)
			close(ends[0]);
	}
	if (!ret)
		return 0;
	return error_set(reterr, ret, "no process to show the profile in: %s: free some memory",
			 strerror(-ret));
}
