// SPDX-License-Identifier: BSD-2-Clause
#include <stdint.h>
#include <time.h>

/* Loaded before SDL, whose time DOSBox paces itself by, it makes that time pass PACE times as fast.
 * The machine that DOSBox emulates does not notice: its own time is counted in instructions. */

uint32_t SDL_GetTicks(void);
void SDL_Delay(uint32_t milliseconds);

#define PACE 50

static uint64_t nanoseconds(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

__attribute__((visibility("default"))) uint32_t SDL_GetTicks(void)
{
	static uint64_t begin;

	if (!begin)
		begin = nanoseconds();
	return (uint32_t)((nanoseconds() - begin) * PACE / 1000000);
}

__attribute__((visibility("default"))) void SDL_Delay(uint32_t milliseconds)
{
	uint64_t length = (uint64_t)milliseconds * 1000000 / PACE;
	const struct timespec pause = {(time_t)(length / 1000000000), (long)(length % 1000000000)};

	(void)nanosleep(&pause, NULL);
}
