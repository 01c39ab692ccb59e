// SPDX-License-Identifier: BSD-2-Clause
/* Exceptions: what is called where one is caught, what is called on the way there, and many in
 * flight.  A function's name tells its callers, as in stacks.c. */
#include <stdexcept>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile unsigned long after;

static double used(void)
{
	timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

extern "C" {

NOINLINE void k_catch_end(void)
{
	for (double end = used() + 0.03; used() < end;)
		after++;
}

NOINLINE void k_cleanup_end(void)
{
	for (double end = used() + 0.03; used() < end;)
		after++;
}

struct guard {
	~guard()
	{
		k_cleanup_end();
	}
};

NOINLINE void k_thrower(int depth)
{
	if (!depth)
		throw std::runtime_error("thrown");
	k_thrower(depth - 1);
	after++;
}

NOINLINE void k_guarded(void)
{
	guard one;

	k_thrower(1);
	after++;
}

NOINLINE void k_try(void)
{
	try {
		k_guarded();
	} catch (const std::runtime_error &) {
		k_catch_end();
	}
	after++;
}

NOINLINE void k_in_flight(void)
{
	for (double end = used() + 0.1; used() < end;)
		try {
			k_thrower(10);
		} catch (const std::runtime_error &) {
			after++;
		}
}
}

int main()
{
	k_try();
	k_in_flight();
	return 0;
}
