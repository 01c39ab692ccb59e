// SPDX-License-Identifier: BSD-2-Clause
#include "http/guard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#define HOST_MAX 256

int guard_token_make(char ret_token[GUARD_TOKEN_SIZE])
{
	uint8_t bytes[(GUARD_TOKEN_SIZE - 1) / 2];

	if (getrandom(bytes, sizeof(bytes), /* flags= */ 0) != (ssize_t)sizeof(bytes))
		return -EIO;
	for (size_t i = 0; i < sizeof(bytes); i++)
		(void)snprintf(ret_token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
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
