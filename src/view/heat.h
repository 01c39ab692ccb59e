/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The colour of a share: from cold, a faint blue, to hot, red.  Its lightness rises and falls with
 * the heat, so that it tells hot from cold without hues too. */

struct heat_color {
	uint8_t red, green, blue;
};

/* HEAT is TICKS beside the PEAK of what is shown, between 0 and 1: the square root of their ratio,
 * for eyes tell few from none before they tell many from most.  PEAK 0 is cold. */
double heat_of(uint64_t ticks, uint64_t peak);

struct heat_color heat_color(double heat);

/* The escape sequence that writes in that colour; static text.  For HEAT 0 it is "". */
const char *heat_ink(double heat, bool true_color);
