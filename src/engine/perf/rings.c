// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/rings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct perf_trailer perf_trailer_of(const struct perf_event_header *record)
{
	struct perf_trailer trailer = {0};

	if (record->size >= sizeof(*record) + sizeof(trailer))
		memcpy(&trailer, (const char *)record + record->size - sizeof(trailer),
		       sizeof(trailer));
	return trailer;
}

/* When the record at AT was written.  One that makes no sense ends the ring: the kernel writes
 * none, but the reader must not hang for it. */
static void look(struct perf_ring *ring)
{
	struct perf_event_header header;
	uint64_t at;

	if (ring->at >= ring->head)
		return;
	ring_copy(&ring->ring, ring->at, &header, sizeof(header));
	if (header.size < sizeof(header) + sizeof(struct perf_trailer)) {
		ring->at = ring->head;
		return;
	}
	at = header.type == PERF_RECORD_SAMPLE ? offsetof(struct perf_sample, time)
					       : header.size - sizeof(struct perf_trailer) +
							 offsetof(struct perf_trailer, time);
	ring_copy(&ring->ring, ring->at + at, &ring->time, sizeof(ring->time));
}

static void look_at_all(struct perf_rings *rings)
{
	for (size_t i = 0; i < rings->count; i++) {
		struct perf_ring *ring = &rings->all[i];

		if (!ring->ring.page)
			continue;
		ring_span(&ring->ring, &ring->at, &ring->head);
		look(ring);
	}
}

static struct perf_ring *oldest(struct perf_rings *rings)
{
	struct perf_ring *found = NULL;

	for (size_t i = 0; i < rings->count; i++) {
		struct perf_ring *ring = &rings->all[i];

		if (ring->at < ring->head && (!found || ring->time < found->time))
			found = ring;
	}
	return found;
}

/* The record leaves the ring before it is looked at: the kernel has the room again. */
static void take_one(struct perf_rings *rings, struct perf_ring *ring, perf_take *take, void *owner)
{
	struct perf_event_header *record = (struct perf_event_header *)rings->record;

	ring_copy(&ring->ring, ring->at, record, sizeof(*record));
	ring_copy(&ring->ring, ring->at, record, record->size);
	ring->at += record->size;
	ring_release(&ring->ring, ring->at);
	take(owner, (size_t)(ring - rings->all), record);
	look(ring);
}

void perf_rings_drain(struct perf_rings *rings, uint64_t before_ns, perf_take *take, void *owner)
{
	struct perf_ring *ring;

	look_at_all(rings);
	while ((ring = oldest(rings)) && ring->time < before_ns)
		take_one(rings, ring, take, owner);
}

void perf_rings_done(struct perf_rings *rings)
{
	for (size_t i = 0; i < rings->count; i++)
		ring_unmap(&rings->all[i].ring);
	free(rings->all);
	rings->all = NULL;
	rings->count = 0;
}
