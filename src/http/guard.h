/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Who may read.  Any page in a browser can send requests to this machine, also under a name of its
 * own that it lets stand for 127.0.0.1; it cannot choose what stands in Host and Origin. */

#define GUARD_TOKEN_SIZE 33 /* 128 bits as text, and its end */

/* A token that nobody can guess.  Returns 0, or -errno with a sentence. */
int guard_token_make(char ret_token[GUARD_TOKEN_SIZE], struct error *reterr);

/* The token in the file PATH, which only its owner may read; where there is no file, a new one is
 * made and written there.  The same. */
int guard_token_keep(const char *path, char ret_token[GUARD_TOKEN_SIZE], struct error *reterr);

/* Whether GIVEN (NULL: none) is TOKEN, in a time that does not tell how much of it is. */
bool guard_token_is(const char *given, const char *token);

/* Whether HOST, of a request, names this machine as no page elsewhere can: by a numeric address, as
 * localhost, or by its OWN name.  The port is any, for it may be forwarded. */
bool guard_host(const char *host, const char *own);

/* Whether ORIGIN (NULL: not said) is the page itself, which came from HOST. */
bool guard_origin(const char *origin, const char *host);
