// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/arcs.h"

#include "engine/inside/raw.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* Arcs of one thread's first table; the next ones have room for so many times more. */
#define FIRST_ARCS 128
#define GROWTH 4

/* In each part of a table. */
#define SLOTS_PER_ARC 4

/* Behind those that a hash leads to, so that no search goes round the end. */
#define SPARE_SLOTS 256

/* How many tables a new thread looks at for one to take over, and how many owners it asks after. */
#define LOOK_MAX 256
#define ASK_MAX 8

_Static_assert(offsetof(struct arcs_table, nobody) == 0, "mcount-x86_64.S");
_Static_assert(offsetof(struct arcs_table, mask) == 8, "mcount-x86_64.S");
_Static_assert(offsetof(struct arcs_table, slots) == 64, "mcount-x86_64.S");
_Static_assert(offsetof(struct arcs_arc, self) == 8, "mcount-x86_64.S");
_Static_assert(offsetof(struct arcs_arc, count) == 16, "mcount-x86_64.S");
_Static_assert(FIRST_ARCS *SLOTS_PER_ARC % 2 == 0, "arcs begin at a multiple of 8");

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

/* ARCS is a power of two. */
static struct arcs_table *make(uint32_t arcs)
{
	struct arcs_table *table;
	uint64_t slots = (uint64_t)arcs * SLOTS_PER_ARC;
	uint64_t all_slots = slots + ARCS_NEAR + slots + SPARE_SLOTS;
	size_t front = sizeof(*table) + all_slots * sizeof(*table->slots);
	size_t bytes = front + (size_t)arcs * sizeof(*table->arcs);
	long ret = -ENOMEM;

	if (all_slots <= UINT32_MAX)
		ret = raw_syscall(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ret < 0 && ret > -4096)
		return NULL;
	table = (struct arcs_table *)ret;
	table->nobody = UINTPTR_MAX;
	table->mask = (slots - 1) * sizeof(*table->slots);
	table->arcs = (struct arcs_arc *)((char *)table + front);
	table->bytes = bytes;
	table->capacity = arcs;
	table->slot_count = (uint32_t)all_slots;
	return table;
}

/* The slot's number of an arc that nobody else has; 0: there is none left.  A signal handler may
 * come between any two steps. */
static uint32_t reserve(struct arcs_table *table, uintptr_t from, uintptr_t self)
{
	uint32_t used = __atomic_load_n(&table->used, __ATOMIC_RELAXED);
	struct arcs_arc *arc;

	do {
		if (used == table->capacity)
			return 0;
	} while (!__atomic_compare_exchange_n(&table->used, &used, used + 1, /* weak= */ true,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	arc = &table->arcs[used];
	arc->from = from;
	arc->self = self;
	return (uint32_t)(((char *)arc - (char *)table) / 8);
}

/* One arc that is looked for; OWN is what was reserved for it, 0: nothing yet. */
struct wanted {
	struct arcs_table *table;
	uintptr_t from, self;
	uint32_t own;
};

/* The arc that SLOT leads to; where it is free, it is made the wanted one's.  A signal handler may
 * have filled it meanwhile, with the same arc even: what was reserved then stays empty. */
static struct arcs_arc *at_slot(struct wanted *wanted, uint32_t *slot)
{
	uint32_t found = __atomic_load_n(slot, __ATOMIC_RELAXED);

	if (found)
		return arcs_at(wanted->table, found);
	if (!wanted->own)
		wanted->own = reserve(wanted->table, wanted->from, wanted->self);
	if (!wanted->own)
		return NULL;
	if (__atomic_compare_exchange_n(slot, &found, wanted->own, /* weak= */ false,
					__ATOMIC_RELEASE, __ATOMIC_RELAXED))
		found = wanted->own;
	return arcs_at(wanted->table, found);
}

static struct arcs_arc *find_far(struct wanted *wanted)
{
	struct arcs_table *table = wanted->table;
	uint32_t *last = &table->slots[table->slot_count - 1];

	for (uint32_t *slot = arcs_far(table, wanted->from, wanted->self); slot < last; slot++) {
		struct arcs_arc *arc = at_slot(wanted, slot);

		if (!arc || (arc->from == wanted->from && arc->self == wanted->self))
			return arc;
	}
	return NULL;
}

/* NULL: there is no place for it any more. */
static struct arcs_arc *find(struct arcs_table *table, uintptr_t from, uintptr_t self)
{
	struct wanted wanted = {.table = table, .from = from, .self = self};
	uint32_t *slot = arcs_near(table, from);

	for (int i = 0; i < ARCS_NEAR; i++) {
		struct arcs_arc *arc = at_slot(&wanted, &slot[i]);

		if (!arc || (arc->from == from && arc->self == self))
			return arc;
		if (arc->from == from)
			break;
	}
	return find_far(&wanted);
}

static void publish(struct arcs_table *table)
{
	table->next = __atomic_load_n(&all, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&all, &table->next, table, /* weak= */ true,
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
	return __atomic_compare_exchange_n(&table->owner, &owner, myself, /* weak= */ false,
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

static struct arcs_table *make_mine(uint32_t arcs)
{
	struct arcs_table *table = make(arcs);

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
		return make_mine(FIRST_ARCS);
	arcs_mine = table;
	return table;
}

static struct arcs_table *grow(struct arcs_table *table)
{
	struct arcs_table *larger = make_mine(table->capacity * GROWTH);

	if (larger)
		__atomic_store_n(&table->is_full, true, __ATOMIC_RELAXED);
	return larger;
}

void arcs_count(uintptr_t from, uintptr_t self)
{
	struct arcs_table *table = arcs_mine ? arcs_mine : begin();
	struct arcs_arc *arc = NULL;

	if (!from)
		from = 1; /* nobody's address */
	while (table && !arc) {
		arc = find(table, from, self);
		if (!arc)
			table = grow(table);
	}
	if (arc)
		add(&arc->count, 1);
	else
		__atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
}

/* Only what is not 0, so that no page is copied for nothing. */
static void empty(struct arcs_table *table)
{
	for (uint32_t i = 0; i < arcs_used(table); i++)
		if (table->arcs[i].count)
			table->arcs[i].count = 0;
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
	uint64_t used = FIRST_ARCS;
	uint32_t arcs = FIRST_ARCS;

	for (struct arcs_table *table = __atomic_load_n(&all, __ATOMIC_ACQUIRE); table;
	     table = table->next)
		used += arcs_used(table);
	while (arcs < used)
		arcs *= 2;
	return make(arcs);
}

static void merge(struct arcs_table *merged, const struct arcs_table *table,
		  uintptr_t (*caller)(uintptr_t from, uintptr_t self), uint64_t *lost_calls)
{
	for (uint32_t i = 0; i < arcs_used(table); i++) {
		const struct arcs_arc *arc = &table->arcs[i];
		uint64_t count = __atomic_load_n(&arc->count, __ATOMIC_ACQUIRE);
		struct arcs_arc *sum = NULL;

		if (!count)
			continue;
		sum = find(merged, caller(arc->from, arc->self), arc->self);
		if (sum)
			sum->count += count;
		else
			*lost_calls += count;
	}
}

struct arcs_table *arcs_merge(uintptr_t (*caller)(uintptr_t from, uintptr_t self),
			      uint64_t *ret_lost)
{
	struct arcs_table *merged = make_for_all();

	*ret_lost = __atomic_load_n(&lost, __ATOMIC_RELAXED);
	if (!merged)
		return NULL;
	for (struct arcs_table *table = __atomic_load_n(&all, __ATOMIC_ACQUIRE); table;
	     table = table->next)
		merge(merged, table, caller, ret_lost);
	return merged;
}

void arcs_free(struct arcs_table *merged)
{
	if (merged)
		raw_syscall(SYS_munmap, (long)merged, (long)merged->bytes, 0, 0, 0, 0);
}
