// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/serve_live.h"

#include "base/parse.h"
#include "cmd/command.h"
#include "cmd/serve_collect.h"
#include "cmd/serve_views.h"
#include "engine/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROFILE_SECONDS 30 /* go tool pprof's */

/* So long the metrics wait for the names of an interval that is over; then they have of it what was
 * looked at last.  Prometheus waits 10 s. */
#define LATE_NS (4 * SECOND_NS)

/* A request that waits for a profile. */
struct wanting {
	struct wanting *next;
	struct http_request *request;
	struct page page;
	enum { LOOK, SUM, DIFFERENCE } what;
	int before;	  /* of a difference: what was there, 0: it is waited for; */
	uint64_t from;	  /* which interval that is of, */
	uint64_t seconds; /* and how long ago it is to be */
	uint64_t due_ns, late_ns;
	uint64_t asked; /* the interval whose profile was asked for; 0: none */
	bool is_seen;	/* that has come */
};

/* ---- the requests ---- */

/* From which interval on somebody waits for the samples since. */
static uint64_t needed_from(const struct live_pages *live)
{
	uint64_t from = live->files.newest;

	for (const struct wanting *wanting = live->wanting; wanting; wanting = wanting->next)
		if (wanting->before && wanting->from < from)
			from = wanting->from;
	return from;
}

static bool is_over(const struct live_pages *live)
{
	return files_are_last(&live->files) && (!live->rounds || rounds_are_over(live->rounds));
}

static void forget(struct wanting **link)
{
	struct wanting *wanting = *link;

	*link = wanting->next;
	if (wanting->before)
		close(wanting->before);
	free(wanting);
}

static void fail(struct wanting **link, const char *why)
{
	char text[sizeof(struct error) + 16];

	(void)snprintf(text, sizeof(text), "profil: %s\n", why);
	http_answer((*link)->request, 503, HTTP_TEXT, text);
	forget(link);
}

/* All files that WANTING is the sum of, from the second descriptor on.  Returns 0; -EAGAIN where
 * one before the last is not whole yet; or -E2BIG. */
static int collect(const struct live_pages *live, struct wanting *wanting)
{
	size_t count = 1;
	bool is_whole = true;

	for (size_t i = 0; i < live->files.count && count < PAGE_INPUTS; i++) {
		const struct live_file *file = &live->files.items[i];

		if (wanting->what == SUM
			    ? file->is_stored
			    : file->number < wanting->from || file->number > wanting->asked)
			continue;
		is_whole &= file->is_last || file->number >= wanting->asked;
		if (file->fd >= 0)
			wanting->page.inputs[count++] = file->fd;
	}
	wanting->page.inputs[0] = wanting->what == SUM ? live->files.store : wanting->before;
	return count == PAGE_INPUTS ? -E2BIG : is_whole ? 0 : -EAGAIN;
}

static void make(struct live_pages *live, struct wanting **link)
{
	pages_make(live->pages, (*link)->request, &(*link)->page);
	forget(link);
}

/* The first look of a difference, from which its time runs. */
static void take_before(struct live_pages *live, struct wanting *wanting)
{
	wanting->before = dup(files_find(&live->files, wanting->asked)->fd);
	wanting->from = wanting->asked;
	wanting->due_ns = monotonic_ns() + wanting->seconds * SECOND_NS;
	wanting->asked = 0;
	wanting->is_seen = false;
}

/* What was asked for the request at *LINK has come.  Returns whether it has its answer, or is to
 * wait for more. */
static bool serve(struct live_pages *live, struct wanting **link)
{
	struct wanting *wanting = *link;
	int newest = files_newest(&live->files), ret;

	if (newest < 0 && wanting->what != SUM) {
		fail(link, "nothing has been measured yet: ask again");
	} else if (wanting->what == LOOK) {
		wanting->page.inputs[0] = newest;
		make(live, link);
	} else if (wanting->what == DIFFERENCE && !wanting->before && is_over(live)) {
		fail(link, "what was measured has ended: nothing is counted any more");
	} else if (wanting->what == DIFFERENCE && !wanting->before) {
		take_before(live, wanting);
		return false;
	} else {
		ret = collect(live, wanting);
		if (ret == -EAGAIN && monotonic_ns() < wanting->late_ns)
			return false;
		if (ret == -E2BIG)
			fail(link,
			     "too many intervals: ask for fewer seconds, or free some memory");
		else
			make(live, link);
	}
	return true;
}

static uint64_t ask(struct live_pages *live)
{
	uint64_t number = live->rounds ? rounds_ask(live->rounds) : 1;

	if (live->moving)
		moving_ask(live->moving);
	return files_reach(&live->files, number) ? 0 : number;
}

static void go_on(struct live_pages *live)
{
	uint64_t now = monotonic_ns();
	bool over = is_over(live);

	for (struct wanting **link = &live->wanting; *link;) {
		struct wanting *wanting = *link;

		if ((over || wanting->late_ns <= now) && !wanting->is_seen) {
			wanting->asked = live->files.newest;
			wanting->is_seen = true;
		} else if (wanting->due_ns <= now && !wanting->asked) {
			wanting->asked = ask(live);
		}
		if (!wanting->is_seen || !serve(live, link))
			link = &wanting->next;
	}
}

static void want(struct live_pages *live, const struct wanting *what)
{
	struct wanting *wanting = malloc(sizeof(*wanting));

	if (!wanting) {
		http_answer(what->request, 503, HTTP_TEXT, "profil: out of memory: free some\n");
		return;
	}
	*wanting = *what;
	wanting->late_ns = what->what == SUM ? monotonic_ns() + LATE_NS : UINT64_MAX;
	wanting->next = live->wanting;
	live->wanting = wanting;
	go_on(live);
}

static int print_moving(const void *unused)
{
	return html_print_moving(LIVE_FILE);
}

static void answer_page(struct live_pages *live, struct http_request *request)
{
	struct wanting look = {.request = request,
			       .page = {.type = HTTP_HTML, .print = print_moving}};
	int newest = files_newest(&live->files);

	if (newest >= 0 && http_value(request, "newest")) {
		look.page.inputs[0] = newest;
		pages_make(live->pages, request, &look.page);
	} else
		want(live, &look);
}

static void answer_difference(struct live_pages *live, struct http_request *request)
{
	const char *text = http_value(request, "seconds");
	struct wanting wanting = {
		.request = request,
		.page = {.type = "application/octet-stream", .print = collect_print_difference},
		.what = DIFFERENCE,
		.seconds = PROFILE_SECONDS,
	};
	char why[128];

	(void)snprintf(why, sizeof(why),
		       "profil: seconds: not 1 to %" PRIu64 ": give ?seconds=30\n",
		       live->seconds_max);
	if (text && parse_count(text, 1, live->seconds_max, &wanting.seconds))
		http_answer(request, 400, HTTP_TEXT, why);
	else
		want(live, &wanting);
}

static void answer_metrics(struct live_pages *live, struct http_request *request)
{
	const struct wanting sum = {
		.request = request,
		.page = {.type = "text/plain; version=0.0.4; charset=utf-8",
			 .print = collect_print_metrics,
			 .context = &live->top},
		.what = SUM,
	};

	want(live, &sum);
}

static bool answer_view(struct live_pages *live, struct http_request *request, const char *path)
{
	struct wanting look = {.request = request};
	size_t length = strlen(live->root);

	if (strncmp(path, live->root, length) != 0 ||
	    !views_find(path + length, LIVE_FILE, &look.page))
		return false;
	want(live, &look);
	return true;
}

bool live_answer(struct live_pages *live, struct http_request *request, const char *path)
{
	if (!live->moving && !live->rounds)
		return false;
	if (!strcmp(path, "/events"))
		http_answer_events(request);
	else if (!strcmp(path, live->root))
		answer_page(live, request);
	else if (!strcmp(path, "/metrics"))
		answer_metrics(live, request);
	else if (!strcmp(path, "/debug/pprof/profile"))
		answer_difference(live, request);
	else if (!strcmp(path, "/debug/pprof/"))
		http_answer(request, 200, HTTP_TEXT,
			    "profile?seconds=30: the samples of that time, in pprof's format\n");
	else
		return answer_view(live, request, path);
	return true;
}

/* ---- what comes, and when ---- */

void live_take(void *context, uint64_t number, const struct round_news *news)
{
	struct live_pages *live = context;
	struct live_file *file =
		files_reach(&live->files, number) ? NULL : files_find(&live->files, number);

	if (!file) {
		if (news->fd >= 0)
			close(news->fd);
		return;
	}
	if (news->fd >= 0) {
		if (file->fd >= 0)
			close(file->fd);
		file->fd = news->fd;
	}
	file->is_last = news->is_last;
	for (struct wanting **link = &live->wanting; *link;) {
		bool is_asked = (*link)->asked == number;
		bool is_lost = news->is_last && (*link)->before && (*link)->from <= number;

		(*link)->is_seen |= is_asked;
		if (news->fd < 0 && (is_asked || is_lost))
			fail(link, news->why.text);
		else
			link = &(*link)->next;
	}
	if (number == live->files.newest && news->fd >= 0)
		http_push(live->http, "live");
}

static void take_moving(struct live_pages *live)
{
	struct round_news news = {.fd = -1};
	const struct profile *profile = moving_take(live->moving, &news.why);

	if (profile)
		news.fd = moving_file(profile, &news.why);
	news.is_last = profile && !profile->facts.partial;
	if (profile || *news.why.text)
		live_take(live, /* number= */ 1, &news);
}

void live_go_on(struct live_pages *live)
{
	uint64_t now = monotonic_ns();

	if (!live->moving && !live->rounds)
		return;
	if (live->moving)
		take_moving(live);
	if (live->rounds)
		files_add_up(&live->files);
	go_on(live);
	files_forget(&live->files, needed_from(live));
	if (is_over(live) && !live->has_said_ended) {
		live->has_said_ended = true;
		http_push(live->http, "ended");
	} else if (http_streams(live->http) && !is_over(live) && live->next_ns <= now) {
		live->next_ns = now + SECOND_NS;
		(void)ask(live);
	}
}

size_t live_wait(const struct live_pages *live, struct pollfd *ret_fds)
{
	const struct apart *adding = &live->files.adding;

	if (adding->pid)
		*ret_fds = (struct pollfd){.fd = adding->end, .events = POLLIN};
	return adding->pid ? 1 : 0;
}

int live_wait_ms(const struct live_pages *live)
{
	uint64_t now = monotonic_ns(), soonest = UINT64_MAX;

	if (http_streams(live->http) && !is_over(live))
		soonest = live->next_ns > now ? live->next_ns : now;
	for (const struct wanting *wanting = live->wanting; wanting; wanting = wanting->next) {
		uint64_t at = wanting->due_ns > now ? wanting->due_ns : wanting->late_ns;

		if (at < soonest)
			soonest = at > now ? at : now;
	}
	return soonest == UINT64_MAX ? -1 : (int)((soonest - now) / 1000000 + 1);
}

void live_done(struct live_pages *live)
{
	while (live->wanting)
		forget(&live->wanting);
	files_done(&live->files);
}
