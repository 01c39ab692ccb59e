// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/arcs.h"
#include "gmon/gmon.h"
#include "gmon/output.h"
#include "libprofil/calls.h"

#include <limits.h>
#include <string.h>
#include <sys/auxv.h>

/* mon.out is the buffer as it is in memory: a header, counters of calls, and the cells. */
struct head {
	uintptr_t low, high;
	int calls; /* how many counters follow */
};

struct call {
	uintptr_t self; /* 0: free */
	long count;
};

static struct head *monitored;
static size_t monitored_size; /* bytes */

static struct call *calls_of(struct head *head)
{
	return (struct call *)(head + 1);
}

/* A function is counted where mcount was called in it; so prof(1) finds it by name. */
static void count_call(struct head *head, uintptr_t self, uint64_t count)
{
	struct call *call = calls_of(head), *end = call + head->calls;

	if (self < head->low || self >= head->high)
		return;
	while (call < end && call->self && call->self != self)
		call++;
	if (call == end)
		return;
	call->self = self;
	call->count += (long)count;
}

/* One for each function, so that they spread. */
static uintptr_t any_caller(uintptr_t from, uintptr_t self)
{
	return ~self;
}

static void count_calls(struct head *head)
{
	uint64_t lost;
	struct arcs_table *calls = arcs_merge(any_caller, &lost);

	if (lost || !calls)
		output_complain("calls", "there was no memory to count them all", "free some");
	for (uint32_t i = 0; calls && i < arcs_used(calls); i++)
		if (calls->arcs[i].count)
			count_call(head, calls->arcs[i].self, calls->arcs[i].count);
	arcs_free(calls);
}

static void finish(void)
{
	struct text path = {.length = 0};
	struct output output;
	int ret;

	(void)profil_linux(NULL, 0, 0, 0);
	count_calls(monitored);
	text_add(&path, "mon.out");
	ret = output_open(&output, &path);
	if (!ret) {
		output_bytes(&output, monitored, monitored_size);
		ret = output_close(&output, &path);
	}
	if (ret)
		output_complain(path.start, strerrordesc_np(-ret), "run it where it may write");
	monitored = NULL;
}

/* One cell for two bytes of text is 65536. */
static unsigned scale_of(size_t cells, uintptr_t text)
{
	double scale = 2.0 * 65536 * (double)cells / (double)text;

	return scale > 65536 ? 65536 : (unsigned)scale;
}

static void begin(uintptr_t low, uintptr_t high, void *buffer, size_t size, int calls)
{
	size_t front = sizeof(struct head) + (size_t)calls * sizeof(struct call);
	size_t cells = (size - front) / sizeof(unsigned short);

	memset(buffer, 0, size);
	monitored = buffer;
	monitored_size = size;
	*monitored = (struct head){.low = low, .high = high, .calls = calls};
	__atomic_store_n(&arcs_on, true, __ATOMIC_SEQ_CST);
	if (profil_linux((unsigned short *)((char *)buffer + front), cells * 2, low,
			 scale_of(cells, high - low)))
		output_complain("monitor", "no clock can be had", "only calls are counted");
}

EXPORT void monitor(void (*low)(void), void (*high)(void), short *buffer, int size, int calls)
{
	size_t bytes = size > 0 ? (size_t)size * sizeof(short) : 0;

	if (getauxval(AT_SECURE))
		return;
	if (!low) {
		if (monitored)
			finish();
		return;
	}
	if (calls < 0 || (uintptr_t)high <= (uintptr_t)low || !buffer ||
	    (uintptr_t)buffer % sizeof(uintptr_t) || calls > INT_MAX / (int)sizeof(struct call) ||
	    bytes < sizeof(struct head) + (size_t)calls * sizeof(struct call) + sizeof(short)) {
		output_complain("monitor", "the buffer does not hold header, calls and cells",
				"align it to 8 bytes and make it larger");
		return;
	}
	begin((uintptr_t)low, (uintptr_t)high, buffer, bytes, calls);
}
