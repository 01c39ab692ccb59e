// SPDX-License-Identifier: BSD-2-Clause
#include "base/pass_fd.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* Room for one descriptor, aligned as those macros need it. */
union rights {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int))];
};

void pass_fd(int channel, const void *data, size_t size, int fd)
{
	union rights rights = {.head = {CMSG_LEN(sizeof(fd)), SOL_SOCKET, SCM_RIGHTS}};
	struct iovec bytes = {(void *)data, size};
	struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};

	if (fd >= 0) {
		memcpy(CMSG_DATA(&rights.head), &fd, sizeof(fd));
		message.msg_control = &rights;
		message.msg_controllen = sizeof(rights.room);
	}
	(void)sendmsg(channel, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool take_fd(int channel, int flags, void *data, size_t size, int *ret_fd)
{
	union rights rights = {};
	struct iovec bytes = {data, size};
	struct msghdr message = {.msg_iov = &bytes,
				 .msg_iovlen = 1,
				 .msg_control = &rights,
				 .msg_controllen = sizeof(rights.room)};
	ssize_t got;

	do
		got = recvmsg(channel, &message, flags | MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	*ret_fd = -1;
	if (got == (ssize_t)size && message.msg_controllen)
		memcpy(ret_fd, CMSG_DATA(&rights.head), sizeof(*ret_fd));
	return got == (ssize_t)size;
}
