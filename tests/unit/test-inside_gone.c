// SPDX-License-Identifier: BSD-2-Clause
/* The kernel engine inside a process: a buffer that the program takes away while it is counted in.
 * "If the calculation results in an invalid address, profiling is silently disabled." */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/utsname.h>
#include <cmocka.h>

#include "inside.h"

SPINS SPIN(static, spin_three);
SPINS SPIN(static __attribute__((used)), spin_end);

static void check(bool done)
{
	if (!done)
		fail_msg("%s", strerror(errno));
}

/* Before Linux 6.4 the kernel does not tell when a memory map was written last, so a page is looked
 * for at every 64th tick in it, and whenever mappings have come or gone. */
static uint64_t ticks_until_it_is_seen(void)
{
	struct utsname name;
	int major = 0, minor = 0;

	assert_int_equal(uname(&name), 0);
	assert_int_equal(sscanf(name.release, "%d.%d", &major, &minor), 2);
	return major > 6 || (major == 6 && minor >= 4) ? 0 : 64;
}

/* ------------------------------------------------------------------ ways to lose a buffer */

static void unmap(void *page)
{
	check(!munmap(page, PAGE));
}

static void make_readonly(void *page)
{
	check(!mprotect(page, PAGE, PROT_READ));
}

static void make_inaccessible(void *page)
{
	check(!mprotect(page, PAGE, PROT_NONE));
}

static void *cover(void *page, int flags)
{
	return mmap(page, PAGE, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void cover_privately(void *page)
{
	check(cover(page, MAP_PRIVATE) == page);
}

static void cover_with_shared(void *page)
{
	check(cover(page, MAP_SHARED) == page);
}

static void move_away(void *page)
{
	check(mremap(page, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, pages(PAGE)) != MAP_FAILED);
}

/* Its neighbour's, which is the area's too but another place of it. */
static void cover_with_the_next(void *page)
{
	check(mremap((char *)page + PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, page) == page);
}

static const struct way {
	const char *name;
	void (*take)(void *page);
	bool stays; /* what was counted can be seen there still */
} ways[] = {
	{"unmapped", unmap, false},
	{"read-only", make_readonly, true},
	{"not accessible", make_inaccessible, true},
	{"covered by private memory", cover_privately, false},
	{"covered by shared memory", cover_with_shared, false},
	{"moved", move_away, false},
	{"covered by another page of it", cover_with_the_next, false},
};
#define WAYS (sizeof(ways) / sizeof(*ways))

/* Whether the measurement ended by the first tick after BEFORE, which is lost. */
static bool has_ended(const struct inside_account *before, const struct inside_account *after)
{
	return after->ended && after->lost == 1 &&
	       after->counted - before->counted <= ticks_until_it_is_seen();
}

/* One thread ticks one after the other, so that no second tick is under way when the first is lost.
 */
static void the_next_tick_is_the_last(void **state)
{
	for (size_t i = 0; i < WAYS; i++) {
		uint32_t *cells = pages(2 * PAGE);
		struct region region = region_of(spin_one, cells);
		struct inside_account before, after;
		struct run run;

		region.count = 2 * PAGE / sizeof(uint32_t);
		begin(&run, &region, 1, period_near(4999), true);
		spin_for(0.02);
		before = account_now(&run);
		assert_false(before.ended);
		assert_true(before.counted > 0 && !before.lost);
		ways[i].take(cells);
		/* Taken, not yet ticked upon. */
		before = account_now(&run);
		assert_false(before.ended);
		spin_for(0.02);
		after = account_now(&run);
		stop(&run);
		if (!has_ended(&before, &after))
			fail_msg("%s: ended %d, %lu lost, %lu counted, before %lu", ways[i].name,
				 after.ended, after.lost, after.counted, before.counted);
		assert_int_equal(run.account.ticks, after.ticks);
		if (ways[i].stays) {
			check(!mprotect(cells, PAGE, PROT_READ | PROT_WRITE));
			assert_int_equal(sum(cells, 1024), after.counted);
		}
		munmap(cells, 2 * PAGE);
	}
}

/* What comes in its place is the program's alone, at once and when the end is told. */
static void what_comes_in_its_place_is_left_alone(void **state)
{
	uint32_t *cells = pages(PAGE);
	struct region region = region_of(spin_one, cells);
	struct run run;

	begin(&run, &region, 1, period_near(4999), true);
	spin_for(0.02);
	cover_privately(cells);
	for (uint32_t i = 0; i < 1024; i++)
		cells[i] = i;
	spin_for(0.02);
	assert_int_equal(sum(cells, 1024), 1024 * 1023 / 2);
	stop(&run);
	assert_true(run.account.ended);
	assert_int_equal(sum(cells, 1024), 1024 * 1023 / 2);
	munmap(cells, PAGE);
}

/* Only an address that a tick comes to is calculated: where no tick falls nothing ends, and the
 * first that does ends all, in sound regions too. */
static void sound_regions_go_on_until_then(void **state)
{
	const uint64_t period = period_near(4999);
	uint32_t *cells = pages(2 * PAGE);
	struct region regions[] = {region_of(spin_one, cells), region_of(spin_three, cells + 1024)};
	struct truth one = {}, three = {};
	struct inside_account last;
	struct run run;

	begin(&run, regions, 2, period, true);
	cover_privately(cells + 1024);
	watched_spin(&one, spin_one, 0.1);
	last = account_now(&run);
	assert_false(last.ended);
	assert_int_equal(sum(cells, 1024), last.counted);
	watched_spin(&three, spin_three, 0.02);
	watched_spin(&one, spin_one, 0.02);
	stop(&run);
	assert_true(has_ended(&last, &run.account));
	assert_int_equal(sum(cells, 1024), last.counted);
	assert_int_equal(sum(cells + 1024, 1024), 0);
	munmap(cells, 2 * PAGE);
}

/* ------------------------------------------------------------------ what takes nothing away */

static void *turn_the_map_over(void *context)
{
	const bool *go_on = context;

	while (__atomic_load_n(go_on, __ATOMIC_RELAXED)) {
		char *some = pages(5 * PAGE);

		for (size_t i = 0; i < 5; i += 2)
			check(!mprotect(some + i * PAGE, PAGE, PROT_NONE));
		check(!munmap(some + PAGE, 3 * PAGE));
		check(!munmap(some, 5 * PAGE));
	}
	return NULL;
}

/* While another thread writes the memory map without a pause: pages beside the buffer come and go,
 * and its own mapping is cut in pieces and made whole again. */
static void a_buffer_that_stays_is_found(void **state)
{
	uint32_t *cells = pages(9 * PAGE);
	struct region regions[] = {region_of(spin_one, cells), region_of(spin_three, cells + 1024)};
	struct truth one = {}, three = {};
	bool go_on = true;
	pthread_t thread;
	struct run run;

	regions[1].count = 8 * PAGE / sizeof(uint32_t);
	begin(&run, regions, 2, period_near(20000), true);
	assert_int_equal(pthread_create(&thread, NULL, turn_the_map_over, &go_on), 0);
	for (size_t i = 0; i < 100; i++) {
		char *some = (char *)cells + (2 + i % 7) * PAGE;

		check(!mprotect(some, PAGE, PROT_READ));
		watched_spin(&one, spin_one, 0.002);
		check(!mlock(cells, PAGE) && !munlock(cells, PAGE));
		watched_spin(&three, spin_three, 0.001);
		check(!mprotect(some, PAGE, PROT_READ | PROT_WRITE));
	}
	__atomic_store_n(&go_on, false, __ATOMIC_RELAXED);
	assert_int_equal(pthread_join(thread, NULL), 0);
	end(&run);
	assert_false(run.account.ended);
	assert_int_equal(sum(cells, 9 * PAGE / sizeof(uint32_t)), run.account.counted);
	assert_true(run.account.counted > 1000);
	munmap(cells, 9 * PAGE);
}

static void a_page_that_is_back_in_time_was_never_gone(void **state)
{
	uint32_t *cells = pages(PAGE);
	struct region region = region_of(spin_one, cells);
	struct run run;

	begin(&run, &region, 1, period_near(4999), true);
	spin_for(0.01);
	make_inaccessible(cells);
	check(!mprotect(cells, PAGE, PROT_READ | PROT_WRITE));
	spin_for(0.01);
	end(&run);
	assert_false(run.account.ended);
	assert_int_equal(sum(cells, 1024), run.account.counted);
	munmap(cells, PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_next_tick_is_the_last),
		cmocka_unit_test(what_comes_in_its_place_is_left_alone),
		cmocka_unit_test(sound_regions_go_on_until_then),
		cmocka_unit_test(a_buffer_that_stays_is_found),
		cmocka_unit_test(a_page_that_is_back_in_time_was_never_gone),
	};

	return cmocka_run_group_tests(tests, find_privilege, NULL);
}
