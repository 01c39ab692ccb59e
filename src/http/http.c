// SPDX-License-Identifier: BSD-2-Clause
#include "http/http.h"

#include "base/array.h"
#include "base/library.h"
#include "http/private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* libmicrohttpd brings a library of cryptography with it, so it is loaded when it is wanted. */

#define CONNECTIONS_MAX 256
#define CONNECTION_BYTES (16 << 10) /* of a request's head, and of what is sent at once */
#define IDLE_SECONDS 30
/* However a connection is kept busy, it ends: when its next request has not come whole ... */
#define ASK_SECONDS 10
#define ANSWER_SECONDS 300 /* ... or its answer has not gone. */
#define NEVER INT64_MAX
#define TICK_MS 1000

struct mhd mhd;

static int64_t now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static struct http_request *request_new(struct http *http, struct MHD_Connection *connection,
					const char *path)
{
	struct http_request *request = calloc(1, sizeof(*request));
	const union MHD_ConnectionInfo *info =
		mhd.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	if (!request)
		return NULL;
	*request = (struct http_request){.http = http,
					 .connection = connection,
					 .visitor = info ? info->socket_context : NULL,
					 .path = strdup(path)};
	if (request->path && request->visitor) {
		request->visitor->request = request;
		return request;
	}
	free(request->path);
	free(request);
	return NULL;
}

/* Returns whether REQUEST, whose turn it is, has an answer by now; else it waits. */
static bool take(struct http_request *request, const char *method)
{
	if (!request->is_checked) {
		request->is_checked = true;
		request->visitor->deadline = NEVER;
		if (!answer_refused(request, method))
			request->http->options.take(request->http->options.context, request);
		if (!request->response)
			mhd.suspend_connection(request->connection);
		request->waits = !request->response;
	}
	return !request->waits;
}

/* libmicrohttpd calls it when a request's head is there, when all of it is, and when it goes on. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
				  const char *path, const char *method, const char *version,
				  const char *body, size_t *body_size, void **state)
{
	struct http_request *request = *state;
	enum MHD_Result result;

	if (!request) {
		*state = request_new(context, connection, path);
		return *state ? MHD_YES : MHD_NO;
	}
	if (*body_size) {
		*body_size = 0;
		return MHD_YES;
	}
	if (!request->http->is_closing && !take(request, method))
		return MHD_YES;
	if (!request->response)
		return MHD_NO;
	request->visitor->deadline = request->is_stream ? NEVER : now_seconds() + ANSWER_SECONDS;
	result = mhd.queue_response(connection, request->status, request->response);
	mhd.destroy_response(request->response);
	request->response = NULL;
	return result;
}

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
			 enum MHD_RequestTerminationCode how)
{
	struct http_request *request = *state;

	if (!request)
		return;
	request->visitor->deadline = now_seconds() + ASK_SECONDS;
	request->visitor->request = NULL;
	request->http->streams -= request->is_stream;
	free(request->path);
	free(request);
	*state = NULL;
}

static void on_connection(void *context, struct MHD_Connection *connection, void **state,
			  enum MHD_ConnectionNotificationCode how)
{
	struct http *http = context;
	struct visitor *visitor = *state;

	if (how == MHD_CONNECTION_NOTIFY_CLOSED && visitor) {
		*visitor->link = visitor->next;
		if (visitor->next)
			visitor->next->link = visitor->link;
		free(visitor);
		*state = NULL;
	}
	if (how != MHD_CONNECTION_NOTIFY_STARTED)
		return;
	visitor = calloc(1, sizeof(*visitor));
	*state = visitor;
	if (!visitor)
		return;
	*visitor = (struct visitor){http->visitors, &http->visitors, connection, NULL,
				    now_seconds() + ASK_SECONDS};
	if (visitor->next)
		visitor->next->link = &visitor->next;
	http->visitors = visitor;
}

/* End the connections that have had their time. */
static void end_late(struct http *http)
{
	int64_t now = now_seconds();
	const union MHD_ConnectionInfo *info;

	for (struct visitor *visitor = http->visitors; visitor; visitor = visitor->next) {
		if (now < visitor->deadline)
			continue;
		info = mhd.get_connection_info(visitor->connection,
					       MHD_CONNECTION_INFO_CONNECTION_FD);
		if (info)
			(void)shutdown(info->connect_fd, SHUT_RDWR);
	}
}

static int load(struct error *reterr)
{
	const struct library_call calls[] = {
#define ROW(name) {"MHD_" #name, &mhd.name},
		MHD_CALLS(ROW)};

	if (library_load("libmicrohttpd.so.12", calls, ARRAY_LENGTH(calls)))
		return 0;
	return error_set(reterr, -ENOENT,
			 "serve: libmicrohttpd.so.12 is not here or not complete: install "
			 "libmicrohttpd");
}

static int start(struct http *http, struct error *reterr)
{
	http->daemon = mhd.start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, /* port= */ 0, NULL, NULL, on_request,
		http, MHD_OPTION_LISTEN_SOCKET, http->listening.fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_COMPLETED, on_completed, http,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, http, MHD_OPTION_END);
	if (http->daemon)
		return 0;
	close(http->listening.fd);
	return error_set(reterr, -EIO,
			 "serve: libmicrohttpd does not start: free some memory or "
			 "descriptors");
}

int http_open(const struct http_options *options, struct http **ret_http, struct error *reterr)
{
	struct http *http;
	int ret = load(reterr);

	if (ret)
		return ret;
	http = calloc(1, sizeof(*http));
	if (!http)
		return error_set(reterr, -ENOMEM, "serve: out of memory: free some");
	http->options = *options;
	if (options->token)
		(void)strcpy(http->token, options->token);
	else
		ret = guard_token_make(http->token, reterr);
	if (!ret)
		ret = listen_open(options->listen, &http->listening, reterr);
	if (!ret)
		ret = start(http, reterr);
	if (ret) {
		free(http);
		return ret;
	}
	/* Cookies are of a host, whatever the port. */
	(void)snprintf(http->cookie, sizeof(http->cookie), "profil%s",
		       strrchr(http->listening.address, ':') + 1);
	(void)snprintf(http->url, sizeof(http->url), "http://%s/?token=%s", http->listening.address,
		       http->token);
	if (http->listening.is_public)
		(void)gethostname(http->own_name, sizeof(http->own_name) - 1);
	*ret_http = http;
	return 0;
}

void http_close(struct http *http)
{
	if (!http)
		return;
	http->is_closing = true;
	for (struct visitor *visitor = http->visitors; visitor; visitor = visitor->next)
		if (visitor->request && visitor->request->waits)
			mhd.resume_connection(visitor->connection);
	mhd.stop_daemon(http->daemon);
	free(http);
}

const char *http_url(const struct http *http)
{
	return http->url;
}

const char *http_address(const struct http *http)
{
	return http->listening.address;
}

bool http_is_public(const struct http *http)
{
	return http->listening.is_public;
}

int http_fd(const struct http *http)
{
	return mhd.get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

int http_wait_ms(const struct http *http)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (mhd.get_timeout(http->daemon, &ms) == MHD_YES && ms < TICK_MS)
		return (int)ms;
	return http->visitors ? TICK_MS : -1;
}

void http_run(struct http *http)
{
	end_late(http);
	(void)mhd.run(http->daemon);
}
