/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One CPU's ring of perf records, written by the kernel, read by one thread at a time. */
struct ring {
	void *page; /* of the kernel's, before the data; NULL: there is no ring */
	size_t data_size;
};

/* What a record says: its layout is that of PERF_SAMPLE_TID, STREAM_ID, READ if the reader
 * HAS_COUNT, and REGS_USER of the program counter alone. */
struct ring_sample {
	uint32_t pid, tid;
	uint64_t event;	     /* its number */
	uint64_t counted_ns; /* by this event; 0 without HAS_COUNT */
	uint64_t pc;	     /* where the program itself stands; 0: it has no text any more */
};

struct ring_reader {
	void *owner;
	bool has_count;
	void (*sample)(void *owner, const struct ring_sample *sample);
	void (*lost)(void *owner, uint64_t records);
};

/* The ring of the perf event FD, as large as the system lets it be, MOST_PAGES (a power of
 * two) at most.  Returns 0 or -errno (-EPERM: perf_event_mlock_kb and RLIMIT_MEMLOCK leave no
 * room).
 */
int ring_map(int fd, size_t most_pages, struct ring *ret_ring);

/* What is there and was not released: from TAIL to HEAD, which grow without end. */
void ring_span(const struct ring *ring, uint64_t *ret_tail, uint64_t *ret_head);

/* SIZE bytes at AT, between tail and head, around the ring's end. */
void ring_copy(const struct ring *ring, uint64_t at, void *target, size_t size);

/* Give the room before TAIL back. */
void ring_release(struct ring *ring, uint64_t tail);

/* Hand all records that are there to READER, and their room back. */
void ring_drain(struct ring *ring, const struct ring_reader *reader);

void ring_unmap(struct ring *ring);
