// SPDX-License-Identifier: BSD-2-Clause
#include "engine/kernel/object/pages.h"
#include "engine/kernel/object/private.h"

static uint64_t load(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_ACQUIRE);
}

static void add_counters(const struct kernel_run *run, struct inside_account *account)
{
	for (size_t i = 0; i < run->cpu_count; i++) {
		account->outside += load(&run->counters[i].outside);
		account->saturated += load(&run->counters[i].saturated);
		account->lost += load(&run->counters[i].lost);
	}
	account->ticks = account->counted + account->outside + account->saturated + account->lost;
	account->ended = __atomic_load_n(&run->globals->ended, __ATOMIC_RELAXED);
}

void account_read(struct kernel_run *run, struct inside_account *ret_account)
{
	struct inside_account account = {};

	for (size_t i = 0; i < run->page_count; i++)
		account.counted += load(&run->tallies[i].counted);
	add_counters(run, &account);
	*ret_account = account;
}

/* Who began by the end of the copy had counted at its start: so nobody wrote meanwhile.  A tick
 * takes less time than the copy of a page, and a second one in the same page is rare. */
static uint64_t cut_page(const struct count_tally *tally, char *aside, const char *page)
{
	uint64_t counted;

	do {
		counted = load(&tally->counted);
		pages_copy(aside, page, COUNT_PAGE);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (load(&tally->begun) != counted);
	return counted;
}

void account_cut(struct kernel_run *run, char *aside, struct inside_account *ret_account)
{
	struct inside_account account = {};

	for (size_t i = 0; i < run->page_count; i++)
		account.counted += cut_page(&run->tallies[i], aside + i * COUNT_PAGE,
					    run->area + i * COUNT_PAGE);
	add_counters(run, &account);
	*ret_account = account;
}
