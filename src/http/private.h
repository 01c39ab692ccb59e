/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "http/guard.h"
#include "http/http.h"
#include "http/listen.h"

#include <microhttpd.h>
#include <stdint.h>

/* Of a server's own files. */

#define URL_MAX (LISTEN_TEXT_MAX + GUARD_TOKEN_SIZE + 32)

#define MHD_CALLS(X)                     \
	X(start_daemon)                  \
	X(stop_daemon)                   \
	X(get_daemon_info)               \
	X(get_connection_info)           \
	X(get_timeout)                   \
	X(run)                           \
	X(lookup_connection_value)       \
	X(get_connection_values)         \
	X(create_response_from_buffer)   \
	X(create_response_from_fd)       \
	X(create_response_from_callback) \
	X(add_response_header)           \
	X(queue_response)                \
	X(destroy_response)              \
	X(suspend_connection)            \
	X(resume_connection)

/* The library, loaded when it is wanted. */
extern struct mhd {
#define MEMBER(name) __typeof__(MHD_##name) *name;
	MHD_CALLS(MEMBER)
#undef MEMBER
} mhd;

/* A connection, whether it has asked for something or not. */
struct visitor {
	struct visitor *next, **link;
	struct MHD_Connection *connection;
	struct http_request *request; /* NULL: none has come */
	int64_t deadline;	      /* seconds, monotonic */
};

struct http_request {
	struct http *http;
	struct MHD_Connection *connection;
	struct visitor *visitor;
	char *path;
	bool is_checked, waits; /* WAITS: the answer comes later */
	unsigned status;
	struct MHD_Response *response;
	bool is_stream;
	uint64_t seen; /* of the server's .events */
};

struct http {
	struct http_options options;
	struct MHD_Daemon *daemon;
	struct listening listening;
	struct visitor *visitors;
	char token[GUARD_TOKEN_SIZE], url[URL_MAX], cookie[32], own_name[256];
	bool is_closing;
	const char *event; /* the last one, of so many */
	uint64_t events;
	size_t streams;
};

/* Answer what may not be answered otherwise; returns whether it has. */
bool answer_refused(struct http_request *request, const char *method);
