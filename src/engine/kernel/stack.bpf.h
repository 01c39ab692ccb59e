/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The walk up a user's stack, by tables that the collector has compiled (unwinding.c).  Most frames
 * are of few kinds: their rules are there in a short form, and the stack is read a piece at a time,
 * for a reading costs by its number more than by its bytes.  What is rare, unwind_step() does. */

#define STACK_WINDOW 2048 /* a power of two */
#define STACK_PAGE 4096u
#define STACK_PIECE 512u /* the most that one short rule reads */
#define VM_EXEC 4ul

/* Set before the object is loaded. */
const volatile __u32 max_stack = 256;
const volatile bool folds = true; /* direct recursion is one call */

struct stack_call {
	__u64 address;
	__u32 file;
	__u32 task;
	__u32 flags;	/* enum kernel_call_flag */
	__u32 function; /* where its rows begin, and 1; 0: not known */
	__u64 number;	/* call_number(); 0: to be computed */
};

/* What the tables say of one place in the code: all that a step needs, in one line of memory. */
struct stack_row {
	__u64 key;	/* STACK_ROW_KEY(); STACK_NO_KEY: it holds for one frame */
	__u64 number;	/* call_number() of a call that returns to right behind it */
	__u32 function; /* as in a call */
	/* These as in a struct kernel_rule; CFA of a slow one is its number, and of KERNEL_RULE_END
	 * an enum kernel_stack_end. */
	__s32 cfa;
	__s16 low, bp, bx;
	__u8 kind;  /* enum kernel_rule_kind */
	__u8 flags; /* of its calls: enum kernel_call_flag */
};

#define STACK_ROW_KEY(file, offset) ((__u64)(file) << 32 | (__u32)(offset))
#define STACK_NO_KEY (~0ull)
#define STACK_ROWS 512	  /* in a part; all as of struct kernel_recent */
#define STACK_ROW_PARTS 4 /* a power of two */

struct stack_rows {
	struct stack_row rows[STACK_ROWS];
};

/* What there was before a part of Python's list. */
struct stack_before {
	__u64 context, weight;
	__u32 count;
	struct stack_call last;
};

/* Of one CPU and one tick: too much for the program's own stack. */
struct stack_state {
	__u64 ip, sp, bp, bx;
	__u64 window_start;
	__u32 window_size;
	__u32 count; /* of calls */
	__u32 end;   /* enum kernel_stack_end; 0: it goes on */
	__u8 has_bp, has_bx;
	__u8 is_exact;	   /* IP runs next; else it is where a call returns to */
	__u8 is_innermost; /* all registers are as they were */
	__u8 is_leaf;	   /* and it is where the tick fell, no call */
	__u8 is_32_bit;
	/* The mapping that IP was in last, and its table. */
	__u64 start, size, base;
	__u32 file, table_state;
	__u32 wants_build_id;
	__u32 first_offset, page_base, page_count, page_shift;
	__u32 python;	     /* the interpreter that the file is; 0: none */
	__u32 python_broken; /* a part of Python's list was not what it should be */
	__u64 python_mark;   /* of the next part, on the stack; 0: not looked for yet */
	struct stack_before before;
	/* Of the tick. */
	__u64 mm, exec_id;
	__u32 tgid, generation;
	__u32 code_owner; /* of code of no file */
	bool exact;
	/* The number of the context, and what the next call is weighed with in it. */
	__u64 context, weight;
	__u32 context_at; /* of one in the tree: its index and 1 */
	__u32 unknown;	  /* calls, the innermost ones */
	__u64 word;	  /* that was read last */
	/* A register of the caller's, and whether it is known. */
	__u64 restored;
	__u8 has_restored;
	/* Where the tick falls, and the cell that it makes.  Here rather than on the stack, where
	 * the verifier would follow each of the values that they can have. */
	struct place place;
	struct kernel_stack_key key;
	__u64 registers[16];
	struct pt_regs saved;
	struct stack_call calls[STACK_FRAMES];
	__u64 kernel[STACK_KERNEL_FRAMES];
	__u8 window[STACK_WINDOW + sizeof(__u64)];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stack_state);
} stacks SEC(".maps");

/* The rows that a CPU found last.  A stack's outer calls return to the same places for many ticks,
 * and what a table says of a place in a file never changes. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, STACK_ROW_PARTS);
	__type(key, __u32);
	__type(value, struct stack_rows);
} stack_rows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, STACK_TABLES);
	__type(key, __u32);
	__type(value, struct kernel_table);
} tables SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* made larger where it is used */
	__type(key, __u32);
	__type(value, struct kernel_table_page);
} table_pages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kernel_table_row);
} table_rows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, STACK_RULES);
	__type(key, __u32);
	__type(value, struct kernel_rule);
} table_rules SEC(".maps");

/* struct kernel_asked: files without a table, told to the collector once each. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536);
} asked SEC(".maps");

struct stack_walk { /* on the stack, as the helper wants it */
	struct bpf_perf_event_data *event;
	struct stack_state *state;
	bool waits; /* the kernel's calls so far are no longer those of profil's program */
};

/* ---- the table ---- */

/* Tell the collector, which is the only one to compile a table, of SLOT.  What it could not be told
 * it is told the next time. */
static __always_inline void stack_ask(struct kernel_table *table, __u32 slot)
{
	struct kernel_asked what = {slot, bpf_get_current_pid_tgid() >> 32};

	if (__sync_val_compare_and_swap(&table->state, KERNEL_TABLE_UNKNOWN, KERNEL_TABLE_ASKED) ==
		    KERNEL_TABLE_UNKNOWN &&
	    bpf_ringbuf_output(&asked, &what, sizeof(what), 0))
		table->state = KERNEL_TABLE_UNKNOWN;
}

/* Where the table of FILE is. */
static __always_inline __u32 stack_slot(__u32 file)
{
	return file == KERNEL_SPACE_VDSO     ? STACK_TABLE_VDSO
	       : file == KERNEL_SPACE_VDSO32 ? STACK_TABLE_VDSO32
					     : file;
}

static __always_inline __u32 stack_word_size(const struct stack_state *state)
{
	return state->is_32_bit ? sizeof(__u32) : sizeof(__u64);
}

static __always_inline void stack_take_table(struct stack_state *state)
{
	__u32 slot = stack_slot(state->file);
	struct kernel_table *table = bpf_map_lookup_elem(&tables, &slot);

	state->table_state = KERNEL_TABLE_NONE;
	state->python = 0;
	if (!table)
		return;
	state->table_state = *(volatile __u32 *)&table->state;
	if (state->table_state == KERNEL_TABLE_UNKNOWN)
		stack_ask(table, slot);
	else if (table->word_size != stack_word_size(state))
		state->table_state = KERNEL_TABLE_NONE;
	state->first_offset = table->first_offset;
	state->page_base = table->page_base;
	state->page_count = table->page_count;
	state->page_shift = table->page_shift;
	state->python = table->python;
}

/* A file that the collector knew before any program had it: now one has. */
__noinline __u32 stack_meet(__u32 number, __u64 file)
{
	__u32 zero = 0;
	struct cpu_state *cpu = bpf_map_lookup_elem(&cpus, &zero);
	struct kernel_file *slot = file_of(number);

	if (!cpu)
		return 0;
	file_take_path(cpu, slot, file);
	file_take_holder(slot);
	slot->flags |= KERNEL_FILE_USED;
	return 1;
}

/* The place in the memory of pages for ADDRESS, and the tick as what looks there wants it. */
static __always_inline struct cached_page *stack_page(const struct stack_state *state,
						      __u64 address, struct tick *ret_tick)
{
	__u32 zero = 0;

	ret_tick->task = bpf_get_current_task_btf();
	ret_tick->pc = address;
	ret_tick->cpu = bpf_map_lookup_elem(&cpus, &zero);
	if (!ret_tick->cpu)
		return NULL;
	ret_tick->mm = state->mm;
	ret_tick->exec_id = state->exec_id;
	ret_tick->tgid = state->tgid;
	ret_tick->generation = state->generation;
	ret_tick->exact = state->exact;
	return page_slot(ret_tick);
}

/* What is held of the mapping that PAGE is of. */
static __always_inline void stack_take_page(struct stack_state *state, struct cached_page *page)
{
	state->start = page->view.start;
	state->size = page->view.end - page->view.start;
	state->base = page->base;
	state->file = page->file;
	if (page->wants_build_id)
		page->wants_build_id = file_of(page->file)->build_id_tries;
	state->wants_build_id = page->wants_build_id;
	if (page->file == KERNEL_SPACE_ANONYMOUS) {
		/* Code that a program has made itself has frame pointers, or nothing. */
		state->table_state = KERNEL_TABLE_EMPTY;
		state->python = 0;
	} else {
		stack_take_table(state);
	}
	/* Tables know offsets of 32 bits. */
	if (state->table_state == KERNEL_TABLE_READY && (page->view.end - page->base) >> 32)
		state->table_state = KERNEL_TABLE_NONE;
}

/* Where a tick falls there is code.  What a frame pointer that is none leads to may be anything. */
static __always_inline bool stack_is_code(const struct cached_page *page)
{
	struct vm_area_struct *vma = (void *)page->view.vma;

	return BPF_CORE_READ(vma, vm_flags) & VM_EXEC;
}

/* Have the mapping at ADDRESS anew.  Returns 0, or an enum unresolved and 1.  Global functions are
 * looked at once by the verifier, and not for each way that leads to them: hence this one and those
 * below. */
__noinline __u32 stack_fill(__u64 address)
{
	__u32 zero = 0;
	struct stack_state *state = bpf_map_lookup_elem(&stacks, &zero);
	enum unresolved reason = NO_MAPPING;
	struct cached_page *page;
	struct tick tick = {};

	page = state ? stack_page(state, address, &tick) : NULL;
	if (!page || !page_fill(&tick, page, tick.generation, tick.exact, &reason))
		return reason + 1;
	if (!state->is_leaf && !stack_is_code(page)) {
		page->mm = 0;
		return NO_MAPPING + 1;
	}
	if (page->file < KERNEL_FILES && !(file_of(page->file)->flags & KERNEL_FILE_USED))
		stack_meet(page->file, page->view.file);
	stack_take_page(state, page);
	return 0;
}

/* Have the mapping at ADDRESS if the memory of pages has it. */
__noinline int stack_remember(__u64 address)
{
	__u32 zero = 0;
	struct stack_state *state = bpf_map_lookup_elem(&stacks, &zero);
	struct cached_page *page;
	struct tick tick = {};

	page = state ? stack_page(state, address, &tick) : NULL;
	if (!page || !page_fresh(&tick, page, tick.generation, tick.exact))
		return 0;
	stack_take_page(state, page);
	return 1;
}

/* Have it either way.  Returns as stack_fill() does. */
static __always_inline __u32 stack_locate(__u64 address)
{
	return stack_remember(address) ? 0 : stack_fill(address);
}

/* The row that OFFSET has in PAGE of the index: its rule, and above it where its function begins.
 */
__noinline __u64 stack_find(__u32 page, __u32 offset)
{
	struct kernel_table_page *within = bpf_map_lookup_elem(&table_pages, &page);
	struct kernel_table_row *row;
	__u32 low, high;

	if (!within)
		return UNWIND_UNKNOWN;
	low = within->low;
	high = within->high;
	for (int i = 0; i < STACK_ROWS_IN_PAGE_BITS; i++) {
		__u32 middle = low + ((high - low) >> 1);

		if (low + 1 >= high)
			break;
		row = bpf_map_lookup_elem(&table_rows, &middle);
		if (!row)
			return UNWIND_UNKNOWN;
		if (row->offset <= offset)
			low = middle;
		else
			high = middle;
	}
	row = bpf_map_lookup_elem(&table_rows, &low);
	if (!row || row->offset > offset || low + 1 < high)
		return UNWIND_UNKNOWN;
	if (row->back == 0xffff)
		return row->rule;
	return (__u64)(low - row->back + 1) << 32 | row->rule;
}

/* ---- the stack ---- */

/* Have what lies between LOW and HIGH, which are at most STACK_PIECE apart, in the window.  It ends
 * where a page does, for beyond a stack's last there may be nothing. */
__noinline int stack_read(__u64 low, __u64 high)
{
	__u64 page_end = (low | (STACK_PAGE - 1)) + 1;
	__u64 size = STACK_WINDOW;
	__u32 zero = 0;
	struct stack_state *state = bpf_map_lookup_elem(&stacks, &zero);

	if (!state)
		return 0;
	if (page_end - low < size && high <= page_end)
		size = page_end - low;
	state->window_size = 0;
	if (size > STACK_WINDOW)
		return 0;
	if (bpf_probe_read_user(state->window, size, (void *)low)) {
		size = high - low;
		if (size > STACK_PIECE || bpf_probe_read_user(state->window, size, (void *)low))
			return 0;
	}
	state->window_start = low;
	state->window_size = size;
	return 1;
}

static __always_inline int stack_have(struct stack_state *state, __u64 low, __u64 high)
{
	if (low >= state->window_start && high <= state->window_start + state->window_size)
		return 1;
	return stack_read(low, high);
}

static __always_inline __u64 stack_word(const struct stack_state *state, __u64 address)
{
	return *(const __u64 *)&state->window[(address - state->window_start) & (STACK_WINDOW - 1)];
}

/* ---- a step ---- */

/* A rule of a short form: the caller's frame, or why there is none. */
static __always_inline __u32 stack_step_short(struct stack_state *state,
					      const struct stack_row *rule)
{
	__u64 cfa = state->sp, low;

	if (rule->kind == KERNEL_RULE_BY_BP) {
		if (!state->has_bp)
			return KERNEL_STACK_NO_RULE;
		cfa = state->bp;
	}
	cfa += (__s64)rule->cfa;
	low = cfa + (__s64)rule->low;
	if (cfa < state->sp || (cfa == state->sp && !state->is_exact))
		return KERNEL_STACK_NO_RULE;
	if (!stack_have(state, low, cfa))
		return KERNEL_STACK_NOT_READABLE;
	state->ip = stack_word(state, cfa - sizeof(__u64));
	state->sp = cfa;
	if (rule->bp) {
		state->bp = stack_word(state, cfa + (__s64)rule->bp);
		state->has_bp = 1;
	}
	if (rule->bx) {
		state->bx = stack_word(state, cfa + (__s64)rule->bx);
		state->has_bx = 1;
	}
	state->is_exact = 0;
	state->is_innermost = 0;
	return 0;
}
