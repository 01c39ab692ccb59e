// SPDX-License-Identifier: BSD-2-Clause
#include "base/hash.h"

#include <endian.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

struct state {
	uint64_t a, b, c, d;
};

static uint64_t rotate(uint64_t word, unsigned bits)
{
	return word << bits | word >> (64 - bits);
}

static inline void mix(struct state *state)
{
	state->a += state->b;
	state->c += state->d;
	state->b = rotate(state->b, 13) ^ state->a;
	state->d = rotate(state->d, 16) ^ state->c;
	state->a = rotate(state->a, 32) + state->d;
	state->c += state->b;
	state->b = rotate(state->b, 17) ^ state->c;
	state->d = rotate(state->d, 21) ^ state->a;
	state->c = rotate(state->c, 32);
}

static inline void take(struct state *state, uint64_t word)
{
	state->d ^= word;
	mix(state);
	state->a ^= word;
}

uint64_t hash_by_secret(const struct hash_secret *secret, const void *bytes, size_t size)
{
	const uint64_t *key = secret->words;
	struct state state = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d,
			      key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573};
	const char *at = bytes;
	uint64_t word;

	for (size_t left = size; left >= sizeof(word); left -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		take(&state, le64toh(word));
		at += sizeof(word);
	}
	word = 0;
	if (size % sizeof(word))
		memcpy(&word, at, size % sizeof(word));
	take(&state, le64toh(word) | (uint64_t)size << 56);
	state.c ^= 0xff;
	for (int i = 0; i < 3; i++)
		mix(&state);
	return state.a ^ state.b ^ state.c ^ state.d;
}

static struct hash_secret own;

/* Where a filter refuses getrandom(2), there is what the kernel gives every program at its start,
 * and of which the C library makes its own secrets; a hash tells nothing of it. */
static void draw(void)
{
	const void *given = (const void *)getauxval(AT_RANDOM);

	if (getrandom(&own, sizeof(own), GRND_NONBLOCK) != sizeof(own) && given)
		memcpy(&own, given, sizeof(own));
}

uint64_t hash_bytes(const void *bytes, size_t size)
{
	static pthread_once_t drawn = PTHREAD_ONCE_INIT;

	(void)pthread_once(&drawn, draw);
	return hash_by_secret(&own, bytes, size);
}
