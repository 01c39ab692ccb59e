// SPDX-License-Identifier: BSD-2-Clause
#include "view/heat.h"

#include <math.h>

/* One list for both: a picture's colours are a terminal's.  Made by mixing five colours: 8ba6c1,
 * 4f8fb8, e0b030, e8742c, d02828. */
#define LEVELS 12
#define LEVEL(red, green, blue, palette)                                                \
	{                                                                               \
		{red, green, blue}, "\033[38;2;" #red ";" #green ";" #blue "m", palette \
	}

static const struct {
	struct heat_color color;
	const char *ink, *palette; /* of 24 bits | of any terminal */
} levels[LEVELS] = {
	LEVEL(139, 166, 193, "\033[2m"),  LEVEL(117, 158, 190, "\033[36m"),
	LEVEL(95, 149, 186, "\033[36m"),  LEVEL(106, 149, 172, "\033[36m"),
	LEVEL(158, 161, 123, "\033[33m"), LEVEL(211, 173, 73, "\033[33m"),
	LEVEL(225, 165, 47, "\033[33m"),  LEVEL(228, 143, 46, "\033[33m"),
	LEVEL(231, 122, 44, "\033[31m"),  LEVEL(226, 96, 43, "\033[31m"),
	LEVEL(217, 68, 41, "\033[1;31m"), LEVEL(208, 40, 40, "\033[1;31m"),
};

double heat_of(uint64_t ticks, uint64_t peak)
{
	return peak ? sqrt((double)ticks / (double)peak) : 0;
}

static size_t level_of(double heat)
{
	if (!(heat > 0))
		return 0;
	return heat >= 1 ? LEVELS - 1 : (size_t)(heat * LEVELS);
}

struct heat_color heat_color(double heat)
{
	return levels[level_of(heat)].color;
}

const char *heat_ink(double heat, bool true_color)
{
	if (!(heat > 0))
		return "";
	return true_color ? levels[level_of(heat)].ink : levels[level_of(heat)].palette;
}
