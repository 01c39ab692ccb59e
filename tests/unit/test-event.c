// SPDX-License-Identifier: BSD-2-Clause
#include "engine/event.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PMU "/sys/bus/event_source/devices/cpu"

/* As the kernel has it of a PMU whose fields are in pieces. */
static const char *const files[][2] = {
	{PMU "/type", "4\n"},
	{PMU "/format/event", "config:0-7,32-35\n"},
	{PMU "/format/umask", "config:8-15\n"},
	{PMU "/format/edge", "config:18\n"},
	{PMU "/format/ldlat", "config1:0-15\n"},
	{PMU "/format/broken", "somewhere:1\n"},
	{PMU "/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n"},
	{PMU "/events/loop", "loop\n"},
	{"/sys/kernel/tracing/current_tracer", "nop\n"},
	{"/sys/kernel/tracing/events/sched/sched_switch/id", "316\n"},
};

static int make(void **state)
{
	if (scratch_make(state))
		return -1;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char path[512], command[600];
		FILE *file;

		(void)snprintf(path, sizeof(path), "%s%s", scratch_folder, files[i][0]);
		(void)snprintf(command, sizeof(command), "mkdir -p \"$(dirname '%s')\"", path);
		assert_int_equal(system(command), 0);
		file = fopen(path, "w");
		assert_non_null(file);
		(void)fputs(files[i][1], file);
		fclose(file);
	}
	return 0;
}

static struct event found(const char *root, const char *name)
{
	struct event event;
	struct error why = {""};

	if (event_find(root, name, &event, &why))
		fail_msg("%s: %s", name, why.text);
	return event;
}

static void refused(const char *root, const char *name, const char *words)
{
	struct event event;
	struct error why;

	assert_true(event_find(root, name, &event, &why) < 0);
	assert_memory_equal(why.text, name, strlen(name) < 40 ? strlen(name) : 40);
	if (!strstr(why.text, words))
		fail_msg("%s: does not say '%s'", why.text, words);
}

static void names_are_those_of_perf(void **state)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config, period;
	} all[] = {
		{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1},
		{"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1},
		{"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 1},
		{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000003},
		{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 10007},
		{"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000, 10007},
		{"LLC-stores", PERF_TYPE_HW_CACHE, 0x00102, 10007},
		{"dTLB-prefetch-misses", PERF_TYPE_HW_CACHE, 0x10203, 10007},
		{"node-loads", PERF_TYPE_HW_CACHE, 0x00006, 10007},
		{"r01c4", PERF_TYPE_RAW, 0x1c4, 1000003},
		{"rffffffffffffffff", PERF_TYPE_RAW, UINT64_MAX, 1000003},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct event event = found("/nowhere", all[i].name);

		assert_string_equal(event.name, all[i].name);
		assert_int_equal(event.type, all[i].type);
		assert_int_equal(event.config, all[i].config);
		assert_int_equal(event.period, all[i].period);
		assert_false(event.is_clock || event.exclude_user || event.exclude_kernel);
	}
	assert_true(found("/nowhere", "cpu-clock").is_clock);
	refused("/nowhere", "r", "no such event");
	refused("/nowhere", "r00000000000000000", "no such event");
	refused("/nowhere", "r12z", "no such event");
	refused("/nowhere", "L1-dcache-loads-misses", "no such event");
	refused("/nowhere", "", "no such event");
}

static void modifiers_say_in_which_mode(void **state)
{
	struct event event = found("/nowhere", "cycles:u");

	assert_true(event.exclude_kernel && !event.exclude_user);
	event = found("/nowhere", "cycles:kpp");
	assert_true(event.exclude_user && !event.exclude_kernel && event.precise == 2);
	event = found("/nowhere", "cycles:uk");
	assert_false(event.exclude_user || event.exclude_kernel);
	refused("/nowhere", "cycles:pppp", "not a modifier");
	refused("/nowhere", "cycles:q", "not a modifier");
	refused("/nowhere", "cpu-migrations:u", "kernel mode alone");
}

static void terms_of_a_pmu_go_into_their_bits(void **state)
{
	const char *root = scratch_folder;
	struct event event;

	event = found(root, "cpu/event=0x3c/");
	assert_int_equal(event.type, 4);
	assert_int_equal(event.config, 0x3c);
	assert_int_equal(event.period, 1);
	event = found(root, "cpu/event=0xabc,umask=0x5,edge,period=77/k");
	assert_int_equal(event.config, 0xa000405bcull);
	assert_int_equal(event.period, 77);
	assert_true(event.exclude_user);
	event = found(root, "cpu/mem-loads,ldlat=30/:pp");
	assert_int_equal(event.config, 0x1cd);
	assert_int_equal(event.config1, 30);
	assert_int_equal(event.precise, 2);
	event = found(root, "cpu/config=0x1,config2=9/");
	assert_true(event.config == 1 && event.config2 == 9);
	refused(root, "cpu/event=0x1000/", "too large");
	refused(root, "cpu/edge=2/", "too large");
	refused(root, "cpu/nothing/", "not a term");
	refused(root, "cpu/loop/", "not a term");
	refused(root, "cpu/broken=1/", "too large");
	refused(root, "cpu/../type=1/", "not a term");
	refused(root, "cpu/event=/", "not a number");
	refused(root, "cpu/event=-1/", "not a number");
	refused(root, "other/event=1/", "no PMU 'other'");
	refused(root, "../devices/cpu/event=1/", "no PMU '..'");
}

static void tracepoints_have_numbers(void **state)
{
	const char *root = scratch_folder;
	struct event event;

	event = found(root, "sched:sched_switch");
	assert_int_equal(event.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(event.config, 316);
	refused(root, "sched:nothing", "no such event");
	refused(root, "..:sched", "no such event");
	refused("/nowhere", "sched:sched_switch", "mount -t tracefs");
}

struct seen {
	char text[4096];
};

static int see(void *context, const char *kind, const char *name)
{
	struct seen *seen = context;
	size_t used = strlen(seen->text);

	(void)snprintf(seen->text + used, sizeof(seen->text) - used, "%s %s\n", kind, name);
	return 0;
}

static void all_are_listed(void **state)
{
	const char *root = scratch_folder;
	struct seen seen = {""};

	assert_int_equal(event_each(root, see, &seen), 0);
	assert_non_null(strstr(seen.text, "cpu cpu/loop/\ncpu cpu/mem-loads/\n"
					  "tracepoint sched:sched_switch\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_those_of_perf),
		cmocka_unit_test(modifiers_say_in_which_mode),
		cmocka_unit_test(terms_of_a_pmu_go_into_their_bits),
		cmocka_unit_test(tracepoints_have_numbers),
		cmocka_unit_test(all_are_listed),
	};

	return cmocka_run_group_tests(tests, make, scratch_remove);
}
