/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "python_names.bpf.h"

/* Python's functions in a call stack, in place of the interpreter's frames (python.h).  The tick
 * may fall between any two instructions of the interpreter, so nothing that is read is trusted: a
 * part of Python's list takes a frame's place only where that frame has its mark on the stack, and
 * all of the part is what it should be.  Else the interpreter's own frame stands. */

/* ---- the thread ---- */

/* The _PyCFrame at MARK, if there is one: its running frame is the next one. */
static __always_inline bool python_take_mark(struct python_state *python, __u64 mark)
{
	if (!mark || !python_read(python->copy, PYTHON_CFRAME_SIZE, mark))
		return false;
	python->mark = mark;
	python->frame = python_word(python, python->python.cframe_frame);
	python->mark_before = python_word(python, python->python.cframe_before);
	return true;
}

/* Whether the state at THREAD is the interrupted thread's, and it runs something. */
static __always_inline bool python_take_thread(struct python_state *python, __u64 thread)
{
	if (!thread || !python_read(python->copy, PYTHON_THREAD_SIZE, thread) ||
	    python_word(python, python->python.thread_id) != python->self)
		return false;
	python->frame = python_word(python, python->python.thread_frame);
	if (python->python.has_cframe && !python_take_mark(python, python->frame))
		return false;
	return python->frame;
}

/* The next state of a thread, or the next interpreter. */
static long python_seek_thread(__u32 index, struct python_walk *walk)
{
	struct python_state *python = walk->python;
	const struct kernel_python *of = &python->python;
	__u64 next = 0;

	if (python->thread) {
		if (python_take_thread(python, python->thread))
			return 1;
		if (!python_read(&next, sizeof(next), python->thread + of->thread_next))
			next = 0;
		python->thread = next;
		return 0;
	}
	if (!python->interpreter)
		return 1;
	if (python_read(&next, sizeof(next), python->interpreter + of->threads))
		python->thread = next;
	next = 0;
	python_read(&next, sizeof(next), python->interpreter + of->interpreter_next);
	python->interpreter = next;
	return 0;
}

/* Where the interrupted thread's state is: where it was, or somewhere in the list of all. */
static __always_inline bool python_find_thread(struct stack_state *state,
					       struct python_state *python)
{
	struct python_walk walk = {state, python};
	__u64 key = bpf_get_current_pid_tgid(), *known;

	known = bpf_map_lookup_elem(&python_threads, &key);
	if (known && python_take_thread(python, *known))
		return true;
	python->thread = 0;
	if (!python_read(&python->interpreter, sizeof(__u64),
			 python->python.runtime + python->python.interpreters))
		return false;
	bpf_loop(PYTHON_THREADS, python_seek_thread, &walk, 0);
	if (!python->thread)
		return false;
	bpf_map_update_elem(&python_threads, &key, &python->thread, BPF_ANY);
	return true;
}

/* ---- a part of the list ---- */

/* Have the frame at ADDRESS in the window.  Callers' frames lie below, most often. */
static __always_inline bool python_have(struct python_state *python, __u64 address)
{
	__u64 end = address + PYTHON_FRAME_SIZE, low = address & ~(__u64)(STACK_PAGE - 1);

	if (address >= python->window_start && end <= python->window_start + python->window_size)
		return true;
	python->window_size = 0;
	if (end - low > STACK_PAGE)
		low = address; /* it is on two pages, of which the other may be anything */
	else if (end - low > PYTHON_WINDOW)
		low = end - PYTHON_WINDOW;
	if (low & 7 || end - low > PYTHON_WINDOW || !python_read(python->window, end - low, low))
		return false;
	python->window_start = low;
	python->window_size = end - low;
	return true;
}

static __always_inline __u64 python_frame_word(const struct python_state *python, __u64 address,
					       __u32 offset)
{
	__u64 at = (address - python->window_start + offset) & (PYTHON_WINDOW - 8);

	return *(const __u64 *)&python->window[at];
}

static __always_inline __u8 python_frame_byte(const struct python_state *python, __u64 address,
					      __u32 offset)
{
	return python_frame_word(python, address, offset) >> (offset & 7) * 8;
}

static __always_inline void python_keep_code(struct python_state *python, __u64 code)
{
	__u64 *last = &python->codes[(python->count - 1) & (PYTHON_FRAMES - 1)];

	if (folds && python->count && (*last | 1) == (code | 1)) {
		*last |= 1;
	} else if (python->count < PYTHON_FRAMES) { /* more are too many for a path, too */
		python->codes[python->count & (PYTHON_FRAMES - 1)] = code;
		python->count++;
	}
}

/* One frame of the part, which ends with the first one that was called by C. */
static long python_seek_mark(__u32 index, struct python_walk *walk)
{
	struct python_state *python = walk->python;
	const struct kernel_python *of = &python->python;
	__u64 frame = python->frame;
	__u8 owner;

	python->end = PYTHON_BROKEN;
	if (!python_have(python, frame))
		return 1;
	owner = python_frame_byte(python, frame, of->frame_owner);
	python->frame = python_frame_word(python, frame, of->frame_before);
	if (!of->frame_is_entry && owner == PYTHON_OWNED_BY_C) {
		python->mark = frame;
		python->end = PYTHON_FOUND;
		return 1;
	}
	if (owner >= PYTHON_OWNED_BY_C)
		return 1;
	python_keep_code(python, python_frame_word(python, frame, of->frame_code));
	if (of->frame_is_entry && python_frame_byte(python, frame, of->frame_is_entry)) {
		python->end = PYTHON_FOUND;
		return 1;
	}
	return 0;
}

/* Have the next part, and where on the stack the frame is that it stands for. */
__noinline int python_seek(__u32 zero)
{
	struct stack_state *state = bpf_map_lookup_elem(&stacks, &zero);
	struct python_state *python = python_state();
	struct python_walk walk = {state, python};
	__u64 before;

	if (!state || !python)
		return 0;
	state->python_mark = PYTHON_NOWHERE;
	python->count = 0;
	if (!python->frame)
		return 0;
	python->end = PYTHON_BROKEN;
	bpf_loop(PYTHON_CALLS, python_seek_mark, &walk, 0);
	before = python->frame;
	if (python->end != PYTHON_FOUND) {
		state->python_broken = 1;
		return 0;
	}
	state->python_mark = python->mark;
	if (!python->python.frame_is_entry)
		return 1;
	/* What called the first one is what runs there. */
	if (python_take_mark(python, python->mark_before) && python->frame == before)
		return 1;
	state->python_mark = PYTHON_NOWHERE;
	state->python_broken = 1;
	return 0;
}

/* The first frame in an interpreter's file: its thread has a list, or nothing that is Python's. */
__noinline int python_begin(__u32 number)
{
	__u32 zero = 0;
	struct stack_state *state = bpf_map_lookup_elem(&stacks, &zero);
	struct python_state *python = python_state();

	if (!state || !python || number > PYTHON_FILES)
		return 0;
	state->python_mark = PYTHON_NOWHERE;
	python->python = pythons[number];
	python->python.runtime += state->base;
	python->python.code_type += state->base;
	python->python.text_type += state->base;
	python->self = stack_thread();
	python->window_size = 0;
	if (!python->self || !python_find_thread(state, python))
		return 0;
	python_seek(0);
	/* Of one that is just being called, what is there already is what was there before. */
	if (state->python_broken && python->python.has_cframe &&
	    python_take_mark(python, python->mark_before))
		python_seek(0);
	if (state->python_mark < state->sp)
		state->python_mark = PYTHON_NOWHERE;
	return 1;
}

/* ---- functions into the path ---- */

static __always_inline bool python_keep(struct stack_state *state, __u64 number, __u32 flags)
{
	struct stack_call *last = &state->calls[(state->count - 1) & (STACK_FRAMES - 1)];

	if (folds && number && state->count && last->file == KERNEL_SPACE_PYTHON &&
	    last->address == number) {
		last->flags |= KERNEL_CALL_FOLDED;
		last->number = 0;
		return true;
	}
	return call_keep(state, number, KERNEL_SPACE_PYTHON, 0, flags, 0);
}

/* One function of the part. */
static long python_step(__u32 index, struct python_walk *walk)
{
	struct python_state *python = walk->python;
	const struct kernel_python *of = &python->python;
	__u64 code = python->codes[index & (PYTHON_FRAMES - 1)];
	__u32 flags = code & 1 ? KERNEL_CALL_FOLDED : 0;

	python->end = PYTHON_BROKEN;
	if (!python_read(python->copy, PYTHON_CODE_SIZE, code & ~1ull) ||
	    python_word(python, 8) != of->code_type)
		return 1;
	python->end = PYTHON_GOES_ON;
	python->name = python_word(python, of->code_name);
	python->file = python_word(python, of->code_file);
	python->line = *(__u32 *)&python->copy[of->code_line & (PYTHON_THREAD_SIZE - 4)];
	/* What the interpreter puts beneath a call of __init__ is no function of anybody's. */
	if (!python->line && python->name == python->file)
		return 0;
	if (python_keep(walk->state, python_function(python), flags))
		return 0;
	walk->state->end = KERNEL_STACK_TOO_DEEP;
	return 1;
}

/* The part takes the place of the frame that has its mark.  False: it is none, and the frame
 * stands. */
__noinline int python_stand(__u32 zero)
{
	struct stack_state *state = bpf_map_lookup_elem(&stacks, &zero);
	struct python_state *python = python_state();
	struct python_walk walk = {state, python};
	struct stack_before *before;
	__u32 taken;

	if (!state || !python)
		return 0;
	before = &state->before;
	before->count = state->count;
	before->context = state->context;
	before->weight = state->weight;
	before->last = state->calls[(state->count - 1) & (STACK_FRAMES - 1)];
	python->end = PYTHON_GOES_ON;
	bpf_loop(python->count, python_step, &walk, 0);
	if (python->end == PYTHON_BROKEN) {
		state->count = before->count;
		state->context = before->context;
		state->weight = before->weight;
		state->calls[(before->count - 1) & (STACK_FRAMES - 1)] = before->last;
		state->python_mark = PYTHON_NOWHERE;
		state->python_broken = 1;
		return 0;
	}
	taken = python->count;
	python_seek(0);
	return taken; /* a frame may be about to run its first one */
}

/* Whether the frame between SP and its caller's has the mark of the next part. */
static __always_inline bool python_is_marked(struct stack_state *state, __u64 sp)
{
	if (state->python_mark < sp) { /* nobody's: the frame that had it was another file's */
		state->python_mark = PYTHON_NOWHERE;
		state->python_broken = 1;
	}
	return state->python_mark < state->sp;
}
