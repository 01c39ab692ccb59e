/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/perf/inside/ring.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/* The rings of all CPUs, read as one: in the order of time, whichever CPU wrote.  Each CPU has two:
 * what fills one up does not push out of the other, and what a full one lost is known by its kind.
 */

enum perf_ring_kind {
	RING_TELLING, /* mappings, names, births and ends */
	RING_TICKS,   /* samples */
	RING_KINDS,
};

static inline size_t perf_ring_of(size_t cpu, enum perf_ring_kind kind)
{
	return cpu * RING_KINDS + kind;
}

/* The end of every record that is not a sample (PERF_SAMPLE_TID | TIME | STREAM_ID). */
struct perf_trailer {
	uint32_t pid, tid;
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	uint64_t event;
};

/* PERF_RECORD_SAMPLE (PERF_SAMPLE_IP | TID | TIME | STREAM_ID [| READ]). */
struct perf_sample {
	struct perf_event_header header;
	uint64_t pc;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t event;
	uint64_t counted; /* only with PERF_SAMPLE_READ */
};

/* As perf_event_open(2) has them, up to their trailer. */
struct comm_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	char name[];
};

struct task_record { /* fork and exit */
	struct perf_event_header header;
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time;
};

struct perf_ring {
	struct ring ring;
	uint64_t at, head; /* what lies between has been seen to be there, and not been taken */
	uint64_t time;	   /* of the record at AT */
};

#define PERF_RECORD_WORDS 8192 /* a record's size has 16 bits */

struct perf_rings {
	struct perf_ring *all; /* heap; perf_ring_of(), some without a ring */
	size_t count;
	uint64_t record[PERF_RECORD_WORDS];
};

/* RECORD, of the ring numbered RING, is there during the call. */
typedef void perf_take(void *owner, size_t ring, const struct perf_event_header *record);

/* Hand over all records from before BEFORE_NS (CLOCK_MONOTONIC), oldest first, and their room back.
 * What is younger stays: another CPU may still be writing something older.
 * Thread-safe: no.  Signal-safe: no. */
void perf_rings_drain(struct perf_rings *rings, uint64_t before_ns, perf_take *take, void *owner);

/* The trailer of RECORD; of one that is too small for any, zeros. */
struct perf_trailer perf_trailer_of(const struct perf_event_header *record);

void perf_rings_done(struct perf_rings *rings);
