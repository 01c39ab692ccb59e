// SPDX-License-Identifier: BSD-2-Clause
#include "engine/timer/inside/guest.h"
#include "engine/timer/inside/guest_bench.h"

#include "engine/inside/raw.h"
#include "unwind/stack_end.h"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>

/* From a tick to who called.  All of this runs in the handler, at any instruction of the program:
 * its memory is read by a system call, which says where there is none. */

#define PAGE 4096
/* Of what is read: registers are saved below where a caller's frame begins. */
#define BELOW 128

#ifdef __x86_64__

/* Registers by DWARF's numbers. */
static void start_frame(const void *context, struct guest_bench *bench, struct unwind_frame *frame)
{
	static const uint8_t order[16] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
					  REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
					  REG_R12, REG_R13, REG_R14, REG_R15};
	const greg_t *saved = ((const ucontext_t *)context)->uc_mcontext.gregs;

	for (unsigned i = 0; i < 16; i++)
		bench->registers[i] = (uint64_t)saved[order[i]];
	frame->ip = (uint64_t)saved[REG_RIP];
	frame->sp = (uint64_t)saved[REG_RSP];
	frame->bp = (uint64_t)saved[REG_RBP];
	frame->bx = (uint64_t)saved[REG_RBX];
	frame->registers = bench->registers;
	frame->has_bp = frame->has_bx = frame->is_exact = true;
}

/* Have the window begin a little below ADDRESS, in its page.  What lies behind that page may not be
 * there, and is asked for apart. */
static void move_window(struct guest_bench *bench, uint64_t address)
{
	uint64_t page = address & ~(uint64_t)(PAGE - 1), start = address - BELOW;
	struct iovec local, remote[2];
	long got;

	if (start < page || start > address)
		start = page;
	local.iov_base = bench->window;
	local.iov_len = sizeof(bench->window);
	remote[0].iov_base = (void *)start;
	remote[0].iov_len = page + PAGE - start;
	if (remote[0].iov_len > local.iov_len)
		remote[0].iov_len = local.iov_len;
	remote[1].iov_base = (void *)(start + remote[0].iov_len);
	remote[1].iov_len = local.iov_len - remote[0].iov_len;
	got = raw_syscall(SYS_process_vm_readv, bench->guest->pid, (long)&local, 1, (long)remote, 2,
			  0);
	bench->start = start;
	bench->size = got > 0 ? (uint64_t)got : 0;
}

struct word {
	uint64_t value;
} __attribute__((packed, may_alias));

static int read_word(void *context, uint64_t address, uint32_t size, uint64_t *ret_word)
{
	struct guest_bench *bench = context;
	uint64_t at = address - bench->start;

	if (size != sizeof(struct word))
		return 0;
	if (at > bench->size || size > bench->size - at) {
		move_window(bench, address);
		at = address - bench->start;
	}
	if (at > bench->size || size > bench->size - at)
		return 0;
	*ret_word = ((const struct word *)(bench->window + at))->value;
	return 1;
}

static enum unwind_end find_site(void *context, uint64_t address, struct unwind_site *ret_site)
{
	struct guest *guest = ((struct guest_bench *)context)->guest;
	const struct handoff_place *place;
	const struct unwind_table *table;
	struct guest_range range;
	bool is_file;

	if (!guest_find(guest, address, address + 1, &range) || !range.place)
		return UNWIND_NO_TABLE;
	place = &guest->handoff->places[range.place - 1];
	table = &guest->stacks.tables[range.place - 1];
	is_file = place->kind < HANDOFF_ANONYMOUS;
	ret_site->space =
		handoff_key(range.place, is_file ? 0 : guest_task(guest, /* is_code= */ true), 0);
	ret_site->offset = place->base + range.low + (address - range.start);
	ret_site->table =
		is_file && __atomic_load_n(&table->rules, __ATOMIC_ACQUIRE) ? table : NULL;
	ret_site->has_pointers = !is_file;
	return UNWIND_GOES_ON;
}

/* The callers first: a context is found by its caller. */
static uint64_t add_calls(struct guest *guest, const struct unwind_walk *walk, enum stack_end end)
{
	uint32_t context = 0, left = HANDOFF_NEW_CONTEXTS;

	for (uint32_t i = walk->count; i--;) {
		const struct unwind_call *call = &walk->calls[i];
		unsigned what = HANDOFF_CALLED | (call->interrupted ? HANDOFF_INTERRUPTED : 0) |
				(call->folded ? HANDOFF_FOLDED : 0);
		uint32_t added = handoff_context(guest->handoff, guest->stacks.shared.contexts,
						 call->space | (uint32_t)call->offset,
						 handoff_caller(context, what), &left);

		if (!added)
			return handoff_caller(context, left ? STACK_TREE_FULL : STACK_TREE_GROWING);
		context = added;
	}
	return handoff_caller(context, end);
}

static uint64_t walk_up(struct guest_bench *bench, const void *context)
{
	struct guest *guest = bench->guest;
	struct unwind_walk walk;
	enum unwind_end end;

	bench->size = 0;
	start_frame(context, bench, &walk.frame);
	walk.word_size = sizeof(uint64_t);
	walk.count = 0;
	walk.most = guest->stacks.most;
	walk.calls = bench->calls;
	walk.no_fold = guest->stacks.no_fold;
	walk.find = find_site;
	walk.read = read_word;
	walk.framed = NULL; /* no file is read here */
	walk.context = bench;
	walk.function = NULL;
	end = unwind_callers(&walk, /* has_sample= */ true);
	return add_calls(guest, &walk, stack_end_of(end));
}

/* A bench that nobody works at, or none. */
static struct guest_bench *take_bench(struct guest *guest, uint64_t *ret_bit)
{
	struct guest_stacks *stacks = &guest->stacks;

	for (unsigned i = 0; i < GUEST_BENCHES; i++) {
		uint64_t bit = (uint64_t)1 << i;
		struct guest_bench *bench;

		if (__atomic_fetch_or(&stacks->taken, bit, __ATOMIC_ACQUIRE) & bit)
			continue;
		bench = (struct guest_bench *)(void *)(stacks->benches + i * stacks->bench_size);
		bench->guest = guest;
		*ret_bit = bit;
		return bench;
	}
	return NULL;
}

uint64_t guest_caller(struct guest *guest, const void *context)
{
	struct guest_bench *bench;
	uint64_t bit, caller;

	if (!context)
		return handoff_caller(0, STACK_NOT_READABLE);
	bench = take_bench(guest, &bit);
	if (!bench)
		return handoff_caller(0, STACK_CROWDED);
	caller = walk_up(bench, context);
	__atomic_fetch_and(&guest->stacks.taken, ~bit, __ATOMIC_RELEASE);
	return caller;
}

#else

uint64_t guest_caller(struct guest *guest, const void *context)
{
	return handoff_caller(0, STACK_NO_RULE);
}

#endif
