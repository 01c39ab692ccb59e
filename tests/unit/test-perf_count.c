// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Records as the kernel writes them, on the rings of two CPUs that this test fills. */

#define PERIOD 1000
#define DATA 8192
#define PID 77
#define CPUS 2
#define RINGS ((size_t)(CPUS * RING_KINDS))

struct bench {
	struct perf_rings rings;
	struct perf_count count;
};

static struct bench *new_bench(bool hidden)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	assert_non_null(bench);
	bench->rings.all = calloc(RINGS, sizeof(*bench->rings.all));
	bench->rings.count = RINGS;
	bench->count = (struct perf_count){
		.have_counts = true,
		.hidden = hidden,
		.due.period = PERIOD,
		.cpus = CPUS,
		.troubles = calloc(CPUS, sizeof(*bench->count.troubles)),
	};
	assert_non_null(bench->rings.all);
	assert_non_null(bench->count.troubles);
	assert_int_equal(perf_cells_init(&bench->count.cells, 64), 0);
	for (size_t i = 0; i < RINGS; i++)
		bench->rings.all[i].ring = (struct ring){
			.page = calloc(1, (size_t)sysconf(_SC_PAGESIZE) + DATA),
			.data_size = DATA,
		};
	return bench;
}

static void end_bench(struct bench *bench)
{
	for (size_t i = 0; i < RINGS; i++)
		free(bench->rings.all[i].ring.page);
	free(bench->rings.all);
	perf_count_done(&bench->count);
	free(bench);
}

static void put_bytes(struct bench *bench, size_t ring, const void *bytes, size_t size)
{
	struct perf_event_mmap_page *page = bench->rings.all[ring].ring.page;
	char *data = (char *)page + sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < size; i++)
		data[page->data_head++ % DATA] = ((const char *)bytes)[i];
}

/* A record of TYPE with BODY, ended by what says when, and of which event. */
static void put(struct bench *bench, size_t ring, uint32_t type, uint16_t misc, const void *body,
		size_t size, uint64_t time, uint64_t event)
{
	struct perf_trailer trailer = {PID, PID, time, event};
	struct perf_event_header header = {
		.type = type,
		.misc = misc,
		.size = (uint16_t)(sizeof(header) + size + sizeof(trailer)),
	};

	put_bytes(bench, ring, &header, sizeof(header));
	put_bytes(bench, ring, body, size);
	put_bytes(bench, ring, &trailer, sizeof(trailer));
}

/* Of thread TID, by the event numbered EVENT. */
static void put_sample_of(struct bench *bench, size_t cpu, uint64_t time, uint64_t pc,
			  uint64_t counted, uint32_t tid, uint64_t event)
{
	struct perf_sample sample = {
		.header = {.type = PERF_RECORD_SAMPLE,
			   .misc = PERF_RECORD_MISC_USER,
			   .size = sizeof(sample)},
		.pc = pc,
		.pid = PID,
		.tid = tid,
		.time = time,
		.event = event,
		.counted = counted,
	};

	put_bytes(bench, perf_ring_of(cpu, RING_TICKS), &sample, sizeof(sample));
}

static void put_sample(struct bench *bench, size_t cpu, uint64_t time, uint64_t pc,
		       uint64_t counted)
{
	put_sample_of(bench, cpu, time, pc, counted, PID, 1 + cpu);
}

static void put_map(struct bench *bench, size_t cpu, uint64_t time, uint64_t address,
		    uint64_t inode)
{
	struct {
		uint32_t pid, tid;
		uint64_t address, length, offset;
		uint32_t major, minor;
		uint64_t inode, generation;
		uint32_t protection, flags;
		char path[16];
	} body = {PID, PID, address, 0x1000, 0, 8, 1, inode, 0, 5, 2, "/none"};

	put(bench, perf_ring_of(cpu, RING_TELLING), PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, &body,
	    sizeof(body), time, 1);
}

static void put_lost(struct bench *bench, size_t ring, uint64_t time, uint64_t records)
{
	uint64_t body[] = {1, records};

	put(bench, ring, PERF_RECORD_LOST, 0, body, sizeof(body), time, 1);
}

static void drain(struct bench *bench, uint64_t before)
{
	perf_rings_drain(&bench->rings, before, perf_count_take, &bench->count);
}

/* The ticks of the file with INODE. */
static uint64_t ticks_of(const struct bench *bench, uint64_t inode)
{
	struct histogram histogram = {};
	uint64_t ticks = 0;

	assert_int_equal(perf_files_read(&bench->count.processes.files, &histogram), 0);
	assert_int_equal(perf_cells_read(&bench->count.cells, &histogram), 0);
	for (size_t i = 0; i < histogram.cell_count; i++) {
		const struct histogram_cell *cell = &histogram.cells[i];

		if (cell->space == CELL_FILE && histogram.files[cell->file].identity.inode == inode)
			ticks += cell->ticks;
	}
	histogram_done(&histogram);
	return ticks;
}

static void expect_balance(const struct bench *bench)
{
	uint64_t charged = 0;

	for (size_t i = 0; i < bench->count.cells.count; i++)
		charged += bench->count.cells.cells[i].ticks;
	for (size_t i = 0; i < bench->count.processes.files.count; i++)
		charged += bench->count.processes.files.files[i].overflow;
	for (size_t i = 0; i < UNRESOLVED_REASONS; i++)
		charged += bench->count.unresolved[i];
	assert_int_equal(charged, bench->count.fired);
}

/* A thread maps one file after the other at one address on CPU 1, and runs on CPU 0. */
static void a_tick_meets_what_was_mapped_then(void **state)
{
	struct bench *bench = new_bench(false);

	put_map(bench, 1, 10, 0x1000, 100);
	put_sample(bench, 0, 20, 0x1010, 1 * PERIOD);
	put_sample(bench, 0, 40, 0x1010, 2 * PERIOD);
	put_map(bench, 1, 30, 0x1000, 200);
	put_sample(bench, 0, 50, 0x9000, 3 * PERIOD);
	drain(bench, UINT64_MAX);
	assert_int_equal(ticks_of(bench, 100), 1);
	assert_int_equal(ticks_of(bench, 200), 1);
	assert_int_equal(bench->count.unresolved[UNRESOLVED_NO_MAPPING], 1);
	expect_balance(bench);
	end_bench(bench);
}

/* What another CPU may still date before it has to wait. */
static void what_is_young_waits(void **state)
{
	struct bench *bench = new_bench(false);

	put_map(bench, 0, 10, 0x1000, 100);
	put_sample(bench, 0, 30, 0x1010, PERIOD);
	drain(bench, 25);
	assert_int_equal(bench->count.fired, 0);
	put_map(bench, 1, 20, 0x1000, 200);
	drain(bench, 35);
	assert_int_equal(ticks_of(bench, 200), 1);
	end_bench(bench);
}

static void gaps_are_charged_to_their_reason(void **state)
{
	struct bench *bench = new_bench(true);
	uint64_t *unresolved = bench->count.unresolved;
	uint64_t nothing[3] = {0};

	put_map(bench, 0, 10, 0x1000, 100);
	put_sample(bench, 0, 20, 0x1010, 4 * PERIOD); /* three in the kernel before */
	put_lost(bench, RING_TICKS, 30, 2);
	put_sample(bench, 0, 40, 0x1010, 8 * PERIOD); /* two lost, one in the kernel */
	put(bench, RING_TICKS, PERF_RECORD_THROTTLE, 0, nothing, sizeof(nothing), 50, 1);
	put_sample(bench, 0, 60, 0x1010, 14 * PERIOD); /* five while it was slow */
	drain(bench, UINT64_MAX);
	bench->count.task_total = 1;
	perf_count_settle(&bench->count, 22 * PERIOD); /* six, and what may be a remainder a CPU */
	assert_int_equal(ticks_of(bench, 100), 3);
	assert_int_equal(unresolved[UNRESOLVED_HIDDEN], 3 + 1 + 6);
	assert_int_equal(unresolved[UNRESOLVED_LOST], 2);
	assert_int_equal(unresolved[UNRESOLVED_THROTTLED], 5);
	assert_int_equal(bench->count.fired, 20);
	expect_balance(bench);
	end_bench(bench);
}

/* Who sees the kernel's ticks misses none there: what lacks was late. */
static void late_ticks_come_with_the_next(void **state)
{
	struct bench *bench = new_bench(false);

	put_map(bench, 0, 10, 0x1000, 100);
	put_sample(bench, 0, 20, 0x1010, 4 * PERIOD);
	drain(bench, UINT64_MAX);
	assert_int_equal(ticks_of(bench, 100), 4);
	end_bench(bench);
}

/* Lost for good are no more than are due. */
static void the_end_settles(void **state)
{
	struct bench *bench = new_bench(false);

	put_map(bench, 0, 10, 0x1000, 100);
	put_sample(bench, 0, 20, 0x1010, PERIOD);
	put_lost(bench, RING_TICKS, 30, 50);
	drain(bench, UINT64_MAX);
	perf_count_settle(&bench->count, 11 * PERIOD);
	assert_int_equal(bench->count.unresolved[UNRESOLVED_LOST], 10);
	expect_balance(bench);
	end_bench(bench);
}

/* The first sample behind lost ones has its thread's count, but the number of the event that was
 * inherited: what was due is due once. */
static void what_a_thread_counted_is_due_once(void **state)
{
	struct bench *bench = new_bench(false);

	put_map(bench, 0, 10, 0x1000, 100);
	put_sample_of(bench, 0, 20, 0x1010, 1 * PERIOD, PID, 1);
	for (uint64_t n = 1; n <= 20; n++)
		put_sample_of(bench, 0, 20 + n, 0x1010, n * PERIOD, PID + 1, 5);
	put_lost(bench, RING_TICKS, 50, 10);
	put_sample_of(bench, 0, 50, 0x1010, 31 * PERIOD, PID + 1, 1);
	put_sample_of(bench, 0, 60, 0x1010, 32 * PERIOD, PID + 1, 5);
	drain(bench, UINT64_MAX);
	perf_count_settle(&bench->count, 33 * PERIOD);
	assert_int_equal(ticks_of(bench, 100), 23);
	assert_int_equal(bench->count.unresolved[UNRESOLVED_LOST], 10);
	expect_balance(bench);
	end_bench(bench);
}

/* What tells of mappings has a ring of its own: what that lost were no ticks. */
static void what_was_lost_is_known_by_kind(void **state)
{
	struct bench *bench = new_bench(false);

	put_map(bench, 0, 10, 0x1000, 100);
	put_lost(bench, RING_TELLING, 20, 3);
	put_sample(bench, 0, 30, 0x1010, 4 * PERIOD);
	drain(bench, UINT64_MAX);
	perf_count_settle(&bench->count, 8 * PERIOD);
	assert_int_equal(ticks_of(bench, 100), 4);
	assert_int_equal(bench->count.unresolved[UNRESOLVED_LOST], 0);
	assert_int_equal(bench->count.processes.lost, 3);
	end_bench(bench);
}

/* A thread's number is another's when it has ended. */
static void a_new_thread_begins_at_nothing(void **state)
{
	struct bench *bench = new_bench(false);
	struct {
		uint32_t pid, parent_pid, tid, parent_tid;
		uint64_t time;
	} born = {PID, PID, PID + 1, PID, 40};

	put_map(bench, 0, 10, 0x1000, 100);
	put_sample_of(bench, 0, 20, 0x1010, 8 * PERIOD, PID + 1, 5);
	put(bench, perf_ring_of(1, RING_TELLING), PERF_RECORD_FORK, 0, &born, sizeof(born), 40, 1);
	put_sample_of(bench, 0, 50, 0x1010, 2 * PERIOD, PID + 1, 6);
	drain(bench, UINT64_MAX);
	assert_int_equal(ticks_of(bench, 100), 10);
	end_bench(bench);
}

static void a_full_table_loses_no_tick(void **state)
{
	struct bench *bench = new_bench(false);

	put_map(bench, 0, 10, 0x1000, 100);
	for (uint64_t n = 1; n <= 100; n++)
		put_sample(bench, 0, 20 + n, 0x1000 + n, n * PERIOD);
	drain(bench, UINT64_MAX);
	assert_int_equal(bench->count.cells.count, 64);
	assert_int_equal(bench->count.processes.files.files[0].overflow, 36);
	expect_balance(bench);
	end_bench(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tick_meets_what_was_mapped_then),
		cmocka_unit_test(what_is_young_waits),
		cmocka_unit_test(gaps_are_charged_to_their_reason),
		cmocka_unit_test(late_ticks_come_with_the_next),
		cmocka_unit_test(the_end_settles),
		cmocka_unit_test(what_a_thread_counted_is_due_once),
		cmocka_unit_test(what_was_lost_is_known_by_kind),
		cmocka_unit_test(a_new_thread_begins_at_nothing),
		cmocka_unit_test(a_full_table_loses_no_tick),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
