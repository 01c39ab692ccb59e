// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/pages.h"

#include "base/array.h"
#include "cmd/apart.h"
#include "cmd/command.h"
#include "cmd/measuring.h"
#include "engine/clock.h"
#include "symbol/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define CPU_SECONDS 120
#define WAIT_NS (180 * SECOND_NS)
#define MEMORY_BYTES ((rlim_t)8 << 30) /* beside what the server has */
#define PAGE_BYTES ((size_t)256 << 20)
#define WHY_BYTES 4096
#define HIGH (2 * PAGE_INPUTS) /* above all descriptors of a page's process */

struct job {
	struct job *next;
	struct http_request *request;
	struct page page;
	struct apart apart;
	bool is_there; /* a process makes it */
	int from, to;  /* a pipe that it writes to, and the file that what it writes is taken to */
	int why;       /* what it says on stderr */
	size_t size;
	uint64_t late_ns;
};

int pages_take_inputs(const int *what)
{
	int high[PAGE_INPUTS], fd = STDERR_FILENO + 1;

	for (size_t i = 0; i < ARRAY_LENGTH(high); i++)
		high[i] = !what[i] ? -1 : fcntl(what[i], F_DUPFD, HIGH);
	for (size_t i = 0; i < ARRAY_LENGTH(high); i++, fd++)
		if (high[i] < 0)
			close(fd);
		else if (dup2(high[i], fd) < 0)
			return -errno;
	return close_range((unsigned)fd, ~0U, 0) ? -errno : 0;
}

static void limit(int what, rlim_t most)
{
	(void)setrlimit(what, &(struct rlimit){most, most});
}

/* That of this process, which may be huge: in a build with AddressSanitizer. */
static rlim_t address_space(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (file && fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	if (file)
		(void)fclose(file);
	return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

struct making {
	const struct page *page;
	int out, why;
};

/* In the process of its own, which has of this one no more than what it reads and says. */
static int make(void *context, int stop)
{
	const struct making *making = context;
	const struct page *page = making->page;
	char *argv[PAGE_WORDS];
	int argc = 0, none = open("/dev/null", O_RDONLY | O_CLOEXEC), status;

	if (none < 0 || dup2(none, STDIN_FILENO) < 0 || dup2(making->out, STDOUT_FILENO) < 0 ||
	    dup2(making->why, STDERR_FILENO) < 0 || pages_take_inputs(page->inputs))
		return EXIT_PROFIL;
	/* Names of what is measured are found, and waited for, elsewhere. */
	fetch_limit(&(struct fetch_limits){page->inputs[0] ? 0 : FETCH_TIMEOUT_NS, .stop = -1});
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, CPU_SECONDS);
	limit(RLIMIT_AS, address_space() + MEMORY_BYTES);
	memcpy(argv, page->argv, sizeof(argv));
	while (argv[argc])
		argc++;
	status = page->print ? page->print(page->context) : command_find(argv[0])->run(argc, argv);
	errno = 0;
	return fflush(stdout) || ferror(stdout) ? cmd_fail_output(errno) : status;
}

static void answer_failed(const struct job *job, unsigned status, const char *why)
{
	http_answer(job->request, status, HTTP_TEXT, why);
}

static void close_all(const struct job *job)
{
	const int fds[] = {job->from, job->to, job->why};

	for (size_t i = 0; i < ARRAY_LENGTH(fds); i++)
		if (fds[i] > STDERR_FILENO)
			close(fds[i]);
	for (size_t i = 0; i < PAGE_INPUTS; i++)
		if (job->page.inputs[i] > STDERR_FILENO)
			close(job->page.inputs[i]);
}

static void job_free(struct job *job)
{
	for (size_t i = 0; i < PAGE_WORDS; i++)
		free(job->page.argv[i]);
	free(job);
}

static int begin(struct job *job)
{
	struct making making = {.page = &job->page};
	int ends[2], ret;

	job->to = memfd_create("profil-page", MFD_CLOEXEC);
	job->why = memfd_create("profil-why", MFD_CLOEXEC);
	if (job->to < 0 || job->why < 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	job->from = ends[0];
	/* The end that is written to waits; it alone. */
	(void)fcntl(ends[1], F_SETFL, 0);
	making.out = ends[1];
	making.why = job->why;
	ret = apart_begin(&job->apart, make, &making);
	close(ends[1]);
	job->is_there = !ret;
	job->late_ns = monotonic_ns() + WAIT_NS;
	return ret;
}

/* Take what has been written by now. */
static void take_some(struct job *job)
{
	ssize_t count = 1;

	while (job->from >= 0 && count > 0 && job->size <= PAGE_BYTES) {
		count = splice(job->from, NULL, job->to, NULL, 1 << 20, SPLICE_F_NONBLOCK);
		job->size += count > 0 ? (size_t)count : 0;
	}
	if (count)
		return;
	close(job->from);
	job->from = -1;
}

/* What it has said on stderr, which is a line that begins with "profil: "; or else that it ended.
 */
static void answer_why(const struct job *job, int status)
{
	char why[WHY_BYTES];
	ssize_t length = pread(job->why, why, sizeof(why) - 1, 0);

	why[length > 0 ? length : 0] = '\0';
	if (status < 0 || WIFSIGNALED(status))
		(void)snprintf(why, sizeof(why),
			       "profil: page: ended with signal %d before it was "
			       "made: the profile or a file that it names is "
			       "broken, or it takes too much\n",
			       status < 0 ? 0 : WTERMSIG(status));
	answer_failed(job, WIFEXITED(status) && status >= 0 ? 422 : 500, why);
}

static void finish(struct job *job, bool is_late)
{
	bool ended = apart_wait(&job->apart, /* ms= */ 0, /* watched= */ -1);
	int status = apart_end(&job->apart);

	if (is_late && !ended)
		answer_failed(job, 503, "profil: page: it takes too long: ask for less of it\n");
	else if (job->size > PAGE_BYTES)
		answer_failed(job, 503, "profil: page: it is too long: ask for less of it\n");
	else if (!status) {
		http_answer_file(job->request, 200, job->page.type, job->to);
		job->to = -1;
	} else
		answer_why(job, status);
	close_all(job);
}

/* Returns whether JOB is over: a page is when its process is, not when that has closed it. */
static bool look(struct job *job)
{
	bool ended = apart_wait(&job->apart, /* ms= */ 0, /* watched= */ -1);
	bool is_late = monotonic_ns() >= job->late_ns;

	take_some(job);
	if (!ended && !is_late && job->size <= PAGE_BYTES)
		return false;
	finish(job, is_late);
	return true;
}

static void fail_to_begin(const struct job *job, int code)
{
	char why[128];

	(void)snprintf(why, sizeof(why), "profil: page: no process for it: %s: free some memory\n",
		       strerror(-code));
	answer_failed(job, 503, why);
	close_all(job);
}

/* Begin the next ones; ENDED: answer with those that are over. */
static void go_on(struct pages *pages, bool ended)
{
	struct job **link = &pages->jobs;
	size_t count = 0;

	while (*link && count < PAGES_AT_ONCE) {
		struct job *job = *link;
		int ret = job->is_there ? 0 : begin(job);

		if (ret)
			fail_to_begin(job, ret);
		if (ret || (ended && look(job))) {
			*link = job->next;
			job_free(job);
		} else {
			link = &job->next;
			count++;
		}
	}
}

void pages_go_on(struct pages *pages)
{
	go_on(pages, /* ended= */ true);
}

void pages_make(struct pages *pages, struct http_request *request, const struct page *page)
{
	struct job *job = calloc(1, sizeof(*job)), **link = &pages->jobs;
	bool is_short = !job;

	if (job)
		*job = (struct job){
			.request = request, .page = *page, .from = -1, .to = -1, .why = -1};
	for (size_t i = 0; job && i < PAGE_WORDS; i++) {
		job->page.argv[i] = page->argv[i] ? strdup(page->argv[i]) : NULL;
		is_short |= page->argv[i] && !job->page.argv[i];
	}
	if (is_short) {
		http_answer(request, 503, HTTP_TEXT, "profil: out of memory: free some\n");
		if (job)
			job_free(job);
		return;
	}
	for (size_t i = 0; i < PAGE_INPUTS; i++)
		job->page.inputs[i] = page->inputs[i] ? dup(page->inputs[i]) : 0;
	while (*link)
		link = &(*link)->next;
	*link = job;
	go_on(pages, /* ended= */ false);
}

size_t pages_wait(const struct pages *pages, struct pollfd *ret_fds)
{
	size_t count = 0;

	for (const struct job *job = pages->jobs; job && count < PAGES_FDS; job = job->next)
		if (job->is_there) {
			ret_fds[count++] = (struct pollfd){.fd = job->apart.end, .events = POLLIN};
			ret_fds[count++] = (struct pollfd){.fd = job->from, .events = POLLIN};
		}
	return count;
}

void pages_done(struct pages *pages)
{
	while (pages->jobs) {
		struct job *job = pages->jobs;

		pages->jobs = job->next;
		if (job->is_there)
			(void)apart_end(&job->apart);
		close_all(job);
		job_free(job);
	}
}
