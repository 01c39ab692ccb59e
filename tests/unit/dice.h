/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_DICE_H
#define PROFIL_TESTS_DICE_H

#include <stdint.h>

/* Random numbers that are the same on every run and machine (SplitMix64). */
static inline uint64_t dice_throw(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* From 0 to COUNT - 1. */
static inline uint64_t dice_below(uint64_t *state, uint64_t count)
{
	return dice_throw(state) % count;
}

#endif
