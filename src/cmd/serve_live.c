// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/serve_live.h"

#include "base/parse.h"
#include "cmd/command.h"
#include "cmd/measuring.h"
#include "engine/clock.h"
#include "format/format.h"
#include "profile/merge.h"
#include "profile/pprof.h"
#include "view/metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PROFILE_SECONDS 30 /* go tool pprof's */
#define PROFILE_SECONDS_MAX 86400

/* A request that waits for a profile. */
struct wanting {
	struct wanting *next;
	struct http_request *request;
	struct page page;
	bool is_difference; /* .page.inputs[1] has what was there before, or is to have it */
	uint64_t seconds, due_ns;
};

static int write_file(const struct profile *profile)
{
	int fd = memfd_create("profil", MFD_CLOEXEC);
	int ret = fd < 0 ? -errno : pprof_send(profile, fd);

	if (!ret)
		return fd;
	if (fd >= 0)
		close(fd);
	return ret;
}

static void forget(struct wanting **link)
{
	struct wanting *wanting = *link;

	*link = wanting->next;
	if (wanting->page.inputs[1])
		close(wanting->page.inputs[1]);
	free(wanting);
}

/* The newest profile is there for the request at *LINK.  Returns whether it has its answer, or is
 * to wait for another. */
static bool serve_wanting(struct live_pages *live, struct wanting **link)
{
	struct wanting *wanting = *link;
	int *before = &wanting->page.inputs[1];

	if (wanting->is_difference && !*before && live->is_last) {
		http_answer(wanting->request, 503, HTTP_TEXT,
			    "profil: what was measured has ended: nothing is counted any more\n");
		forget(link);
		return true;
	}
	if (wanting->is_difference && !*before) {
		*before = dup(live->file);
		wanting->due_ns = monotonic_ns() + wanting->seconds * SECOND_NS;
		return false;
	}
	wanting->page.inputs[0] = live->file;
	pages_make(live->pages, wanting->request, &wanting->page);
	forget(link);
	return true;
}

static void serve_all(struct live_pages *live)
{
	uint64_t now = monotonic_ns();

	for (struct wanting **link = &live->wanting; *link;)
		if ((!live->is_last && (*link)->due_ns > now) || !serve_wanting(live, link))
			link = &(*link)->next;
}

static void fail_all(struct live_pages *live, const char *why)
{
	char text[sizeof(struct error) + 16];

	(void)snprintf(text, sizeof(text), "profil: %s\n", why);
	while (live->wanting) {
		http_answer(live->wanting->request, 503, HTTP_TEXT, text);
		forget(&live->wanting);
	}
}

static void take(struct live_pages *live)
{
	struct error why = {""};
	const struct profile *profile = moving_take(live->moving, &why);
	int fd = profile ? write_file(profile) : -1;

	if (profile && fd < 0)
		(void)error_set(&why, fd, "profile: %s: free some memory", strerror(-fd));
	if (*why.text)
		fail_all(live, why.text);
	if (fd < 0)
		return;
	if (live->file >= 0)
		close(live->file);
	live->file = fd;
	live->is_last = !profile->facts.partial;
	serve_all(live);
	http_push(live->http, live->is_last ? "ended" : "live");
}

void live_go_on(struct live_pages *live)
{
	uint64_t now = monotonic_ns();

	if (!live->moving)
		return;
	take(live);
	if (http_streams(live->http) && live->next_ns <= now) {
		live->next_ns = now + SECOND_NS;
		moving_ask(live->moving);
	}
	for (struct wanting *wanting = live->wanting; wanting; wanting = wanting->next)
		if (wanting->due_ns <= now)
			moving_ask(live->moving);
}

int live_wait_ms(const struct live_pages *live)
{
	uint64_t now = monotonic_ns(), soonest = UINT64_MAX;

	if (http_streams(live->http) && !live->is_last)
		soonest = live->next_ns > now ? live->next_ns : now;
	for (const struct wanting *wanting = live->wanting; wanting; wanting = wanting->next)
		if (wanting->due_ns > now && wanting->due_ns < soonest)
			soonest = wanting->due_ns;
	return soonest == UINT64_MAX ? -1 : (int)((soonest - now) / 1000000 + 1);
}

static void want(struct live_pages *live, const struct wanting *what)
{
	struct wanting *wanting = malloc(sizeof(*wanting));

	if (!wanting) {
		http_answer(what->request, 503, HTTP_TEXT, "profil: out of memory: free some\n");
		return;
	}
	*wanting = *what;
	wanting->next = live->wanting;
	live->wanting = wanting;
	if (live->is_last)
		serve_all(live);
	else
		moving_ask(live->moving);
}

void live_answer(struct live_pages *live, struct http_request *request, const struct page *page)
{
	const struct wanting wanting = {.request = request, .page = *page};

	want(live, &wanting);
}

static int print_moving(const void *context)
{
	return html_print_moving(LIVE_FILE);
}

bool live_answer_moving(struct live_pages *live, struct http_request *request, const char *path)
{
	struct page page = {.type = HTTP_HTML, .print = print_moving};

	if (!strcmp(path, "/events"))
		http_answer_events(request);
	else if (strcmp(path, "/") != 0)
		return false;
	else if (live->file >= 0 && http_value(request, "newest")) {
		page.inputs[0] = live->file;
		pages_make(live->pages, request, &page);
	} else
		live_answer(live, request, &page);
	return true;
}

/* ---- what collectors ask for ---- */

static int read_file(const char *path, struct profile **ret_profile)
{
	struct error why = {""};
	int ret = format_read(path, NULL, ret_profile, &why);

	return ret ? cmd_fail_error(ret, &why) : 0;
}

/* In the page's process, as the next one. */
static int print_difference(const void *context)
{
	struct merge *merge = merge_new();
	struct profile *before, *after, *difference;
	struct error why = {""};
	int ret;

	if (read_file(LIVE_FILE, &after) || read_file(LIVE_BEFORE, &before))
		return EXIT_PROFIL;
	ret = merge ? merge_add(merge, after, "the profile so far", &why) : -ENOMEM;
	ret = ret ? ret : merge_take_off(merge, before, &why);
	ret = ret ? ret : merge_sum(merge, &difference);
	ret = ret ? ret : pprof_write(difference, "/dev/stdout", &why);
	return ret ? cmd_fail_error(ret, &why) : 0;
}

static int print_metrics(const void *context)
{
	const struct live_pages *live = context;
	struct profile *profile;
	struct error why = {""};
	int ret;

	if (read_file(LIVE_FILE, &profile))
		return EXIT_PROFIL;
	ret = metrics_print(stdout, profile, live->top, &why);
	return ret ? cmd_fail_error(ret, &why) : 0;
}

static void answer_difference(struct live_pages *live, struct http_request *request)
{
	const char *text = http_value(request, "seconds");
	struct wanting wanting = {
		.request = request,
		.page = {.type = "application/octet-stream", .print = print_difference},
		.is_difference = true,
		.seconds = PROFILE_SECONDS,
	};

	if (text && parse_count(text, 1, PROFILE_SECONDS_MAX, &wanting.seconds))
		http_answer(request, 400, HTTP_TEXT,
			    "profil: seconds: not 1 to 86400: give ?seconds=30\n");
	else
		want(live, &wanting);
}

bool live_answer_collector(struct live_pages *live, struct http_request *request, const char *path)
{
	const struct page metrics = {.type = "text/plain; version=0.0.4; charset=utf-8",
				     .print = print_metrics,
				     .context = live};

	if (!strcmp(path, "/metrics"))
		live_answer(live, request, &metrics);
	else if (!strcmp(path, "/debug/pprof/profile"))
		answer_difference(live, request);
	else if (!strcmp(path, "/debug/pprof/"))
		http_answer(request, 200, HTTP_TEXT,
			    "profile?seconds=30: the samples of that time, in pprof's format\n");
	else
		return false;
	return true;
}

void live_done(struct live_pages *live)
{
	while (live->wanting)
		forget(&live->wanting);
	if (live->file >= 0)
		close(live->file);
}
