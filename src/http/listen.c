// SPDX-License-Identifier: BSD-2-Clause
#include "http/listen.h"

#include "base/parse.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 64
#define TAKEN "fd:"

static int refuse(struct error *reterr, const char *address)
{
	return error_set(reterr, -EINVAL,
			 "--listen '%s': not ADDRESS:PORT: give a numeric address of this machine "
			 "and a port, as 127.0.0.1:7997 or [::1]:0",
			 address);
}

/* "127.0.0.1:7997" or "[::1]:7997", and *RET_INFO is freeaddrinfo()'s. */
static int look_up(const char *address, struct addrinfo **ret_info, struct error *reterr)
{
	const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
				       .ai_socktype = SOCK_STREAM};
	const char *colon = strrchr(address, ':'), *from = address, *end = colon;
	char host[LISTEN_TEXT_MAX];
	uint64_t port;

	if (!colon || parse_count(colon + 1, 0, UINT16_MAX, &port))
		return refuse(reterr, address);
	if (*from == '[') {
		from++;
		end--;
	}
	if (end <= from || (from > address && *end != ']') ||
	    (size_t)(end - from) >= sizeof(host) ||
	    (from == address && memchr(from, ':', (size_t)(end - from))))
		return refuse(reterr, address);
	memcpy(host, from, (size_t)(end - from));
	host[end - from] = '\0';
	return getaddrinfo(host, colon + 1, &hints, ret_info) ? refuse(reterr, address) : 0;
}

static int bind_socket(int fd, const struct addrinfo *info)
{
	int yes = 1;

	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	return bind(fd, info->ai_addr, info->ai_addrlen) || listen(fd, BACKLOG) ? -errno : 0;
}

/* What it has become, in words. */
static int describe(struct listening *listening)
{
	struct sockaddr_storage address;
	socklen_t size = sizeof(address);
	const struct sockaddr_in *four = (const struct sockaddr_in *)&address;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address;
	bool is_four;
	char text[INET6_ADDRSTRLEN];

	if (getsockname(listening->fd, (struct sockaddr *)&address, &size))
		return -errno;
	is_four = address.ss_family == AF_INET;
	if (!inet_ntop(address.ss_family,
		       is_four ? (const void *)&four->sin_addr : (const void *)&six->sin6_addr,
		       text, sizeof(text)))
		return -errno;
	(void)snprintf(listening->address, sizeof(listening->address),
		       is_four ? "%s:%u" : "[%s]:%u", text,
		       ntohs(is_four ? four->sin_port : six->sin6_port));
	listening->is_public = is_four ? ntohl(four->sin_addr.s_addr) >> 24 != IN_LOOPBACKNET
				       : !IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
	return 0;
}

/* "fd:3": a socket that listens already, as systemd hands it over. */
static int take_socket(const char *address, struct listening *ret_listening, struct error *reterr)
{
	int listens = 0, flags;
	socklen_t size = sizeof(listens);
	uint64_t fd;
	int ret = parse_count(address + strlen(TAKEN), 0, INT_MAX, &fd);

	if (ret)
		return refuse(reterr, address);
	ret_listening->fd = (int)fd;
	flags = fcntl((int)fd, F_GETFL);
	if (getsockopt((int)fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) || !listens ||
	    fcntl((int)fd, F_SETFD, FD_CLOEXEC) || fcntl((int)fd, F_SETFL, flags | O_NONBLOCK) ||
	    describe(ret_listening))
		return error_set(
			reterr, -EBADF,
			"--listen %s: no TCP socket that listens: give ADDRESS:PORT, or have "
			"systemd hand it over",
			address);
	return 0;
}

int listen_open(const char *address, struct listening *ret_listening, struct error *reterr)
{
	struct addrinfo *info;
	int ret;

	if (!strncmp(address, TAKEN, strlen(TAKEN)))
		return take_socket(address, ret_listening, reterr);
	ret = look_up(address, &info, reterr);
	if (ret)
		return ret;
	ret_listening->fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	ret = ret_listening->fd < 0 ? -errno : bind_socket(ret_listening->fd, info);
	freeaddrinfo(info);
	if (!ret)
		ret = describe(ret_listening);
	if (!ret)
		return 0;
	if (ret_listening->fd >= 0)
		close(ret_listening->fd);
	return error_set(reterr, ret, "--listen %s: %s: give another port, or 0 for any", address,
			 strerror(-ret));
}
