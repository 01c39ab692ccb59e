/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What is remembered of Python's functions, and what they are called.  That is read at each tick,
 * for a code object's address, or a text's, may be another's by the next one. */

/* Set before the object is loaded: off, and none of this is in the program. */
#if defined(__TARGET_ARCH_x86)
const volatile bool wants_python = true;
#else
const volatile bool wants_python = false;
#endif

#define PYTHON_NOWHERE (~0ull)	      /* no part of the list is left for the frames further out */
#define PYTHON_WINDOW 2048	      /* a power of two */
#define PYTHON_TEXT_ROOM 1024u	      /* the same: a text's head and what is kept of it */
#define PYTHON_TEXT_FIRST 192u	      /* most texts are no longer */
#define PYTHON_LENGTH_MOST (1u << 20) /* what is longer is no name */
#define PYTHON_MIX 0xd6e8feb86659fd93ull

struct kernel_python pythons[PYTHON_FILES + 1]; /* the first one is none */
__u32 python_pieces_used;
__u64 python_nameless; /* functions that there was no room for */

enum python_end {
	PYTHON_GOES_ON,
	PYTHON_FOUND,
	PYTHON_BROKEN,
};

struct python_text {
	__u32 head, size; /* where the characters begin, and their bytes */
	__u32 length;
	__u16 width;
	__u16 is_cut;
	__u8 object[PYTHON_TEXT_ROOM + sizeof(__u64)];
};

/* Of one CPU and one tick. */
struct python_state {
	__u64 self;		   /* the thread, as it calls itself */
	__u64 interpreter, thread; /* that are looked at */
	__u64 frame;		   /* the next one of the list */
	__u64 mark;		   /* of the part that is looked at, where it is there first */
	__u64 mark_before;	   /* and of the one before */
	__u64 name, file;	   /* of a code object */
	__u64 window_start;
	__u32 window_size;
	__u32 count; /* of codes */
	__u32 end;   /* enum python_end */
	__u32 line;
	struct kernel_python python;
	__u64 codes[PYTHON_FRAMES]; /* the lowest bit: it called itself */
	__u8 copy[PYTHON_THREAD_SIZE + sizeof(__u64)];
	struct python_text texts[2]; /* of the name and of the file */
	__u8 window[PYTHON_WINDOW + sizeof(__u64)];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct python_state);
} python_states SEC(".maps");

/* The state of a thread, by pid and tid: where it was last. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1); /* made larger where it is used */
	__type(key, __u64);
	__type(value, __u64);
} python_threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* the same */
	__type(key, __u64);
	__type(value, struct kernel_python_name);
} python_names SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* the same */
	__type(key, __u32);
	__type(value, struct kernel_python_piece);
} python_pieces SEC(".maps");

struct python_walk { /* on the stack, as the helper wants it */
	struct stack_state *state;
	struct python_state *python;
};

static __always_inline struct python_state *python_state(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&python_states, &zero);
}

static __always_inline bool python_read(void *to, __u32 size, __u64 from)
{
	return !bpf_probe_read_user(to, size, (void *)from);
}

/* The word at OFFSET of what was copied. */
static __always_inline __u64 python_word(const struct python_state *python, __u32 offset)
{
	return *(const __u64 *)&python->copy[offset & (PYTHON_THREAD_SIZE - 1)];
}

/* ---- names ---- */

static __always_inline __u64 python_mix(__u64 value)
{
	value = (value ^ value >> 32) * PYTHON_MIX;
	return value ^ value >> 32;
}

static __always_inline __u64 python_text_word(const struct python_text *text, __u32 number)
{
	__u32 at = (text->head + 8 * number) & (PYTHON_TEXT_ROOM - 8);

	return *(const __u64 *)&text->object[at];
}

struct python_numbering { /* on the stack, as the helper wants it */
	const struct python_text *text;
	__u64 mixed;
};

static long python_number_word(__u32 index, struct python_numbering *numbering)
{
	__u64 mixed = numbering->mixed ^ python_text_word(numbering->text, index);

	mixed *= PYTHON_MIX;
	numbering->mixed = mixed ^ mixed >> 32;
	return 0;
}

/* A number for what the text says.  By bpf_loop(): the verifier would go round any other loop, word
 * by word. */
static __always_inline __u64 python_number(const struct python_text *text)
{
	struct python_numbering numbering = {text};
	__u32 whole = text->size >> 3;
	__u64 rest = (1ull << (text->size & 7) * 8) - 1;

	numbering.mixed = python_mix(context_seed + text->length) + text->width;
	bpf_loop(whole, python_number_word, &numbering, 0);
	return python_mix(numbering.mixed ^ (python_text_word(text, whole) & rest)) | 1;
}

/* Read the text OBJECT.  Returns its number, or 0 where it is none that is known. */
__noinline __u64 python_take_text(__u32 which, __u64 object)
{
	struct python_state *python = python_state();
	__u32 got = PYTHON_TEXT_FIRST, flags, end;
	struct python_text *text;
	__u64 bytes;

	if (!python)
		return 0;
	text = &python->texts[which & 1];
	if (!python_read(text->object, PYTHON_TEXT_FIRST, object)) {
		got = python->python.text_ascii & 63; /* the page's end may be the memory's */
		if (!python_read(text->object, got, object))
			return 0;
	}
	flags = *(__u32 *)&text->object[32];
	bytes = *(__u64 *)&text->object[16];
	if (*(__u64 *)&text->object[8] != python->python.text_type || !(flags & 1 << 5) ||
	    bytes > PYTHON_LENGTH_MOST)
		return 0;
	text->width = flags >> 2 & 7;
	text->head = (flags & 1 << 6 ? python->python.text_ascii : python->python.text_wide) & 120;
	text->length = bytes;
	bytes *= text->width;
	text->is_cut = bytes > PYTHON_TEXT_MOST;
	text->size = text->is_cut ? PYTHON_TEXT_MOST : bytes;
	end = text->head + text->size;
	barrier_var(end); /* the verifier needs the mask that clang finds superfluous */
	end &= PYTHON_TEXT_ROOM - 1;
	if (!text->width || text->width > 4 ||
	    (end > got && !python_read(text->object, end, object)))
		return 0;
	return python_number(text);
}

/* A piece of a text, from its word FROM on, becomes NUMBER of all. */
__noinline int python_put_piece(__u32 which, __u32 number, __u32 from)
{
	struct kernel_python_piece *piece = bpf_map_lookup_elem(&python_pieces, &number);
	struct python_state *python = python_state();

	if (!piece || !python)
		return 0;
	for (__u32 i = 0; i < PYTHON_PIECE / 8; i++)
		piece->words[i] = python_text_word(&python->texts[which & 1], from + i);
	return 1;
}

/* Keep a text under NUMBER, as a file's name or as that of a function in FILE. */
__noinline int python_add(__u32 which, __u64 number, __u64 file)
{
	struct python_state *python = python_state();
	struct kernel_python_name name = {.file = file};
	struct python_text *text;
	__u32 pieces;

	if (!python)
		return 0;
	text = &python->texts[which & 1];
	pieces = (text->size + PYTHON_PIECE - 1) / PYTHON_PIECE;
	name.line = file ? python->line : 0;
	name.size = text->size;
	name.width = text->width;
	name.is_cut = text->is_cut;
	if (python_pieces_used < PYTHON_PIECES)
		name.piece = __sync_fetch_and_add(&python_pieces_used, pieces);
	else
		name.piece = PYTHON_PIECES;
	for (__u32 i = 0; i < PYTHON_TEXT_MOST / PYTHON_PIECE && i < pieces; i++)
		python_put_piece(which, name.piece + i, i * (PYTHON_PIECE / 8));
	if (name.piece + pieces > PYTHON_PIECES ||
	    bpf_map_update_elem(&python_names, &number, &name, BPF_NOEXIST) == -E2BIG)
		__sync_fetch_and_add(&python_nameless, 1);
	return 1;
}

/* The number of a function: of its name, its file and its line.  0: they cannot be read. */
static __always_inline __u64 python_function(struct python_state *python)
{
	__u64 name = python_take_text(0, python->name);
	__u64 file = python_take_text(1, python->file);
	__u64 number = python_mix(python_mix(name + file * STACK_WEIGHT) + python->line) | 1;

	if (!name || !file)
		return 0;
	if (!bpf_map_lookup_elem(&python_names, &number)) {
		if (!bpf_map_lookup_elem(&python_names, &file))
			python_add(1, file, 0);
		python_add(0, number, file);
	}
	return number;
}
