/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_UNIT_HOSTILE_H
#define PROFIL_TESTS_UNIT_HOSTILE_H

/* Keys that were chosen to fall together: so many of them, which in a table whose hash their maker
 * knows cost HOSTILE_KEYS / 2 looks each. */
#define HOSTILE_KEYS 8000u

/* Slots that one search looks at, at the most, of HOSTILE_KEYS keys with hashes drawn at random.
 * More must be a run of as many slots that are taken, and so as many keys that belong there, of a
 * table that is at most half full: by Chernoff's bound (e / 4)^(150 / 2) = 2.6e-13 for one place,
 * and there are fewer than 2^15 in the tables of all sizes that such a set has: 9e-9. */
#define HOSTILE_LOOKS 150

#endif
