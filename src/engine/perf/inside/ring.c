// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/inside/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int ring_map(int fd, size_t most_pages, struct ring *ret_ring)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	int error = 0;

	for (size_t pages = most_pages; pages; pages /= 2) {
		void *page = mmap(NULL, (1 + pages) * page_size, PROT_READ | PROT_WRITE, MAP_SHARED,
				  fd, 0);

		if (page != MAP_FAILED) {
			*ret_ring = (struct ring){.page = page, .data_size = pages * page_size};
			return 0;
		}
		error = errno;
		if (error != EPERM && error != ENOMEM)
			break;
	}
	return -error;
}

void ring_copy(const struct ring *ring, uint64_t at, void *target, size_t size)
{
	const char *data = (const char *)ring->page + sysconf(_SC_PAGESIZE);
	size_t start = at % ring->data_size;
	size_t first = ring->data_size - start < size ? ring->data_size - start : size;

	memcpy(target, data + start, first);
	memcpy((char *)target + first, data, size - first);
}

/* SIZE bytes are in the record from BODY on; what it lacks of a field is 0. */
static void read_sample(const struct ring *ring, uint64_t body, size_t size,
			const struct ring_reader *reader)
{
	struct {
		uint32_t pid, tid;
		uint64_t event, rest[3]; /* [count,] whose registers (0: nobody's), the one */
	} record = {0};
	const uint64_t *registers = reader->has_count ? record.rest + 1 : record.rest;
	struct ring_sample sample;

	ring_copy(ring, body, &record, size < sizeof(record) ? size : sizeof(record));
	sample = (struct ring_sample){
		.pid = record.pid,
		.tid = record.tid,
		.event = record.event,
		.counted_ns = reader->has_count ? record.rest[0] : 0,
		.pc = registers[0] ? registers[1] : 0,
	};
	reader->sample(reader->owner, &sample);
}

static void read_lost(const struct ring *ring, uint64_t body, const struct ring_reader *reader)
{
	struct {
		uint64_t id, lost;
	} record;

	ring_copy(ring, body, &record, sizeof(record));
	reader->lost(reader->owner, record.lost);
}

/* Returns the size of the record at AT. */
static size_t read_record(const struct ring *ring, uint64_t at, const struct ring_reader *reader)
{
	struct perf_event_header header;
	uint64_t body = at + sizeof(header);

	ring_copy(ring, at, &header, sizeof(header));
	if (header.size < sizeof(header))
		return 0;
	if (header.type == PERF_RECORD_SAMPLE)
		read_sample(ring, body, header.size - sizeof(header), reader);
	else if (header.type == PERF_RECORD_LOST)
		read_lost(ring, body, reader);
	return header.size;
}

void ring_span(const struct ring *ring, uint64_t *ret_tail, uint64_t *ret_head)
{
	struct perf_event_mmap_page *page = ring->page;

	*ret_head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	*ret_tail = page->data_tail;
}

void ring_release(struct ring *ring, uint64_t tail)
{
	struct perf_event_mmap_page *page = ring->page;

	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}

void ring_drain(struct ring *ring, const struct ring_reader *reader)
{
	uint64_t head, tail;

	if (!ring->page)
		return;
	ring_span(ring, &tail, &head);
	while (tail < head) {
		size_t size = read_record(ring, tail, reader);

		/* The program can write there too; it must not hang for it. */
		tail = size ? tail + size : head;
	}
	ring_release(ring, tail);
}

void ring_unmap(struct ring *ring)
{
	if (ring->page)
		(void)munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->data_size);
	*ring = (struct ring){0};
}
