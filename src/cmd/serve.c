// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "base/array.h"
#include "cmd/pages.h"
#include "cmd/shared.h"
#include "cmd/shelf.h"
#include "cmd/signals.h"
#include "http/http.h"
#include "view/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LISTEN_USUAL "127.0.0.1:7997"
#define SECOND_MS 1000

struct serve_options {
	const char *listen;
};

const struct option_row serve_options[] = {
	{0, "listen", "ADDRESS:PORT", "serve there, port 0 for any (127.0.0.1:7997)", "Server",
	 VALUE_TEXT, INTO(struct serve_options, listen)},
	OPTION_HELP_ROW,
	{0},
};

struct server {
	struct http *http;
	struct pages pages;
	struct shelf shelf;
};

/* What can be asked for of a profile: the words of the command that prints it. */
static const struct view {
	const char *name, *type;
	char *words[5];
} views[] = {
	{"", "text/html; charset=utf-8", {"html", "-o", "/dev/stdout"}},
	{"report.txt", HTTP_TEXT, {"report"}},
	{"report.json", "application/json", {"report", "--json"}},
	{"tree.txt", HTTP_TEXT, {"tree"}},
	{"tree.json", "application/json", {"tree", "--json"}},
	{"hist.txt", HTTP_TEXT, {"hist"}},
	{"flame.svg", "image/svg+xml", {"flame", "-o", "/dev/stdout"}},
	{"profile.pb.gz",
	 "application/octet-stream",
	 {"export", "--to", "pprof", "-o", "/dev/stdout"}},
};

static void answer_nothing(struct http_request *request)
{
	http_answer(request, 404, HTTP_TEXT, "profil: there is no such page: begin at /\n");
}

/* The view called NAME of FILE, as the command prints it. */
static void answer_view(struct server *server, struct http_request *request, const char *file,
			const char *name)
{
	struct page page = {0};
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(views); i++) {
		if (strcmp(views[i].name, name) != 0)
			continue;
		for (; count < ARRAY_LENGTH(views[i].words) && views[i].words[count]; count++)
			page.argv[count] = views[i].words[count];
		page.argv[count++] = "--";
		page.argv[count] = (char *)file;
		page.type = views[i].type;
		pages_make(&server->pages, request, &page);
		return;
	}
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

static void answer_diff(struct server *server, struct http_request *request)
{
	const char *before = http_value(request, "before"), *after = http_value(request, "after");
	const char *files[] = {before ? shelf_find(&server->shelf, before) : NULL,
			       after ? shelf_find(&server->shelf, after) : NULL};
	struct page page = {HTTP_TEXT, {"diff", "--", (char *)files[0], (char *)files[1]}};

	if (files[0] && files[1])
		pages_make(&server->pages, request, &page);
	else
		answer_nothing(request);
}

static void answer(void *context, struct http_request *request)
{
	static const char below[] = "/profile/";
	struct server *server = context;
	const char *path = http_path(request);
	const char *only = server->shelf.count == 1 ? server->shelf.files[0] : NULL;
	struct page list = {.type = views[0].type, .print = shelf_print, .context = &server->shelf};

	if (!strncmp(path, below, sizeof(below) - 1))
		answer_profile(server, request, path + sizeof(below) - 1);
	else if (!strcmp(path, "/diff"))
		answer_diff(server, request);
	else if (!strcmp(path, "/favicon.ico")) /* of a text; pages have their own */
		http_answer(request, 204, HTTP_TEXT, "");
	else if (only)
		answer_view(server, request, only, path + 1);
	else if (!strcmp(path, "/"))
		pages_make(&server->pages, request, &list);
	else
		answer_nothing(request);
}

/* Until a signal asks for an end. */
static void run(struct server *server, int signals)
{
	do {
		struct pollfd fds[2 + PAGES_FDS] = {
			{.fd = http_fd(server->http), .events = POLLIN},
			{.fd = signals, .events = POLLIN},
		};
		size_t count = pages_wait(&server->pages, fds + 2);
		int ms = http_wait_ms(server->http);

		if (count && (ms < 0 || ms > SECOND_MS))
			ms = SECOND_MS;
		(void)poll(fds, 2 + count, ms);
		http_run(server->http);
		pages_go_on(&server->pages);
		http_run(server->http);
	} while (!signals_next_end(signals));
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

static int serve(struct server *server, const struct serve_options *options)
{
	const struct http_options how = {options->listen, answer, server};
	sigset_t before;
	struct error why = {""};
	int ret = http_open(&how, &server->http, &why), status, signals;

	if (ret)
		return cmd_fail_error(ret, &why);
	status = say(server->http);
	signals = signals_take(&before);
	if (signals < 0)
		status = cmd_fail("signals: %s: close some files", strerror(-signals));
	if (!status)
		run(server, signals);
	pages_done(&server->pages);
	http_close(server->http);
	close(signals);
	return status;
}

int command_serve(int argc, char **argv)
{
	static char *usual[] = {PROFILE_USUAL};
	struct serve_options options = {.listen = LISTEN_USUAL};
	struct server server = {0};
	struct error why = {""};
	int first = options_read(command_find("serve"), argc, argv, &options), count = argc - first;
	int ret;

	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	ret = shelf_open(&server.shelf, count ? argv + first : usual, count ? (size_t)count : 1,
			 &why);
	return ret ? cmd_fail_error(ret, &why) : serve(&server, &options);
}
