// SPDX-License-Identifier: BSD-2-Clause
#include "http/private.h"

#include "base/array.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EVENT_BYTES 256

/* One request: what it asks for, whether it may, and its answer. */

const char *http_path(const struct http_request *request)
{
	return request->path;
}

const char *http_value(const struct http_request *request, const char *name)
{
	return mhd.lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
}

struct values {
	const char *name, **list;
	size_t count, most;
};

static enum MHD_Result take_value(void *context, enum MHD_ValueKind kind, const char *name,
				  const char *value)
{
	struct values *values = context;

	if (strcmp(name, values->name) != 0 || !value)
		return MHD_YES;
	if (values->count < values->most)
		values->list[values->count] = value;
	values->count++;
	return MHD_YES;
}

size_t http_values(const struct http_request *request, const char *name, const char **ret_values,
		   size_t most)
{
	struct values values = {name, ret_values, 0, most};

	(void)mhd.get_connection_values(request->connection, MHD_GET_ARGUMENT_KIND, take_value,
					&values);
	return values.count;
}

/* Nothing may keep an answer, put it into a frame, or tell the token on. */
static const char *const headers[][2] = {
	{"Cache-Control", "no-store"},
	{"Referrer-Policy", "no-referrer"},
	{"X-Content-Type-Options", "nosniff"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Content-Security-Policy", "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"},
};

/* RESPONSE is REQUEST's answer; NULL where there was no memory, and the connection is closed. */
static void respond(struct http_request *request, unsigned status, const char *type,
		    struct MHD_Response *response)
{
	request->status = status;
	request->response = response;
	for (size_t i = 0; response && i < ARRAY_LENGTH(headers); i++)
		(void)mhd.add_response_header(response, headers[i][0], headers[i][1]);
	if (response)
		(void)mhd.add_response_header(response, "Content-Type", type);
	if (request->waits)
		mhd.resume_connection(request->connection);
	request->waits = false;
}

void http_answer(struct http_request *request, unsigned status, const char *type, const char *text)
{
	respond(request, status, type,
		mhd.create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_MUST_COPY));
}

void http_answer_file(struct http_request *request, unsigned status, const char *type, int fd)
{
	struct stat stat;

	if (fstat(fd, &stat)) {
		close(fd);
		http_answer(request, MHD_HTTP_INTERNAL_SERVER_ERROR, HTTP_TEXT, "lost the page\n");
		return;
	}
	respond(request, status, type, mhd.create_response_from_fd((size_t)stat.st_size, fd));
}

/* What the library writes next.  Nothing: it waits for http_push(). */
static ssize_t write_event(void *context, uint64_t position, char *buffer, size_t size)
{
	struct http_request *request = context;
	const struct http *http = request->http;
	int length;

	if (http->is_closing)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (request->seen == http->events) {
		request->waits = true;
		mhd.suspend_connection(request->connection);
		return 0;
	}
	request->seen = http->events;
	length = snprintf(buffer, size, "data: %s\n\n", http->event);
	return length < (int)size ? length : MHD_CONTENT_READER_END_WITH_ERROR;
}

void http_answer_events(struct http_request *request)
{
	request->is_stream = true;
	request->http->streams++;
	respond(request, MHD_HTTP_OK, "text/event-stream",
		mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, EVENT_BYTES, write_event,
						  request, NULL));
}

void http_push(struct http *http, const char *event)
{
	http->event = event;
	http->events++;
	for (struct visitor *visitor = http->visitors; visitor; visitor = visitor->next) {
		struct http_request *request = visitor->request;

		if (!request || !request->is_stream || !request->waits)
			continue;
		request->waits = false;
		mhd.resume_connection(request->connection);
	}
}

size_t http_streams(const struct http *http)
{
	return http->streams;
}

static const char *header(const struct http_request *request, const char *name)
{
	return mhd.lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

/* In the cookie, as a program's "Authorization: Bearer", or in the address. */
static bool knows_token(const struct http_request *request)
{
	static const char bearer[] = "Bearer ";
	const struct http *http = request->http;
	const char *said = header(request, MHD_HTTP_HEADER_AUTHORIZATION);

	if (said && !strncasecmp(said, bearer, sizeof(bearer) - 1) &&
	    guard_token_is(said + sizeof(bearer) - 1, http->token))
		return true;
	return guard_token_is(mhd.lookup_connection_value(request->connection, MHD_COOKIE_KIND,
							  http->cookie),
			      http->token) ||
	       guard_token_is(http_value(request, "token"), http->token);
}

/* Who has typed the address gets a cookie, and an address that may be shown to others. */
static void give_cookie(struct http_request *request)
{
	char cookie[128];

	(void)snprintf(cookie, sizeof(cookie), "%s=%s; Path=/; HttpOnly; SameSite=Strict",
		       request->http->cookie, request->http->token);
	http_answer(request, MHD_HTTP_SEE_OTHER, HTTP_TEXT, "");
	if (!request->response)
		return;
	(void)mhd.add_response_header(request->response, MHD_HTTP_HEADER_LOCATION, "/");
	(void)mhd.add_response_header(request->response, MHD_HTTP_HEADER_SET_COOKIE, cookie);
}

bool answer_refused(struct http_request *request, const char *method)
{
	const char *host = header(request, MHD_HTTP_HEADER_HOST);

	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
		http_answer(request, MHD_HTTP_METHOD_NOT_ALLOWED, HTTP_TEXT,
			    "method: nothing can be changed here: use GET\n");
		if (request->response)
			(void)mhd.add_response_header(request->response, MHD_HTTP_HEADER_ALLOW,
						      "GET, HEAD");
		return true;
	}
	if (!guard_host(host, request->http->own_name) ||
	    !guard_origin(header(request, MHD_HTTP_HEADER_ORIGIN), host))
		http_answer(request, MHD_HTTP_FORBIDDEN, HTTP_TEXT,
			    "host: not this machine's name, or another page asks: use the address "
			    "that profil has printed\n");
	else if (!knows_token(request))
		http_answer(request, MHD_HTTP_FORBIDDEN, HTTP_TEXT,
			    "token: missing or wrong: use the address that profil has printed\n");
	else if (!strcmp(request->path, "/") && http_value(request, "token"))
		give_cookie(request);
	else
		return false;
	return true;
}
