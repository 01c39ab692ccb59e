// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/arcs.h"

#include "engine/inside/raw.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* Arcs of one thread's first table; the next ones have so many times more. */
#define FIRST_SLOTS 256
#define GROWTH 4

/* Behind those that a hash leads to, in both parts, so that no search goes round the end. */
#define SPARE_SLOTS 256

/* How many tables a new thread looks at for one to take over, and how many owners it asks after. */
#define LOOK_MAX 256
#define ASK_MAX 8

_Static_assert(offsetof(struct arcs_table, mask) == 0, "mcount-x86_64.S");
_Static_assert(offsetof(struct arcs_table, slots) == 64, "mcount-x86_64.S");
_Static_assert(sizeof(struct arcs_slot) == 32, "mcount-x86_64.S");

bool arcs_on;
__thread struct arcs_table *arcs_mine __attribute__((tls_model("initial-exec")));

static struct arcs_table *all;	  /* atomic; never gets shorter */
static struct arcs_table *cursor; /* atomic; where the last search ended */
static uint64_t lost;		  /* atomic */

/* One step for a signal on the same thread, which is all that could come between. */
static void add(uint64_t *counter, uint64_t more)
{
#if defined(__x86_64__)
	__asm__("addq %1, %0" : "+m"(*counter) : "r"(more) : "cc");
#else
	__atomic_fetch_add(counter, more, __ATOMIC_RELAXED);
#endif
}

static struct arcs_table *make(uint32_t slots)
{
	struct arcs_table *table;
	uint32_t all_slots = slots + ARCS_NEAR + slots + SPARE_SLOTS;
	size_t bytes = sizeof(*table) + (size_t)all_slots * sizeof(struct arcs_slot);
	long ret = raw_syscall(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (ret < 0 && ret > -4096)
		return NULL;
	table = (struct arcs_table *)ret;
	table->mask = (uint64_t)(slots - 1) * sizeof(struct arcs_slot);
	table->bytes = bytes;
	table->slot_count = all_slots;
	table->limit = slots / 2;
	return table;
}

/* A signal handler may fill the same slot meanwhile, or fill another one with the same arc. */
static bool claim(struct arcs_table *table, struct arcs_slot *slot, uintptr_t from, uintptr_t self)
{
	uintptr_t nobody = 0;

	if (!__atomic_compare_exchange_n(&slot->from, &nobody, from, /* weak: */ false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return false;
	__atomic_store_n(&slot->self, self, __ATOMIC_RELEASE);
	__atomic_fetch_add(&table->used, 1, __ATOMIC_RELAXED);
	return true;
}

/* Whether SLOT is the arc's, or has become it.  *RET_FULL: it is free, and the table as full as it
 * shall be. */
static bool is_its(struct arcs_table *table, struct arcs_slot *slot, uintptr_t from, uintptr_t self,
		   bool *ret_full)
{
	if (!__atomic_load_n(&slot->from, __ATOMIC_RELAXED)) {
		*ret_full = __atomic_load_n(&table->used, __ATOMIC_RELAXED) >= table->limit;
		if (*ret_full)
			return false;
		if (claim(table, slot, from, self))
			return true;
	}
	return slot->from == from && __atomic_load_n(&slot->self, __ATOMIC_RELAXED) == self;
}

/* NULL: there is no place for it any more. */
static struct arcs_slot *find(struct arcs_table *table, uintptr_t from, uintptr_t self)
{
	struct arcs_slot *slot = arcs_near(table, from, self);
	struct arcs_slot *last = &table->slots[table->slot_count - 1];
	bool is_full = false;

	for (int i = 0; i < ARCS_NEAR && !is_full; i++, slot++)
		if (is_its(table, slot, from, self, &is_full))
			return slot;
	for (slot = arcs_far(table, from, self); slot < last && !is_full; slot++)
		if (is_its(table, slot, from, self, &is_full))
			return slot;
	return NULL;
}

static void publish(struct arcs_table *table)
{
	table->next = __atomic_load_n(&all, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&all, &table->next, table, /* weak: */ true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

static bool is_gone(pid_t owner)
{
	long process = raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);

	return raw_syscall(SYS_tgkill, process, owner, 0, 0, 0, 0) == -ESRCH;
}

/* A table with MYSELF on it is another's who had my number, or one that a signal handler of mine
 * made while I made another. */
static bool take_over(struct arcs_table *table, pid_t myself, unsigned *asked)
{
	pid_t owner = __atomic_load_n(&table->owner, __ATOMIC_RELAXED);

	if (__atomic_load_n(&table->is_full, __ATOMIC_RELAXED))
		return false;
	if (owner && owner != myself) {
		++*asked;
		if (!is_gone(owner))
			return false;
	}
	return __atomic_compare_exchange_n(&table->owner, &owner, myself, /* weak: */ false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* A few at a time, and on from there the next time: where there are many tables, those of ended
 * threads are as many as the living ones' part in ASK_MAX. */
static struct arcs_table *find_left(pid_t myself)
{
	struct arcs_table *table = __atomic_load_n(&cursor, __ATOMIC_ACQUIRE);
	unsigned asked = 0;

	for (unsigned i = 0; i < LOOK_MAX && asked < ASK_MAX; i++) {
		if (!table)
			table = __atomic_load_n(&all, __ATOMIC_ACQUIRE);
		if (!table)
			return NULL;
		if (take_over(table, myself, &asked)) {
			__atomic_store_n(&cursor, table, __ATOMIC_RELEASE);
			return table;
		}
		table = table->next;
	}
	__atomic_store_n(&cursor, table, __ATOMIC_RELEASE);
	return NULL;
}

static struct arcs_table *make_mine(uint32_t slots)
{
	struct arcs_table *table = make(slots);

	if (!table)
		return NULL;
	table->owner = (pid_t)raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
	publish(table);
	arcs_mine = table;
	return table;
}

static struct arcs_table *begin(void)
{
	struct arcs_table *table = find_left((pid_t)raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0));

	if (!table)
		return make_mine(FIRST_SLOTS);
	arcs_mine = table;
	return table;
}

static struct arcs_table *grow(struct arcs_table *table)
{
	struct arcs_table *larger =
		make_mine((uint32_t)(table->mask / sizeof(struct arcs_slot) + 1) * GROWTH);

	if (larger)
		__atomic_store_n(&table->is_full, true, __ATOMIC_RELAXED);
	return larger;
}

void arcs_count(uintptr_t from, uintptr_t self)
{
	struct arcs_table *table = arcs_mine ? arcs_mine : begin();
	struct arcs_slot *slot = NULL;

	if (!from)
		from = 1; /* nobody's address, as 0 is a free slot's */
	while (table && !slot) {
		slot = find(table, from, self);
		if (!slot)
			table = grow(table);
	}
	if (slot)
		add(&slot->count, 1);
	else
		__atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
}

uint64_t arcs_lost(void)
{
	return __atomic_load_n(&lost, __ATOMIC_RELAXED);
}

/* Only what is not 0, so that no page is copied for nothing. */
static void empty(struct arcs_table *table)
{
	for (uint32_t i = 0; i < table->slot_count; i++)
		if (table->slots[i].count)
			table->slots[i].count = 0;
}

void arcs_clear(void)
{
	for (struct arcs_table *table = __atomic_load_n(&all, __ATOMIC_ACQUIRE); table;
	     table = table->next)
		empty(table);
	__atomic_store_n(&lost, 0, __ATOMIC_RELAXED);
}

void arcs_forget(void)
{
	pid_t myself = (pid_t)raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);

	arcs_clear();
	for (struct arcs_table *table = all; table; table = table->next)
		table->owner = table == arcs_mine ? myself : 0;
}

/* As large as all arcs would want it if no two were the same, and some that come meanwhile. */
static struct arcs_table *make_for_all(void)
{
	uint64_t used = FIRST_SLOTS;
	uint32_t slots = FIRST_SLOTS;

	for (struct arcs_table *table = __atomic_load_n(&all, __ATOMIC_ACQUIRE); table;
	     table = table->next)
		used += __atomic_load_n(&table->used, __ATOMIC_RELAXED);
	while (slots / 2 < used)
		slots *= 2;
	return make(slots);
}

struct arcs_table *arcs_merge(uintptr_t (*caller)(uintptr_t from, uintptr_t self),
			      uint64_t *ret_lost)
{
	struct arcs_table *merged = make_for_all();

	*ret_lost = arcs_lost();
	if (!merged)
		return NULL;
	for (struct arcs_table *table = __atomic_load_n(&all, __ATOMIC_ACQUIRE); table;
	     table = table->next) {
		for (uint32_t i = 0; i < table->slot_count; i++) {
			const struct arcs_slot *slot = &table->slots[i];
			uint64_t count = __atomic_load_n(&slot->count, __ATOMIC_ACQUIRE);
			struct arcs_slot *sum;

			if (!count)
				continue;
			sum = find(merged, caller(slot->from, slot->self), slot->self);
			if (sum)
				sum->count += count;
			else
				*ret_lost += count;
		}
	}
	return merged;
}

void arcs_free(struct arcs_table *merged)
{
	if (merged)
		raw_syscall(SYS_munmap, (long)merged, (long)merged->bytes, 0, 0, 0, 0);
}
