/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the BPF object and the code that reads it agree on, of Python's functions in call stacks.
 * Included by both; <linux/types.h> only.
 *
 * CPython's interpreter is one C function, which calls itself only where C code lies between two
 * functions of Python: one frame of it on the C stack stands for one or more of Python's.  It keeps
 * these in a list of its own, which begins in the thread's state; and it marks on the C stack where
 * the frame is that a part of the list belongs to: until 3.11 by the _PyCFrame, since 3.12 by an
 * _PyInterpreterFrame that is owned by the C stack. */
#include <linux/types.h>

#define PYTHON_FILES 15	      /* interpreters, a file each, that are known at once */
#define PYTHON_FRAMES 512     /* of one frame of the interpreter; a power of two */
#define PYTHON_CALLS 1100     /* the same, with those that folding drops; the usual limit is 1000 */
#define PYTHON_THREADS 1024   /* states that are looked through for a thread's */
#define PYTHON_KNOWN 4096     /* threads whose states are remembered */
#define PYTHON_NAMES 16384    /* functions and files with a name */
#define PYTHON_PIECE 32	      /* bytes of a name */
#define PYTHON_PIECES 24576   /* of all names */
#define PYTHON_TEXT_MOST 512  /* bytes of a name that are kept, a power of two */
#define PYTHON_OBJECT_MOST 80 /* of a text's head */

/* Of one interpreter: what it takes to read its frames.  Addresses are those of the file's code,
 * less the file offset; the rest are offsets in its structures. */
struct kernel_python {
	__u64 runtime, code_type, text_type;
	__u32 interpreters;		   /* in the runtime's state: the first interpreter */
	__u32 interpreter_next, threads;   /* in an interpreter's: the next, the first thread */
	__u32 thread_next, thread_id;	   /* in a thread's */
	__u32 thread_frame;		   /* the running frame, or the _PyCFrame that has it */
	__u32 has_cframe;		   /* it is that */
	__u32 cframe_frame, cframe_before; /* in it */
	__u32 frame_code, frame_before;	   /* in a frame */
	__u32 frame_owner;
	__u32 frame_is_entry; /* 0: the frame below one's first is owned by the C stack instead */
	__u32 code_file, code_name, code_line; /* in a code object */
	__u32 text_ascii, text_wide;	       /* where characters begin: ASCII, others */
};

/* What of these structures is read at once. */
#define PYTHON_THREAD_SIZE 256u
#define PYTHON_CFRAME_SIZE 24u
#define PYTHON_FRAME_SIZE 80u
#define PYTHON_CODE_SIZE 152u

#define PYTHON_OWNED_BY_C 3 /* enum _frameowner's FRAME_OWNED_BY_CSTACK */

/* The name of a file or of a function, known by a number that is made of what it says. */
struct kernel_python_name {
	__u64 file;  /* of a function: the number of its file; of a file: 0 */
	__u32 line;  /* where the function begins */
	__u32 piece; /* the first one of its text */
	__u16 size;  /* bytes of that */
	__u8 width;  /* of a character: 1, 2 or 4 bytes */
	__u8 is_cut; /* there is more of it */
	__u32 zero;
};

struct kernel_python_piece {
	__u64 words[PYTHON_PIECE / 8];
};
