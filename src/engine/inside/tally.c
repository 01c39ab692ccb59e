// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/tally.h"

#include "engine/inside/raw.h"
#include "histogram/region_table.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>

static void add(uint64_t *counter, uint64_t ticks)
{
	__atomic_fetch_add(counter, ticks, __ATOMIC_RELAXED);
}

static uint64_t load(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

/* Whether CELL can be written to: the kernel adds 0 to the aligned word that holds it, atomically,
 * and says EFAULT where the program would have been killed.  Nobody waits on either futex. */
static bool is_there(const struct region *region, size_t cell)
{
	static uint32_t nobody;
	uintptr_t word = ((uintptr_t)region->cells + cell * region->width) & ~(uintptr_t)3;
	long ret = raw_syscall(SYS_futex, (long)&nobody, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG,
			       /* wake: */ 1, /* wake2: */ 1, (long)word,
			       FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0));

	return ret != -EFAULT;
}

static void end(struct tally *tally)
{
	__atomic_store_n(&tally->ended, true, __ATOMIC_RELAXED);
}

static void count(struct tally *tally, const struct region *region, size_t cell, uint32_t ticks)
{
	if (!is_there(region, cell)) {
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

void tally_tick(struct tally *tally, uintptr_t pc, uint32_t ticks)
{
	uint32_t region;
	size_t cell;

	if (tally_has_ended(tally))
		return;
	if (region_find(tally->table, pc, &region, &cell))
		count(tally, &tally->table->regions[region], cell, ticks);
	else
		add(&tally->nobodys, ticks);
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
	ret_account->nobodys = load(&tally->nobodys);
	ret_account->saturated = load(&tally->saturated);
	ret_account->lost = load(&tally->lost);
	ret_account->ended = tally_has_ended(tally);
	ret_account->cpu_ns = 0;
	ret_account->ticks = ret_account->counted + ret_account->nobodys + ret_account->saturated +
			     ret_account->lost;
}
