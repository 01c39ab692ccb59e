/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_ENGINE_INSIDE_RING_H
#define PROFIL_ENGINE_INSIDE_RING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One CPU's ring of perf records, written by the kernel, read by one thread at a time. */
struct ring {
	void *page; /* of the kernel's, before the data; NULL: there is no ring */
	size_t data_size;
};

/* What is read of a record: its layout is that of PERF_SAMPLE_IP | PERF_SAMPLE_TID. */
struct ring_sample {
	uint64_t ip;
	uint32_t pid, tid;
};

struct ring_reader {
	void *owner;
	void (*sample)(void *owner, const struct ring_sample *sample);
	void (*lost)(void *owner, uint64_t records);
};

/* The ring of the perf event DESCRIPTOR, as large as the system lets it be.
 * Returns 0 or -errno (-EPERM: perf_event_mlock_kb and RLIMIT_MEMLOCK leave no room). */
int ring_map(int descriptor, struct ring *ret_ring);

/* Hand all records that are there to READER, and their room back. */
void ring_drain(struct ring *ring, const struct ring_reader *reader);

void ring_unmap(struct ring *ring);

#endif
