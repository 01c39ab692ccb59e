// SPDX-License-Identifier: BSD-2-Clause
#include "engine/clock.h"
#include "engine/engine.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

static int is_prime(uint64_t n)
{
	for (uint64_t d = 2; d * d <= n; d++)
		if (n % d == 0)
			return 0;
	return n > 1;
}

static void periods_are_prime_and_near(void **state)
{
	(void)state;
	for (uint64_t hertz = 1; hertz <= 100000; hertz = hertz * 7 / 5 + 1) {
		uint64_t asked = 1000000000 / hertz;
		uint64_t period = clock_odd_period(asked);

		assert_true(is_prime(period));
		assert_true(period >= asked && period - asked < asked / 50 + 2);
	}
}

struct switched {
	size_t count;
	int fds[8];
	uint64_t times[8];
};

static int note(void *context, int fd)
{
	struct switched *switched = context;

	switched->times[switched->count] = monotonic_ns();
	switched->fds[switched->count++] = fd;
	return 0;
}

/* No events needed: the scatter only hands descriptors over, each once, within one period. */
static void scatter_reaches_each_once_in_time(void **state)
{
	int fds[] = {10, 11, 12, 13, 14, 15, 16, 17};
	struct clocks clocks = {.fds = fds, .count = 8, .period_ns = 20000000};
	struct switched switched = {};
	unsigned seen = 0;

	(void)state;
	assert_int_equal(clocks_scatter(&clocks, note, &switched), 0);
	assert_int_equal(switched.count, 8);
	for (size_t i = 0; i < 8; i++) {
		seen |= 1u << (switched.fds[i] - 10);
		assert_true(i == 0 || switched.times[i] >= switched.times[i - 1]);
	}
	assert_int_equal(seen, 0xff);
}

/* Which clock comes first must not be the same one every time.  With 8 clocks the same one leads
 * 20 draws in a row with probability 8 * 8^-20 < 1e-17. */
static void scatter_has_no_favourite(void **state)
{
	int fds[] = {10, 11, 12, 13, 14, 15, 16, 17};
	struct clocks clocks = {.fds = fds, .count = 8, .period_ns = 10007};
	unsigned leaders = 0;

	(void)state;
	for (int draw = 0; draw < 20; draw++) {
		struct switched switched = {};

		assert_int_equal(clocks_scatter(&clocks, note, &switched), 0);
		leaders |= 1u << (switched.fds[0] - 10);
	}
	assert_true(leaders & (leaders - 1));
}

static int refuse(void *context, int fd)
{
	(void)context;
	(void)fd;
	return -EPERM;
}

static void scatter_stops_at_an_error(void **state)
{
	int fds[] = {10, 11};
	struct clocks clocks = {.fds = fds, .count = 2, .period_ns = 10007};

	(void)state;
	assert_int_equal(clocks_scatter(&clocks, refuse, NULL), -EPERM);
}

/* What is told of other devices is passed over. */
static void cpus_that_come_and_go_are_told(void **state)
{
	static const char other[] = "add@/devices/pci0000:00/cpu1\0ACTION=add";
	static const char gone[] = "offline@/devices/system/cpu/cpu0\0ACTION=offline";
	static const char came[] = "online@/devices/system/cpu/cpu3\0ACTION=online";
	int ends[2], cpu;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends), 0);
	assert_int_equal(send(ends[1], other, sizeof(other), 0), sizeof(other));
	assert_int_equal(send(ends[1], gone, sizeof(gone), 0), sizeof(gone));
	assert_int_equal(send(ends[1], came, sizeof(came), 0), sizeof(came));
	assert_int_equal(clocks_told(ends[0], &cpu), -1);
	assert_int_equal(cpu, 0);
	assert_int_equal(clocks_told(ends[0], &cpu), 1);
	assert_int_equal(cpu, 3);
	assert_int_equal(clocks_told(ends[0], &cpu), 0); /* all was read */
	close(ends[0]);
	close(ends[1]);
}

/* Two CPUs go and one of them comes: what lacks is the time of one, and of the other one's absence.
 */
static void changes_are_online_time(void **state)
{
	struct cpu_changes changes = {};

	(void)state;
	cpu_changes_take(&changes, -1, 1000);
	cpu_changes_take(&changes, -1, 3000);
	cpu_changes_take(&changes, 1, 7000);
	assert_int_equal(cpu_changes_ns(&changes, 10000), -(10000 - 1000) - (7000 - 3000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(periods_are_prime_and_near),
		cmocka_unit_test(scatter_reaches_each_once_in_time),
		cmocka_unit_test(scatter_has_no_favourite),
		cmocka_unit_test(scatter_stops_at_an_error),
		cmocka_unit_test(cpus_that_come_and_go_are_told),
		cmocka_unit_test(changes_are_online_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
