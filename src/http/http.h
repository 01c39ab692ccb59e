/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Pages for one user's browser and tools, by libmicrohttpd, in the caller's thread.  Who asks must
 * know the token (guard.h) and may do nothing but read.  What waits, waits aside: for pages that
 * are being made, and for readers that are slow. */

struct http;
struct http_request;

struct http_options {
	const char *listen; /* "127.0.0.1:7997", "[::1]:0" */
	const char *token;  /* of guard_token_keep(); NULL: a new one */
	/* Answer REQUEST, now or later, by one of the functions below. */
	void (*take)(void *context, struct http_request *request);
	void *context;
};

/* Returns 0, or -errno with a sentence.  Signal-safe: no.  Thread-safe: no. */
int http_open(const struct http_options *options, struct http **ret_http, struct error *reterr);
void http_close(struct http *http);

/* What is to be typed to see the first page; the address that is listened at; and whether others
 * than this machine can reach it. */
const char *http_url(const struct http *http);
const char *http_address(const struct http *http);
bool http_is_public(const struct http *http);

/* A descriptor that can be read when http_run() has something to do, and the milliseconds after
 * which it has anyway, -1 for never. */
int http_fd(const struct http *http);
int http_wait_ms(const struct http *http);
void http_run(struct http *http);

/* What is asked for: the path without escapes, and the value of NAME behind its "?", or NULL. */
const char *http_path(const struct http_request *request);
const char *http_value(const struct http_request *request, const char *name);

/* Where NAME has several values: the first MOST of them.  Returns how many there are. */
size_t http_values(const struct http_request *request, const char *name, const char **ret_values,
		   size_t most);

/* The answer: TEXT, which is copied, or the content of FD, which is taken.  TYPE is its media type.
 */
void http_answer(struct http_request *request, unsigned status, const char *type, const char *text);
void http_answer_file(struct http_request *request, unsigned status, const char *type, int fd);

/* The answer is a stream of server-sent events: from now on each that http_push() sends, and the
 * last one that it has sent before.  A reader that is slow gets the newest.  EVENT's text must
 * stay. */
void http_answer_events(struct http_request *request);
void http_push(struct http *http, const char *event);

/* How many streams there are. */
size_t http_streams(const struct http *http);

#define HTTP_TEXT "text/plain; charset=utf-8"
#define HTTP_HTML "text/html; charset=utf-8"
