// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/tally.h"

#include "engine/inside/there.h"
#include "histogram/region_table.h"

static void add(uint64_t *counter, uint64_t ticks)
{
	__atomic_fetch_add(counter, ticks, __ATOMIC_RELAXED);
}

static uint64_t load(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static bool is_cell_there(const struct region *region, size_t cell)
{
	return is_there((uintptr_t)region->cells + cell * region->width);
}

static void end(struct tally *tally)
{
	__atomic_store_n(&tally->ended, true, __ATOMIC_RELAXED);
}

static void count(struct tally *tally, const struct region *region, size_t cell, uint32_t ticks)
{
	if (!is_cell_there(region, cell)) {
		end(tally);
		add(&tally->lost, ticks);
		return;
	}
	switch (region_add(region, cell, ticks)) {
	case REGION_COUNTED:
		add(&tally->counted, ticks);
		break;
	case REGION_ENDS_ALL:
		end(tally);
		/* fall through */
	default:
		add(&tally->saturated, ticks);
	}
}

/* As often as there were ticks.  A list that is full is at its end, as soon as it is. */
static void list_pc(struct tally *tally, uintptr_t pc, uint32_t ticks)
{
	enum pc_list_result result = PC_LISTED;
	uint32_t listed = 0;

	while (listed < ticks && (result = pc_list_add(tally->list, pc)) == PC_LISTED)
		listed++;
	add(&tally->counted, listed);
	add(result == PC_LIST_IS_GONE ? &tally->lost : &tally->saturated, ticks - listed);
	if (result != PC_LISTED || pc_list_used(tally->list) == tally->list->room)
		end(tally);
}

static void hand_over(struct tally *tally, uintptr_t pc, const void *context, uint32_t ticks)
{
	const struct inside_receiver *receiver = tally->receiver;

	if (receiver->count(receiver->guest, pc, context, ticks)) {
		add(&tally->counted, ticks);
		return;
	}
	end(tally);
	add(&tally->lost, ticks);
}

void tally_tick(struct tally *tally, uintptr_t pc, const void *context, uint32_t ticks)
{
	uint32_t region;
	size_t cell;

	if (tally_has_ended(tally))
		return;
	if (tally->receiver)
		hand_over(tally, pc, context, ticks);
	else if (tally->list)
		list_pc(tally, pc, ticks);
	else if (region_find(tally->table, pc, &region, &cell))
		count(tally, &tally->table->regions[region], cell, ticks);
	else
		add(&tally->outside, ticks);
}

void tally_lose(struct tally *tally, uint64_t ticks)
{
	add(&tally->lost, ticks);
}

bool tally_has_ended(const struct tally *tally)
{
	return __atomic_load_n(&tally->ended, __ATOMIC_RELAXED);
}

void tally_read(const struct tally *tally, struct inside_account *ret_account)
{
	ret_account->counted = load(&tally->counted);
	ret_account->outside = load(&tally->outside);
	ret_account->saturated = load(&tally->saturated);
	ret_account->lost = load(&tally->lost);
	ret_account->ended = tally_has_ended(tally);
	ret_account->cpu_ns = 0;
	ret_account->threads = 0;
	ret_account->ticks = ret_account->counted + ret_account->outside + ret_account->saturated +
			     ret_account->lost;
}
