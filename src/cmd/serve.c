// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "base/array.h"
#include "base/lent.h"
#include "cmd/pages.h"
#include "cmd/rounds.h"
#include "cmd/serve_live.h"
#include "cmd/serve_views.h"
#include "cmd/shared.h"
#include "cmd/shelf.h"
#include "cmd/signals.h"
#include "cmd/whom.h"
#include "http/guard.h"
#include "http/http.h"
#include "view/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LISTEN_USUAL "127.0.0.1:7997"
#define SECOND_MS 1000
#define TOP_USUAL 50
#define MINUTE_NS (60 * SECOND_NS)
#define HOUR_NS (60 * MINUTE_NS)
#define GIGABYTE 1000000000
#define LIVE_ROOT "/live/"
#define SECONDS_MAX 86400 /* of a difference */

struct serve_options {
	struct whom whom;
	const char *listen;
	size_t top;
	const char *token_file;
	char token[GUARD_TOKEN_SIZE]; /* out of it */
	const char *folder;
	struct thin_limits limits;
};

const struct option_row serve_options[] = {
	{0, "listen", "ADDRESS:PORT", "serve there, port 0 for any (127.0.0.1:7997)", "Server",
	 VALUE_TEXT, INTO(struct serve_options, listen)},
	{0, "token-file", "FILE", "keep the token in FILE, so that it stays the same", NULL,
	 VALUE_FILE, INTO(struct serve_options, token_file)},
	{0, "metrics-top", "N", "at most N functions in /metrics, 1 to 10,000 (50)", NULL,
	 VALUE_COUNT, .min = 1, .max = 10000, .accepted = "1 to 10,000, such as 50",
	 INTO(struct serve_options, top)},
	OPTION_PID_ROW("What is measured, instead of files"),
	OPTION_COMM_ROW,
	OPTION_ALL_ROW(NULL, "the whole machine"),
	OPTION_FOR_ROW(NULL),
	{'d', "directory", "DIR", "keep a profile of each interval there (--every, 1m)",
	 "Profiles that are kept", VALUE_FILE, INTO(struct serve_options, folder)},
	{0, "keep", "TIME", "delete profiles older than TIME, 1h to 36500d (7d)", NULL, VALUE_TIME,
	 .min = HOUR_NS, .max = 36500 * 24 * HOUR_NS, .accepted = "1h to 36500d, such as 30d",
	 INTO(struct serve_options, limits.keep_ns)},
	{0, "size", "BYTES", "limit their total size to BYTES, 1MB to 1000TB (1GB)", NULL,
	 VALUE_SIZE, .min = 1000000, .max = 1000000000000000,
	 .accepted = "1MB to 1000TB, such as 500MB", INTO(struct serve_options, limits.size)},
	{.more = measuring_options},
};

struct server {
	struct http *http;
	const struct serve_options *options;
	struct pages pages;
	struct shelf shelf;
	struct live_pages live;
};

static void answer_nothing(struct http_request *request)
{
	http_answer(request, 404, HTTP_TEXT, "profil: there is no such page: begin at /\n");
}

static void answer_view(struct server *server, struct http_request *request, const char *file,
			const char *name)
{
	struct page page = {0};

	if (views_find(name, file, &page))
		pages_make(&server->pages, request, &page);
	else
		answer_nothing(request);
}

/* PATH is "NAME" or "NAME/VIEW". */
static void answer_profile(struct server *server, struct http_request *request, const char *path)
{
	const char *slash = strchr(path, '/'), *file;
	char *name = strndup(path, slash ? (size_t)(slash - path) : strlen(path));

	file = name ? shelf_find(&server->shelf, name) : NULL;
	if (file)
		answer_view(server, request, file, slash ? slash + 1 : "");
	else
		answer_nothing(request);
	free(name);
}

static void answer(void *context, struct http_request *request)
{
	static const char below[] = "/profile/";
	struct server *server = context;
	const char *path = http_path(request);
	const char *only = server->shelf.count == 1 ? server->shelf.files[0] : NULL;
	struct page list = {.type = HTTP_HTML, .print = shelf_print, .context = &server->shelf};
	struct page two;

	if (!strcmp(path, "/favicon.ico")) /* of a text; pages have their own */
		http_answer(request, 204, HTTP_TEXT, "");
	else if (live_answer(&server->live, request, path))
		; /* when it has come */
	else if (server->live.moving)
		answer_nothing(request);
	else if (!strncmp(path, below, sizeof(below) - 1))
		answer_profile(server, request, path + sizeof(below) - 1);
	else if (views_compare(path, &server->shelf, request, &two))
		pages_make(&server->pages, request, &two);
	else if (only)
		answer_view(server, request, only, path + 1);
	else if (!strcmp(path, "/"))
		pages_make(&server->pages, request, &list);
	else
		answer_nothing(request);
}

/* Signals are what ends a server of files; not all do. */
static bool is_over(const struct server *server, const struct pollfd *end)
{
	return end->revents && (server->live.moving || signals_next_end(end->fd));
}

static unsigned sooner(unsigned ms, unsigned other_ms)
{
	return other_ms < ms ? other_ms : ms;
}

/* Until END can be read.  Returns an exit status. */
static int run(struct server *server, int end)
{
	struct live_pages *live = &server->live;
	struct pollfd fds[3 + PAGES_FDS + LIVE_FDS + ROUNDS_FDS] = {
		{.fd = http_fd(server->http), .events = POLLIN},
		{.fd = end, .events = POLLIN},
		{.fd = live->moving ? moving_news(live->moving) : -1, .events = POLLIN},
	};
	int status = 0;

	while (!status && !is_over(server, &fds[1])) {
		size_t count = pages_wait(&server->pages, fds + 3);
		unsigned ms = count ? SECOND_MS : UINT_MAX;

		ms = sooner(ms, (unsigned)http_wait_ms(server->http));
		ms = sooner(ms, (unsigned)live_wait_ms(live));
		count += live_wait(live, fds + 3 + count);
		if (live->rounds) {
			ms = sooner(ms, rounds_wait_ms(live->rounds));
			count += rounds_wait(live->rounds, fds + 3 + count);
		}
		(void)poll(fds, 3 + count, (int)ms);
		if (live->rounds)
			status = rounds_go_on(live->rounds);
		live_go_on(live);
		http_run(server->http);
		pages_go_on(&server->pages);
		http_run(server->http);
	}
	return status;
}

/* Programs read the first line. */
static int say(const struct http *http)
{
	if (http_is_public(http))
		(void)cmd_fail("--listen %s: others than this machine can reach it: who reads the "
			       "network reads the token: leave it out, and reach it through ssh -L",
			       http_address(http));
	(void)printf("%s\n", http_url(http));
	errno = 0;
	return fflush(stdout) || ferror(stdout) ? cmd_fail_output(errno) : 0;
}

/* Until END can be read. */
static int serve(struct server *server, int end)
{
	const char *token = server->options->token_file ? server->options->token : NULL;
	const struct http_options how = {server->options->listen, token, answer, server};
	struct error why = {""};
	int ret = http_open(&how, &server->http, &why), status;

	if (ret)
		return cmd_fail_error(ret, &why);
	server->live.http = server->http;
	server->live.pages = &server->pages;
	server->live.top = server->options->top;
	status = say(server->http);
	if (!status)
		status = run(server, end);
	live_done(&server->live);
	pages_done(&server->pages);
	http_close(server->http);
	return status;
}

/* In a process of its own. */
static int show(void *context, struct moving *moving)
{
	struct server *server = context;

	server->live.moving = moving;
	server->live.root = "/";
	server->live.seconds_max = SECONDS_MAX;
	return serve(server, moving_end(moving));
}

static int serve_files(struct server *server, char **files, size_t count)
{
	static char *usual[] = {PROFILE_USUAL};
	sigset_t before;
	struct error why = {""};
	int ret = lent_keep(0), signals, status;

	if (!ret)
		ret = shelf_open(&server->shelf, count ? files : usual, count ? count : 1, &why);
	if (ret)
		return cmd_fail_error(ret, &why);
	signals = signals_take(&before);
	if (signals < 0)
		return cmd_fail("signals: %s: close some files", strerror(-signals));
	status = serve(server, signals);
	close(signals);
	return status;
}

/* Nobody else keeps profiles in the working directory as long as this is open. */
static int lock_folder(const char *folder)
{
	int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB))
		return cmd_fail("%s: %s: name another folder with -d", folder,
				errno == EWOULDBLOCK
					? "another profil serve writes its profiles there"
					: strerror(errno));
	return 0;
}

static int open_folder(struct server *server, const char *folder)
{
	struct error why = {""};
	char *folders[] = {(char *)folder};
	int ret;

	if (mkdir(folder, 0700) && errno != EEXIST)
		return cmd_fail("%s: %s: name another folder with -d", folder, strerror(errno));
	ret = shelf_open(&server->shelf, folders, 1, &why);
	return ret ? cmd_fail_error(ret, &why) : lock_folder(folder);
}

/* Keep profiles in a folder, and serve them. */
static int serve_kept(struct server *server, struct whom *whom)
{
	const struct serve_options *options = server->options;
	const struct rounds_options rounds = {
		.whom = whom,
		.name = "serve",
		.every_ns = whom->options.every_ns ? whom->options.every_ns : MINUTE_NS,
		.limits = options->limits,
		.take = live_take,
		.context = &server->live,
	};
	uint64_t most = LIVE_INTERVALS * rounds.every_ns / SECOND_NS;
	int status = open_folder(server, options->folder), signals;
	sigset_t before;

	status = status ? status : thin_clear();
	status = status ? status : thin(&options->limits);
	if (status)
		return status;
	signals = signals_take(&before);
	if (signals < 0)
		return cmd_fail("signals: %s: close some files", strerror(-signals));
	whom->options.every_ns = 0;
	if (whom_is_running(whom)) {
		server->live.rounds = rounds_new(&rounds);
		if (!server->live.rounds)
			return cmd_fail("out of memory: free some");
		server->live.root = LIVE_ROOT;
		server->live.seconds_max = most < SECONDS_MAX ? most : SECONDS_MAX;
		server->shelf.moves = LIVE_ROOT;
	}
	status = serve(server, signals);
	rounds_end(server->live.rounds, signals);
	close(signals);
	return status;
}

/* The token is read before the working directory changes; and what only goes with -d, or not with
 * it. */
static int check(struct serve_options *options, const char *operand)
{
	const struct measure_options *measure = &options->whom.options;
	struct error why = {""};

	if (options->token_file && guard_token_keep(options->token_file, options->token, &why))
		return cmd_fail("%s", why.text);

	if (!options->folder && measure->every_ns && !measure->keeping.output)
		return cmd_fail("--every: only profiles that are kept have intervals: name a "
				"folder with -d");
	if (options->folder && operand)
		return cmd_fail("-d and '%s': it keeps what -p or -a measure: leave one out",
				operand);
	if (options->folder && measure->keeping.output)
		return cmd_fail(
			"-d and -o: profiles in a folder are named by their time: leave one out");
	if (measure->engine.event)
		return cmd_fail("-e %s: what is served is CPU time: leave it out",
				measure->event.name);
	if (options->folder && measure->for_ns)
		return cmd_fail("-d and --for: it goes on until it is told to end: leave one out");
	if (options->folder && measure->every_ns && measure->every_ns < SECOND_NS)
		return cmd_fail("-d and --every: file names have no fractions of a second: give 1s "
				"or more");
	return 0;
}

int command_serve(int argc, char **argv)
{
	struct serve_options options = {
		.listen = LISTEN_USUAL, .top = TOP_USUAL, .limits = {7 * 24 * HOUR_NS, GIGABYTE}};
	struct server server = {.options = &options};
	struct measure_options *measure = &options.whom.options;
	int first, status = 0;

	measuring_defaults(measure);
	measure->keeping.output = NULL;
	measure->keeping.no_report = true;
	measure->quiet = true;
	measure->show = (struct moving_show){.show = show, .context = &server};
	first = options_read(command_find("serve"), argc, argv, &options);
	if (first > 0)
		status = check(&options, argv[first]);
	if (first > 0 && !status && options.folder)
		status = serve_kept(&server, &options.whom);
	else if (first > 0 && !status && whom_is_running(&options.whom))
		status = whom_measure(&options.whom, "serve", argv + first);
	else if (first > 0 && !status)
		status = serve_files(&server, argv + first, (size_t)(argc - first));
	whom_done(&options.whom);
	return first < 0 ? EXIT_PROFIL : status;
}
