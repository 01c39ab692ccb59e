// SPDX-License-Identifier: BSD-2-Clause
#include "http/private.h"

#include "base/array.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One request: what it asks for, whether it may, and its answer. */

const char *http_path(const struct http_request *request)
{
	return request->path;
}

const char *http_value(const struct http_request *request, const char *name)
{
	return mhd.lookup_connection_value(request->connection, MHD_GET_ARGUMENT_KIND, name);
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

void http_redirect(struct http_request *request, const char *path)
{
	http_answer(request, MHD_HTTP_SEE_OTHER, HTTP_TEXT, "");
	if (request->response)
		(void)mhd.add_response_header(request->response, MHD_HTTP_HEADER_LOCATION, path);
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
	http_redirect(request, "/");
	if (request->response)
		(void)mhd.add_response_header(request->response, MHD_HTTP_HEADER_SET_COOKIE,
					      cookie);
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
