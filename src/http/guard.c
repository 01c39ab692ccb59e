// SPDX-License-Identifier: BSD-2-Clause
#include "http/guard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOST_MAX 256

int guard_token_make(char ret_token[GUARD_TOKEN_SIZE], struct error *reterr)
{
	uint8_t bytes[(GUARD_TOKEN_SIZE - 1) / 2];

	if (getrandom(bytes, sizeof(bytes), /* flags= */ 0) != (ssize_t)sizeof(bytes))
		return error_set(reterr, -EIO,
				 "token: the kernel gives no random bytes: allow getrandom(2)");
	for (size_t i = 0; i < sizeof(bytes); i++)
		(void)snprintf(ret_token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

static int read_token(const char *path, int fd, char ret_token[GUARD_TOKEN_SIZE],
		      struct error *reterr)
{
	const size_t length = GUARD_TOKEN_SIZE - 1;
	char text[GUARD_TOKEN_SIZE + 1] = "";
	struct stat status;
	ssize_t got = read(fd, text, sizeof(text));

	if (got < 0 || fstat(fd, &status))
		return error_set(reterr, -EIO, "%s: %s: name another file with --token-file", path,
				 strerror(errno));
	if (status.st_mode & 077)
		return error_set(reterr, -EPERM, "%s: others may read or write it: chmod 600 %s",
				 path, path);
	if ((size_t)got < length || strspn(text, "0123456789abcdef") != length ||
	    ((size_t)got > length && text[length] != '\n'))
		return error_set(
			reterr, -EINVAL,
			"%s: no token, 32 hexadecimal digits: delete it, and a new one is made",
			path);
	memcpy(ret_token, text, length);
	ret_token[length] = '\0';
	return 0;
}

static int write_token(const char *path, char ret_token[GUARD_TOKEN_SIZE], struct error *reterr)
{
	int fd, ret = guard_token_make(ret_token, reterr);

	if (ret)
		return ret;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || dprintf(fd, "%s\n", ret_token) < 0)
		ret = error_set(reterr, -errno, "%s: %s: name another file with --token-file", path,
				strerror(errno));
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && ret)
		(void)unlink(path);
	return ret;
}

int guard_token_keep(const char *path, char ret_token[GUARD_TOKEN_SIZE], struct error *reterr)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret;

	if (fd < 0 && errno == ENOENT)
		return write_token(path, ret_token, reterr);
	if (fd < 0)
		return error_set(reterr, -errno, "%s: %s: name another file with --token-file",
				 path, strerror(errno));
	ret = read_token(path, fd, ret_token, reterr);
	close(fd);
	return ret;
}

bool guard_token_is(const char *given, const char *token)
{
	size_t length = strlen(token);
	unsigned char differs = 0;

	if (!given || strlen(given) != length)
		return false;
	for (size_t i = 0; i < length; i++)
		differs |= (unsigned char)(given[i] ^ token[i]);
	return !differs;
}

/* Cut the port off, and the brackets.  Returns false for what is no host. */
static bool take_name(const char *host, char name[HOST_MAX])
{
	bool is_bracketed = *host == '[';
	size_t length = strcspn(host + is_bracketed, is_bracketed ? "]" : ":");
	const char *rest = host + is_bracketed + length;

	if (length >= HOST_MAX || (is_bracketed && *rest++ != ']'))
		return false;
	if (*rest && (*rest != ':' || rest[1 + strspn(rest + 1, "0123456789")]))
		return false;
	memcpy(name, host + is_bracketed, length);
	name[length] = '\0';
	return true;
}

bool guard_host(const char *host, const char *own)
{
	struct in6_addr address;
	char name[HOST_MAX];

	if (!host || !take_name(host, name))
		return false;
	return inet_pton(AF_INET, name, &address) == 1 ||
	       inet_pton(AF_INET6, name, &address) == 1 || !strcasecmp(name, "localhost") ||
	       (*own && !strcasecmp(name, own));
}

bool guard_origin(const char *origin, const char *host)
{
	static const char scheme[] = "http://";
	size_t length = sizeof(scheme) - 1;

	return !origin ||
	       (!strncmp(origin, scheme, length) && host && !strcasecmp(origin + length, host));
}
