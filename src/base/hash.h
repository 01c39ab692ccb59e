/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Hashes for tables in memory, by a secret that each process draws: who makes a file for profil to
 * read cannot choose keys that fall together.  They are another in each process, so nothing that is
 * written or printed may follow their order. */

/* Of SIZE bytes, which may be NULL where they are none.  Signal-safe: no.  Thread-safe: yes. */
uint64_t hash_bytes(const void *bytes, size_t size);

/* The same with a secret of the caller's; the whole of it is SipHash-1-3 (Aumasson and Bernstein,
 * "SipHash: a fast short-input PRF", 2012; with the rounds that tables are usually given). */
struct hash_secret {
	uint64_t words[2];
};
uint64_t hash_by_secret(const struct hash_secret *secret, const void *bytes, size_t size);
