/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The cells of one measurement, as an engine hands them over: plain data, no names, no files.
 * An engine adds up; nothing here is one sample. */

/* Which file: an inode number is reused and a file is rebuilt in place, so four facts name one. */
struct file_identity {
	uint64_t device; /* as stat(2) gives it in st_dev */
	uint64_t inode;
	uint32_t generation; /* the inode's, FS_IOC_GETVERSION; 0 where a file system has none */
	int64_t mtime_ns;    /* modification time, nanoseconds since the epoch */
};

#define BUILD_ID_MAX 20

struct histogram_file {
	struct file_identity identity;
	char *path; /* as the program's mount namespace calls it, "" when unknown; heap */
	uint8_t build_id[BUILD_ID_MAX];
	uint8_t build_id_size; /* 0: not known to the engine */
	bool is_program;       /* the main executable of a measured process; else a library */
	uint32_t pid;	       /* a process that had it mapped, 0: not known; */
	uint64_t mounts;       /* and its mount namespace, an inode number; 0: not known */
	uint64_t overflow;     /* ticks in this file that found the cell table full */
};

/* Where a cell lies. */
enum cell_space {
	CELL_FILE,	/* .file, .address = offset in the file */
	CELL_KERNEL,	/* .address = kernel address */
	CELL_VDSO,	/* .address = offset from the start of the 64-bit vdso */
	CELL_VDSO32,	/* the same, of the 32-bit vdso */
	CELL_ANONYMOUS, /* executable memory of no file (JIT); .task is its process, always */
	CELL_PYTHON,	/* of a context: no code, but .file is a function of Python's */
	CELL_IDLE,	/* no code: a CPU had nothing to run; .address is 0 */
	CELL_WAITING,	/* of an amount: no code, but .file is a function: what was waited for */
	CELL_LIVES,	/* the same: what else became of the time of threads */
	CELL_SPACES,
};

#define HISTOGRAM_NO_TASK UINT32_MAX

/* How much is known of who called: what a sample's call stack came to. */
enum stack_end {
	STACK_NONE,	    /* call stacks were not asked for */
	STACK_WHOLE,	    /* up to the thread's first function */
	STACK_NO_TABLE,	    /* in a file that has no unwind table, or not yet */
	STACK_NO_RULE,	    /* at an address from which no rule leads to a caller */
	STACK_NOT_READABLE, /* the stack could not be read */
	STACK_TOO_DEEP,	    /* more frames than --max-stack */
	STACK_TREE_FULL,    /* the table of contexts was full */
	STACK_TREE_GROWING, /* more new contexts at one sample than are added at once */
	STACK_BUSY,	    /* another CPU held the table */
	STACK_EXITING,	    /* the process was starting a program or ending */
	STACK_GUARDED,	    /* of a process that this user may not look into */
	STACK_BEYOND_PIECE, /* higher up than the piece of stack that the kernel copied */
	STACK_CROWDED,	    /* more threads of a process at once than there is memory to walk in */
	STACK_INTERPRETED,  /* whole, with an interpreter's frames where its program's were unclear
			     */
	STACK_TABLES_FULL,  /* in a file for whose unwind table there was no room */
	STACK_NOT_SAMPLED,  /* there were more waits than may be walked, and none like it was; or it
			       began before it was measured */
	STACK_WAITS_FULL,   /* the table of waits was full */
	STACK_ENDS,
};

/* The sentence for END, e.g. "the stack could not be read"; and its name in files, "unreadable". */
const char *stack_end_text(enum stack_end end);
const char *stack_end_name(enum stack_end end);

/* Whether callers are missing. */
static inline bool stack_end_is_cut(enum stack_end end)
{
	return end != STACK_WHOLE && end != STACK_INTERPRETED;
}

/* What is known by what it is called, and by no address: a function of a program that another one
 * interprets; the reason of a wait. */
struct histogram_function {
	char *name, *file; /* UTF-8; heap */
	uint32_t line;	   /* where it begins */
};

#define HISTOGRAM_NO_FUNCTION UINT32_MAX /* it could not be read what it is called */

/* A calling context: a call that was on the stack, and with its parents the whole stack above. */
struct histogram_context {
	uint32_t parent; /* its caller's index in contexts and 1, 0: none is known; parents come
			    first */
	enum cell_space space;
	uint32_t file;	  /* as in a cell; of CELL_PYTHON the index in functions, or none */
	uint32_t task;	  /* as in a cell, for CELL_ANONYMOUS only */
	uint64_t address; /* the return address; where INTERRUPTED the instruction itself */
	bool interrupted; /* by a signal or by entering the kernel: it did not call */
	bool folded;	  /* stands for several calls of one function in a row (direct recursion) */
};

struct histogram_cell {
	enum cell_space space;
	uint32_t file; /* index in files, for CELL_FILE */
	uint32_t task; /* index in tasks, or HISTOGRAM_NO_TASK when cells are not split by task */
	uint64_t address;
	uint64_t ticks;
	uint32_t context; /* who called: the index in contexts and 1; 0: none is known */
	enum stack_end stack_end;
};

/* What is counted beside samples, where all of the time is accounted for: each with its name and
 * unit in files.  First what has call stacks.  A sample's period is shared by the threads that ran
 * just then; WOKEN and its times have the context and the task of who ended the wait. */
/* clang-format off */
#define HISTOGRAM_STACK_VALUES_EACH(value) \
	value(BLOCKED, "blocked", "nanoseconds") /* waiting for something else; CELL_WAITING */ \
	value(RUNQUEUE, "runqueue", "nanoseconds") /* waiting for a CPU; CELL_WAITING */ \
	value(STILL_BLOCKED, "still_blocked", "nanoseconds") /* of BLOCKED: had not ended */ \
	value(WALL, "wall", "nanoseconds") /* of samples: their periods, shared */ \
	value(WOKEN, "woken", "nanoseconds") /* BLOCKED, by who ended it */ \
	value(TIMES_BLOCKED, "times_blocked", "count") /* how often */ \
	value(TIMES_QUEUED, "times_queued", "count") \
	value(TIMES_WOKEN, "times_woken", "count")

/* RUNNING, RUNQUEUE, BLOCKED and UNACCOUNTED add up to LIFETIME, but for WALL_OVER_NS and
 * WALL_UNDER_NS. */
#define HISTOGRAM_VALUES_EACH(value) \
	HISTOGRAM_STACK_VALUES_EACH(value) \
	value(RUNNING, "running", "nanoseconds") /* on a CPU; CELL_LIVES */ \
	value(UNACCOUNTED, "unaccounted", "nanoseconds") /* not known; CELL_LIVES says why */ \
	value(LIFETIME, "lifetime", "nanoseconds") /* measured by itself; CELL_LIVES */ \
	value(ELAPSED, "elapsed", "nanoseconds") /* by how many threads were on a CPU */
/* clang-format on */

#define HISTOGRAM_VALUE_NUMBER(value, type, unit) VALUE_##value,
enum histogram_value { HISTOGRAM_VALUES_EACH(HISTOGRAM_VALUE_NUMBER) HISTOGRAM_VALUES };

/* Its name and unit in files: "blocked" in "nanoseconds"; and whose name TYPE is, HISTOGRAM_VALUES:
 * none's. */
const char *histogram_value_type(enum histogram_value value);
const char *histogram_value_unit(enum histogram_value value);
bool histogram_value_is_time(enum histogram_value value);
enum histogram_value histogram_value_called(const char *type);

/* So much of VALUE, which is in CELL's ticks. */
struct histogram_amount {
	struct histogram_cell cell;
	enum histogram_value value;
};

/* What is to be said of the account of all time; each adds up. */
enum wall_fact {
	WALL_THREADS,	    /* whose lives are in it; 0: there is no such account */
	WALL_STILL_BLOCKED, /* threads that were blocked at the end */
	WALL_OUTSIDE,	    /* threads whose parts differ from their lives by more than 0.1 % and
			       50 us */
	WALL_OVER_NS,	    /* by how much parts are more than lives, all added up, */
	WALL_UNDER_NS,	    /* and less */
	WALL_SAMPLED_NS,    /* of the blocked time: contexts are those of others like it */
	WALL_FULL_NS,	    /* without a context, for the table of waits was full */
	/* What events did not fit together, and was put right. */
	WALL_MISSED_IN,	  /* a thread left a CPU that it was not known to be on */
	WALL_MISSED_OUT,  /* a thread came to a CPU though it was known to be on one, or had left it
			     in between */
	WALL_MISSED_WAKE, /* a thread came to a CPU though it was known to be blocked */
	WALL_MISSED_SWITCH, /* a CPU was left by another thread, measured or not, than had come to
			       it */
	WALL_MISSED_NESTED, /* the kernel had an event while a program of profil's ran for another
			       of that kind on the same CPU, and kept it to itself */
	WALL_BACKWARDS,	    /* a time was before the one before it */
	WALL_SEEDED,	   /* a thread met in the middle of its life did not do what it seemed to */
	WALL_NOT_FOLLOWED, /* a thread for whose account there was no memory */
	WALL_FACTS,
};

/* Calls, where the program counts them itself; of the two cells only the place counts. */
struct histogram_call {
	struct histogram_cell caller, callee;
	bool has_caller; /* it is known */
	uint64_t count;
};

/* Whose a cell is: of all that cells can be split by, what they were split by. */
struct histogram_task {
	uint32_t pid, tid; /* tid 0: the whole process; pid 0, too: of any */
	char name[16];	   /* its comm, NUL-terminated, when last seen */
	uint32_t cpu;	   /* the CPU's number and 1; 0: of any */
	uint32_t cgroup;   /* the index in cgroups and 1; 0: of any */
	/* Of CELL_ANONYMOUS: which of the programs that the process executed one after another;
	 * later ones have larger numbers.  0: of any. */
	uint32_t exec;
	char *title; /* heap, of a process: its command line; NULL: not known */
};

/* Why a tick could not be charged to code.  Each has a counter and a sentence of its own. */
enum unresolved_reason {
	UNRESOLVED_NO_MAPPING,	  /* no mapping at the program counter */
	UNRESOLVED_MAP_BUSY,	  /* the memory map was being changed at the tick */
	UNRESOLVED_NO_MEMORY_MAP, /* a task without user memory at a user address */
	UNRESOLVED_FILES_FULL,	  /* more files than the table holds */
	UNRESOLVED_CELLS_FULL,	  /* cell table full, at an address of no file (kernel, vdso,
				     anonymous) */
	/* Of programs that measure themselves, with cells of a width and for a part of the text. */
	UNRESOLVED_NO_REGION,	 /* at an address for which there was no cell */
	UNRESOLVED_CELL_FULL,	 /* its cell was full, and stayed so or began again at 0 */
	UNRESOLVED_LOST,	 /* dropped by a ring, or the cells could not be written any more */
	UNRESOLVED_OVERFLOW_BIN, /* in the cell for all that lies in no other region */
	/* Where the kernel hands ticks over one by one. */
	UNRESOLVED_THROTTLED, /* it had slowed the clock down */
	UNRESOLVED_HIDDEN,    /* in kernel mode, which it does not tell */
	/* Where profil may see more than who runs it. */
	UNRESOLVED_GUARDED, /* in a program that this user may not look into */
	UNRESOLVED_REASONS,
};

/* The sentence for REASON, e.g. "the memory map was being changed". */
const char *unresolved_reason_text(enum unresolved_reason reason);

struct histogram {
	struct histogram_file *files;
	size_t file_count, file_capacity;
	struct histogram_cell *cells;
	size_t cell_count, cell_capacity;
	struct histogram_context *contexts;
	size_t context_count, context_capacity;
	struct histogram_function *functions;
	size_t function_count, function_capacity;
	struct histogram_amount *amounts;
	size_t amount_count, amount_capacity;
	struct histogram_task *tasks;
	size_t task_count, task_capacity;
	struct histogram_call *calls;
	size_t call_count, call_capacity;
	char **cgroups; /* control groups, paths from their hierarchy's root in rising order; heap
			 */
	size_t cgroup_count, cgroup_capacity;

	/* Which interpreters stand in the place of what they interpret, "Python 3.10"; NULL: none;
	 * heap. */
	char *unknown_python;

	char *program; /* the path of the main program's file, NULL: not known; heap */

	bool kernel_hidden; /* cells of the kernel's are all at address 0 */

	uint64_t fired;	   /* ticks that found a measured task, counted apart from the cells */
	uint64_t fired_ns; /* the sum of those ticks' periods, nanoseconds */
	uint64_t unresolved[UNRESOLVED_REASONS];
	uint64_t cpu_ns;   /* CPU time the measured tasks consumed, the kernel's own figure */
	bool cpu_at_least; /* it was more than that */
	/* Of an event in place of the clock: how often it came, 0: not known; and by how many
	 * counters that is known, each of which ends with less than a sample. */
	uint64_t counted, counters;
	uint64_t running;      /* measured processes that still run, 0: not known */
	uint64_t not_followed; /* tasks forked by measured ones that could not be followed */
	uint64_t untold;       /* records of mappings, names and tasks that were lost */
	uint64_t cpus_joined;  /* CPUs that came online: none has a clock from its first moment; */
	uint64_t unclocked_ns; /* how long they were without, all added up */
	uint64_t task_total;   /* tasks (threads) measured */
	uint64_t cell_limit;   /* size of the cell table */
	uint64_t whole_ns;     /* of a whole machine: how long it was counted, */
	uint64_t machine_ns;   /* and the time of all its CPUs that were online; else 0 */
	uint64_t wall[WALL_FACTS];
};

/* Free what HISTOGRAM owns and zero it; takes a zeroed one. */
void histogram_done(struct histogram *histogram);

/* Add a function called NAME, which begins at LINE of no file: *RET_INDEX is its index.  Returns 0
 * or -ENOMEM. */
int histogram_add_function(struct histogram *histogram, const char *name, uint32_t line,
			   uint32_t *ret_index);

/* Add AMOUNT of VALUE at CELL; 0 is nothing.  Returns 0 or -ENOMEM. */
int histogram_add_amount(struct histogram *histogram, const struct histogram_cell *cell,
			 enum histogram_value value, uint64_t amount);

/* Add that AT_ONCE threads were on CPUs for NS; 0 is nothing.  Returns 0 or -ENOMEM. */
int histogram_add_elapsed(struct histogram *histogram, uint32_t at_once, uint64_t ns);

/* The sum of everything that was charged somewhere: cells, overflow, unresolved.  The accounting
 * identity is histogram_charged() == histogram->fired. */
uint64_t histogram_charged(const struct histogram *histogram);
