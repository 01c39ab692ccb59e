// SPDX-License-Identifier: BSD-2-Clause
#include "profile/merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "built.h"
#include "samples.h"

#include <string.h>

/* The account of all time: amounts beside samples, with reasons for places. */

#define WORKER 1  /* of the tasks */
#define AT_READ 1 /* of the contexts, and 1 */
#define AT_WORK 2

static struct histogram_function functions[] = {
	{"futex", "", 0},   {"read", "", 0},	 {"preempted", "", 0},	  {"on CPU", "", 0},
	{"threads", "", 0}, {"1 on CPU", "", 1}, {"missed event", "", 0},
};
enum { FUTEX, READ, PREEMPTED, ON_CPU, THREADS, ONE_ON_CPU, MISSED };

static struct histogram_task tasks[] = {{20, 20, "main"}, {20, 21, "worker"}};

static struct histogram_context contexts[] = {
	{.space = CELL_KERNEL, .address = 0xffffffff81000100},
	{.parent = AT_READ, .space = CELL_VDSO, .address = 0x700},
};

static struct histogram_amount amounts[] = {
	{{CELL_WAITING, FUTEX, 0, 0, 6000, AT_READ, STACK_WHOLE}, VALUE_BLOCKED},
	{{CELL_WAITING, FUTEX, 0, 0, 3, AT_READ, STACK_WHOLE}, VALUE_TIMES_BLOCKED},
	{{CELL_WAITING, READ, WORKER, 0, 4000, AT_WORK, STACK_WHOLE}, VALUE_BLOCKED},
	{{CELL_WAITING, READ, WORKER, 0, 500, AT_WORK, STACK_WHOLE}, VALUE_STILL_BLOCKED},
	{{CELL_WAITING, READ, WORKER, 0, 70, 0, STACK_NOT_SAMPLED}, VALUE_BLOCKED},
	{{CELL_WAITING, PREEMPTED, WORKER, 0, 100, AT_WORK, STACK_WHOLE}, VALUE_RUNQUEUE},
	{{CELL_LIVES, ON_CPU, 0, 0, 900, 0, STACK_NONE}, VALUE_RUNNING},
	{{CELL_LIVES, ON_CPU, WORKER, 0, 800, 0, STACK_NONE}, VALUE_RUNNING},
	{{CELL_LIVES, THREADS, 0, 0, 6900, 0, STACK_NONE}, VALUE_LIFETIME},
	{{CELL_LIVES, THREADS, WORKER, 0, 4980, 0, STACK_NONE}, VALUE_LIFETIME},
	{{CELL_LIVES, MISSED, WORKER, 0, 10, 0, STACK_NONE}, VALUE_UNACCOUNTED},
	{{CELL_LIVES, ONE_ON_CPU, NO_TASK, 0, 1700, 0, STACK_NONE}, VALUE_ELAPSED},
	{{CELL_KERNEL, 0, 0, 0xffffffff81000200, 30, AT_READ, STACK_WHOLE}, VALUE_WALL},
};

static struct histogram_cell cell = {CELL_KERNEL, 0,	   0,	       0xffffffff81000200,
				     1,		  AT_READ, STACK_WHOLE};

static struct profile *lives(void)
{
	struct histogram histogram = {
		.cells = &cell,
		.cell_count = 1,
		.functions = functions,
		.function_count = sizeof(functions) / sizeof(functions[0]),
		.tasks = tasks,
		.task_count = 2,
		.contexts = contexts,
		.context_count = 2,
		.amounts = amounts,
		.amount_count = sizeof(amounts) / sizeof(amounts[0]),
		.fired = 1,
		.fired_ns = 1000,
		.wall = {[WALL_THREADS] = 2, [WALL_SAMPLED_NS] = 70, [WALL_SEEDED] = 1},
	};

	return built(&histogram);
}

/* How much of TYPE, of all or at the place called NAME. */
static uint64_t amount_of(const struct profile *profile, const char *type, const char *name)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->amount_count; i++) {
		const struct profile_cell *amount = &profile->amounts[i];
		const struct profile_location *location = &profile->locations[amount->location];
		const struct profile_function *function = profile_function_of(profile, location);

		if (strcmp(profile_text(profile, profile->values[amount->value - 1].type), type))
			continue;
		if (!name || (function && !strcmp(profile_text(profile, function->name), name)))
			sum += amount->ticks;
	}
	return sum;
}

static void check(const struct profile *profile, uint64_t times)
{
	struct profile_account account;

	/* No view of samples sees any of it. */
	profile_account(profile, &account);
	assert_int_equal(account.total, times);
	assert_int_equal(account.ticks[CLASS_TIME], 0);
	assert_int_equal(profile->cell_count, 1);
	assert_int_equal(amount_of(profile, "blocked", NULL), 10070 * times);
	assert_int_equal(amount_of(profile, "blocked", "futex"), 6000 * times);
	assert_int_equal(amount_of(profile, "blocked", "read"), 4070 * times);
	assert_int_equal(amount_of(profile, "still_blocked", "read"), 500 * times);
	assert_int_equal(amount_of(profile, "times_blocked", "futex"), 3 * times);
	assert_int_equal(amount_of(profile, "runqueue", "preempted"), 100 * times);
	assert_int_equal(amount_of(profile, "elapsed", "1 on CPU"), 1700 * times);
	assert_int_equal(amount_of(profile, "wall", NULL), 30 * times);
	assert_int_equal(amount_of(profile, "lifetime", NULL),
			 amount_of(profile, "running", NULL) +
				 amount_of(profile, "runqueue", NULL) +
				 amount_of(profile, "blocked", NULL) +
				 amount_of(profile, "unaccounted", NULL));
	assert_int_equal(profile->facts.wall[WALL_THREADS], 2 * times);
	assert_int_equal(profile->facts.wall[WALL_SAMPLED_NS], 70 * times);
	assert_int_equal(profile->facts.wall[WALL_SEEDED], times);
	assert_int_equal(profile->facts.wall[WALL_BACKWARDS], 0);
}

static void reasons_are_named_places_without_code(void **state)
{
	struct profile *profile = lives();
	size_t waiting = 0, other = 0;

	check(profile, 1);
	for (size_t i = 0; i < profile->location_count; i++) {
		const struct profile_location *location = &profile->locations[i];
		const struct profile_mapping *mapping = &profile->mappings[location->mapping];

		if (mapping->class != CLASS_TIME)
			continue;
		assert_false(profile_is_code(profile, location));
		assert_int_equal(location->line_count, 1);
		if (!strcmp(profile_text(profile, mapping->path), "[waiting]"))
			waiting++;
		else
			other++;
	}
	assert_int_equal(waiting, 3);
	assert_int_equal(other, 4);
	profile_free(profile);
}

/* Who waited, and in which function, is in the stack: the wait is its innermost place. */
static void a_wait_has_its_stack_and_its_thread(void **state)
{
	struct profile *profile = lives();

	for (size_t i = 0; i < profile->amount_count; i++) {
		const struct profile_cell *amount = &profile->amounts[i];

		if (amount->ticks != 4000)
			continue;
		assert_int_equal(profile->tasks[amount->task].tid, 21);
		assert_int_not_equal(amount->context, 0);
		assert_int_not_equal(profile->contexts[amount->context - 1].parent, 0);
		assert_int_equal(amount->stack_end, STACK_WHOLE);
		profile_free(profile);
		return;
	}
	fail_msg("no such wait");
}

static void a_file_and_a_sum_keep_the_account(void **state)
{
	struct profile *profile = lives(), *back = samples_through_a_file(profile), *sum;
	struct merge *merge = merge_new();
	struct error error;

	check(back, 1);
	for (size_t i = 0; i < back->location_count; i++)
		assert_int_equal(back->mappings[back->locations[i].mapping].class,
				 profile->mappings[profile->locations[i].mapping].class);
	assert_non_null(merge);
	assert_int_equal(merge_add(merge, profile, "first", &error), 0);
	assert_int_equal(merge_add(merge, back, "second", &error), 0);
	assert_int_equal(merge_sum(merge, &sum), 0);
	check(sum, 2);
	merge_free(merge);
	profile_free(profile);
	profile_free(back);
	profile_free(sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reasons_are_named_places_without_code),
		cmocka_unit_test(a_wait_has_its_stack_and_its_thread),
		cmocka_unit_test(a_file_and_a_sum_keep_the_account),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
