// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/inside/ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A ring that this test fills as the kernel would: its page, then DATA bytes. */
#define DATA 4096

struct seen {
	size_t samples;
	struct ring_sample last;
	uint64_t lost;
};

#define FIRST_PC 0x1000
static uint64_t expected_pc = FIRST_PC;

static void see_sample(void *owner, const struct ring_sample *sample)
{
	struct seen *seen = owner;

	assert_int_equal(sample->pc, expected_pc + seen->samples);
	seen->last = *sample;
	seen->samples++;
}

static void see_lost(void *owner, uint64_t records)
{
	((struct seen *)owner)->lost += records;
}

static struct ring new_ring(uint64_t position)
{
	struct ring ring = {.page = calloc(1, (size_t)sysconf(_SC_PAGESIZE) + DATA),
			    .data_size = DATA};
	struct perf_event_mmap_page *page = ring.page;

	assert_non_null(page);
	page->data_head = page->data_tail = position;
	return ring;
}

static void put(struct ring *ring, uint32_t type, const void *body, size_t size)
{
	struct perf_event_mmap_page *page = ring->page;
	struct perf_event_header header = {.type = type, .size = (uint16_t)(sizeof(header) + size)};
	char *data = (char *)ring->page + sysconf(_SC_PAGESIZE);
	char record[64];

	memcpy(record, &header, sizeof(header));
	memcpy(record + sizeof(header), body, size);
	for (size_t i = 0; i < header.size; i++)
		data[page->data_head++ % DATA] = record[i];
}

/* As PERF_SAMPLE_TID | STREAM_ID | READ | REGS_USER lays it out. */
static void put_samples(struct ring *ring, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct {
			uint32_t pid, tid;
			uint64_t stream, counted, abi, pc;
		} sample = {7, 8, 9, 1000 * i, PERF_SAMPLE_REGS_ABI_64, FIRST_PC + i};

		put(ring, PERF_RECORD_SAMPLE, &sample, sizeof(sample));
	}
}

static struct seen drain_as(struct ring *ring, bool has_count)
{
	struct perf_event_mmap_page *page = ring->page;
	struct seen seen = {0};
	struct ring_reader reader = {
		.owner = &seen, .has_count = has_count, .sample = see_sample, .lost = see_lost};

	ring_drain(ring, &reader);
	assert_int_equal(page->data_tail, page->data_head);
	return seen;
}

static struct seen drain(struct ring *ring)
{
	return drain_as(ring, /* has_count= */ true);
}

static void reads_what_is_there_once(void **state)
{
	struct ring ring = new_ring(0);
	struct seen seen;

	put_samples(&ring, 5);
	seen = drain(&ring);
	assert_int_equal(seen.samples, 5);
	assert_int_equal(seen.last.pid, 7);
	assert_int_equal(seen.last.tid, 8);
	assert_int_equal(seen.last.event, 9);
	assert_int_equal(seen.last.counted_ns, 4000);
	assert_int_equal(drain(&ring).samples, 0);
	free(ring.page);
}

/* Without a count, and of a task that has no registers any more. */
static void reads_what_a_sample_lacks_as_nothing(void **state)
{
	struct {
		uint32_t pid, tid;
		uint64_t stream, abi, pc;
	} sample = {7, 8, 9, PERF_SAMPLE_REGS_ABI_64, FIRST_PC};
	struct ring ring = new_ring(0);
	struct seen seen;

	put(&ring, PERF_RECORD_SAMPLE, &sample, sizeof(sample));
	seen = drain_as(&ring, /* has_count= */ false);
	assert_int_equal(seen.samples, 1);
	assert_int_equal(seen.last.counted_ns, 0);
	sample.abi = PERF_SAMPLE_REGS_ABI_NONE;
	put(&ring, PERF_RECORD_SAMPLE, &sample, sizeof(sample) - sizeof(sample.pc));
	expected_pc = 0;
	seen = drain_as(&ring, /* has_count= */ false);
	expected_pc = FIRST_PC;
	assert_int_equal(seen.samples, 1);
	assert_int_equal(seen.last.pc, 0);
	free(ring.page);
}

/* 48 bytes a record: at each of these starts another one is cut at the end. */
static void reads_around_the_end(void **state)
{
	for (uint64_t start = DATA - 96; start <= DATA; start += 8) {
		struct ring ring = new_ring(start);

		put_samples(&ring, 3);
		assert_int_equal(drain(&ring).samples, 3);
		free(ring.page);
	}
}

static void counts_what_was_lost(void **state)
{
	struct ring ring = new_ring(DATA - 16);
	uint64_t lost[] = {/* id */ 99, /* lost */ 12};
	struct seen seen;

	put_samples(&ring, 1);
	put(&ring, PERF_RECORD_LOST, lost, sizeof(lost));
	put(&ring, PERF_RECORD_LOST, lost, sizeof(lost));
	put(&ring, PERF_RECORD_THROTTLE, lost, sizeof(lost));
	seen = drain(&ring);
	assert_int_equal(seen.samples, 1);
	assert_int_equal(seen.lost, 24);
	free(ring.page);
}

static void is_not_held_up_by_garbage(void **state)
{
	struct ring ring = new_ring(0);

	((struct perf_event_mmap_page *)ring.page)->data_head = 64;
	assert_int_equal(drain(&ring).samples, 0);
	free(ring.page);
}

static void none_is_empty(void **state)
{
	struct ring none = {0};

	ring_drain(&none, NULL);
	ring_unmap(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_is_there_once),
		cmocka_unit_test(reads_what_a_sample_lacks_as_nothing),
		cmocka_unit_test(reads_around_the_end),
		cmocka_unit_test(counts_what_was_lost),
		cmocka_unit_test(is_not_held_up_by_garbage),
		cmocka_unit_test(none_is_empty),
	};

	return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
