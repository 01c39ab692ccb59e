/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "base/strings.h"
#include "histogram/histogram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A profile: cells, the mappings they lie in, what the addresses are called where that was found
 * out, and how it was all taken.  All text is a number in the profile's strings. */

/* The first line of every report: whose time was it? */
enum profile_class {
	CLASS_PROGRAM,
	CLASS_LIBRARIES,
	CLASS_KERNEL,
	CLASS_VDSO,
	CLASS_ANONYMOUS,
	CLASS_UNRESOLVED,
	CLASS_IDLE, /* of a whole machine: CPUs that had nothing to run */
	/* Of a DOS program: in DOS, below it (the BIOS's and the drivers' part), above the program.
	 */
	CLASS_DOS,
	CLASS_IO,
	CLASS_HIGH,
	/* Of callers alone: functions of Python, which have a name and no address. */
	CLASS_PYTHON,
	/* Of amounts alone: what threads waited for, and what else became of their time. */
	CLASS_TIME,
	PROFILE_CLASSES,
};

/* "program", "libraries", "kernel", "vdso", "anonymous", "unresolved", "idle", "dos",
 * "I/O", "high", "python", "time". */
const char *profile_class_name(enum profile_class class);

struct profile_mapping {
	enum profile_class class;
	uint32_t path;	   /* string: the file, or "[kernel]", "[vdso]", "[anon]", "[unresolved]" */
	uint32_t build_id; /* string, hexadecimal, "" when unknown */
	uint32_t note;	   /* string: why addresses have no names, "" when they may have */
	uint64_t start,
		limit;	 /* addresses; limit exclusive.  The file's own (p_vaddr), not ASLR's */
	uint64_t offset; /* in the file, of start */
	struct file_identity identity; /* all 0 when it is no file or from elsewhere */
	/* String: what stands before the path of a file of another mount namespace to open it here
	 * and now, "/proc/PID/root"; "": nothing.  Not written to files. */
	uint32_t root;
};

/* What a location stands for. */
enum location_kind {
	LOCATION_ADDRESS,  /* code at .address */
	LOCATION_OVERFLOW, /* code of the mapping's file, address not kept: the cell table was full
			    */
	LOCATION_UNRESOLVED, /* .address is an enum unresolved_reason */
};

struct profile_line {
	uint32_t function; /* index in functions */
	uint32_t line;	   /* 0 when unknown */
};

struct profile_location {
	enum location_kind kind;
	uint32_t mapping; /* index in mappings */
	uint64_t address; /* the mapping's own address space, see start */
	/* Innermost inlined frame first, the function that stands in the symbol table last.
	 * None when names were not resolved (--raw). */
	uint32_t first_line, line_count; /* in lines */
	bool inlined; /* a frame inside its caller's function (analysis/inlines.h); not in files */
};

struct profile_function {
	uint32_t name; /* string, demangled */
	/* String, as the linker sees it.  "": it has no name, and .name says where it is,
	 * "libx.so+0x1234". */
	uint32_t system_name;
	uint32_t file; /* string, source path, "" when unknown */
	uint32_t start_line;
};

#define PROFILE_NO_TASK UINT32_MAX

/* The most ticks that can be counted, in a cell or in all: a file's numbers have a sign. */
#define TICKS_MAX ((uint64_t)INT64_MAX)

/* LEFT + RIGHT, each at most TICKS_MAX, held there.  In whatever order ticks are added up, the sum
 * is the same, and where a cell is full, so is the whole: the accounting identity holds. */
static inline uint64_t ticks_add(uint64_t left, uint64_t right)
{
	return left + right < TICKS_MAX ? left + right : TICKS_MAX;
}

/* A calling context: a call that was on the stack, and with its parents the whole stack above.  No
 * two are equal, and parents come first: so all stacks together are a tree, and no stack is kept by
 * itself. */
struct profile_context {
	uint32_t parent;   /* its caller's index in contexts and 1; 0: none is known */
	uint32_t location; /* index in locations: the call; where INTERRUPTED what was next */
	bool interrupted;  /* by a signal or by entering the kernel: it did not call */
	bool folded;	   /* stands for several calls of one function in a row */
};

/* What is counted beside samples, "blocked" in "nanoseconds". */
struct profile_value {
	uint32_t type, unit; /* strings */
};

struct profile_cell {
	uint32_t location; /* index in locations */
	uint32_t task;	   /* index in tasks, or PROFILE_NO_TASK */
	uint64_t ticks;	   /* samples, or how much of .value */
	uint32_t context;  /* who called: the index in contexts and 1; 0: none is known */
	enum stack_end stack_end : 8;
	uint32_t value : 24; /* what it counts: the index in values and 1; 0: samples */
};

#define PROFILE_VALUES_MAX ((1 << 24) - 1)

#define PROFILE_NO_CALLER UINT32_MAX

/* Who called whom, how often: counted by the program itself (-pg), call by call, and apart from
 * ticks, which it does not touch. */
struct profile_call {
	uint32_t caller; /* index in locations: the call; PROFILE_NO_CALLER: it is not known */
	uint32_t callee; /* index in locations: somewhere in the function called */
	uint64_t count;	 /* at most TICKS_MAX, and added up as ticks are */
};

/* Whose cells are: of all that they can be split by, what they were split by. */
struct profile_task {
	uint32_t pid, tid; /* tid 0: the whole process; pid 0, too: of any */
	uint32_t name;	   /* string */
	uint32_t cpu;	   /* the CPU's number and 1; 0: of any */
	uint32_t cgroup;   /* string, the path of a control group; "": of any */
	uint32_t title; /* string, the process's command line as it was at the end; "": not known */
};

/* How it was taken.  Strings are numbers; 0 where a profile from elsewhere does not say. */
struct profile_facts {
	uint32_t producer;	 /* "profil 0.1.0" */
	uint32_t command;	 /* the command line */
	uint32_t engine;	 /* "kernel" */
	uint32_t event;		 /* "cpu-clock" */
	uint32_t clock;		 /* "machine" or "task" */
	uint32_t system;	 /* kernel release and machine */
	uint32_t no_stacks;	 /* why there are none, if not by wish; "": another case */
	uint32_t unknown_python; /* interpreters whose functions are not known, ", " between */
	int64_t time_ns;	 /* when it began, since the epoch */
	uint64_t duration_ns;
	uint64_t period_ns; /* the mean where it was dithered */
	uint64_t period;    /* of samples of an event in place of the clock: how many a sample is */
	uint64_t counted;   /* of these: how often it came by the kernel's count, 0: not known; */
	uint64_t counters;  /* by so many counters, each of which ends with less than a sample */
	uint64_t asked_ns;  /* where it was dithered: the period it was drawn around, else 0 */
	uint64_t runs;	    /* of a merged profile: how many it is the sum of; else 0 */
	uint64_t samples_ns;   /* where it was dithered: the sum of all ticks' periods, else 0 */
	uint64_t samples;      /* must equal the sum of the cells */
	uint64_t cpu_ns;       /* CPU time consumed, the kernel's figure; 0 = not known */
	uint64_t remainder_ns; /* with a task clock: CPU time its ticks could not see */
	uint64_t stolen_ns;    /* taken from all CPUs by a hypervisor meanwhile */
	uint64_t machine_ns;   /* of a whole machine: the time of all its CPUs, else 0 */
	uint64_t idle_ns;      /* of that, what the kernel says was idle */
	uint64_t unclocked_ns; /* how long CPUs that came online had no clock, all added up */
	uint64_t wall[WALL_FACTS]; /* of the account of all time */
	uint64_t task_total, not_followed, untold, cpus_joined, cell_limit;
	uint64_t cell_size;    /* bytes of code that a cell stands for; 0: one address */
	uint64_t left_running; /* processes that outlived the program, and were not waited for */
	bool cpu_at_least;     /* CPU_NS is a lower bound */
	bool partial;	       /* a snapshot: the program was still running */
	bool part;	       /* what passed a filter: of .wall only threads are known, or 0 */
	bool foreign;	       /* read from a pprof file that profil did not write */
};

/* The period that was asked for, which makes ticks of two profiles the same thing or not: where it
 * was dithered, the mean is another in each run. */
static inline uint64_t facts_asked(const struct profile_facts *facts)
{
	return facts->asked_ns ? facts->asked_ns : facts->period_ns;
}

/* What a sample stands for: nanoseconds, or events. */
static inline uint64_t facts_period(const struct profile_facts *facts)
{
	return facts->period ? facts->period : facts->period_ns;
}

struct profile {
	struct strings *strings;
	struct profile_facts facts;
	struct profile_mapping *mappings;
	size_t mapping_count, mapping_capacity;
	struct profile_location *locations;
	size_t location_count, location_capacity;
	struct profile_line *lines;
	size_t line_count, line_capacity;
	struct profile_function *functions;
	size_t function_count, function_capacity;
	struct profile_task *tasks;
	size_t task_count, task_capacity;
	struct profile_cell *cells; /* of samples, or of .value */
	size_t cell_count, cell_capacity;
	struct profile_value *values; /* what else is counted, and */
	size_t value_count, value_capacity;
	struct profile_cell *amounts; /* cells of that; where a place has none, it is 0 */
	size_t amount_count, amount_capacity;
	struct profile_context *contexts;
	size_t context_count, context_capacity;
	struct profile_call *calls;
	size_t call_count, call_capacity;
	/* What a view has in .cells instead of samples: the enum histogram_value and 1; 0.  Not
	 * written to files. */
	uint32_t value;
	/* It may hold what only its taker may see, whatever can be seen of that in it.  Not written
	 * to files: their mode says it. */
	bool is_private;
};

/* A new empty profile, or NULL when memory is short.  profile_free() takes NULL, returns NULL. */
struct profile *profile_new(void);
struct profile *profile_free(struct profile *profile);

/* TEXT as a number in the profile's strings.  Returns 0 or -ENOMEM. */
int profile_string(struct profile *profile, const char *text, uint32_t *ret_id);
const char *profile_text(const struct profile *profile, uint32_t id);

/* Whether NAME only says where something is, "libx.so+0x1234": for texts from elsewhere, which do
 * not say it otherwise. */
bool profile_says_address(const char *name);

/* The process of a mapping called PATH, "[anon] node (123)"; 0: it does not say.  *RET_EXEC: which
 * of the programs that it executed one after another, 1 in "[anon] node (123, exec 1)". */
uint32_t profile_anonymous_pid(const char *path, uint32_t *ret_exec);

/* Append one; *RET_INDEX is its index.  Returns 0 or -ENOMEM. */
int profile_add_mapping(struct profile *profile, const struct profile_mapping *mapping,
			uint32_t *ret_index);
int profile_add_location(struct profile *profile, const struct profile_location *location,
			 uint32_t *ret_index);
int profile_add_function(struct profile *profile, const struct profile_function *function,
			 uint32_t *ret_index);
int profile_add_line(struct profile *profile, const struct profile_line *line, uint32_t *ret_index);
int profile_add_task(struct profile *profile, const struct profile_task *task, uint32_t *ret_index);
int profile_add_context(struct profile *profile, const struct profile_context *context,
			uint32_t *ret_index);
int profile_add_value(struct profile *profile, const struct profile_value *value,
		      uint32_t *ret_index);
/* The number of VALUE among the values of PROFILE and 1, as amounts have it; 0: it counts no such
 * thing. */
uint32_t profile_counts(const struct profile *profile, enum histogram_value value);
/* To the cells, or to the amounts where CELL does not count samples. */
int profile_add_cell(struct profile *profile, const struct profile_cell *cell);
int profile_add_call(struct profile *profile, const struct profile_call *call);

/* Ticks by class, and their sum (which the accounting identity compares with facts.samples). */
struct profile_account {
	uint64_t ticks[PROFILE_CLASSES];
	uint64_t total;
	uint64_t overflow; /* of these, ticks whose address was not kept */
	uint64_t unresolved[UNRESOLVED_REASONS];
	/* Which classes there can be: those of Linux or, where the profile is of a DOS program,
	 * those of DOS; and any that has ticks, which is when CPUs were idle. */
	bool listed[PROFILE_CLASSES];
};
void profile_account(const struct profile *profile, struct profile_account *ret_account);

/* Whether LOCATION is one of code whose address is known: what is idle is no code. */
bool profile_is_code(const struct profile *profile, const struct profile_location *location);

/* The function that LOCATION is in: that of the symbol table, with all that was inlined into it.
 * This is what every view means by a function.  NULL where there is none that has a name. */
const struct profile_function *profile_function_of(const struct profile *profile,
						   const struct profile_location *location);

/* The innermost function that was inlined at LOCATION, NULL where none was. */
const struct profile_function *profile_inlined_at(const struct profile *profile,
						  const struct profile_location *location);

/* How a file is to be made of PROFILE or of anything in it (enum replace_how): for its owner alone
 * where it is private or has addresses of the kernel's, by which the kernel's place in memory is
 * known. */
unsigned profile_privacy(const struct profile *profile);

/* true when names were resolved: at least one location has lines. */
bool profile_has_names(const struct profile *profile);

/* Turn an engine's histogram into a profile without names: one mapping per text segment of each
 * file, addresses as the file itself counts them.  HISTOGRAM is only read.
 * Looks at each file on disk (target/module.h); a file that has changed keeps its file offsets as
 * addresses and gets a note.  Facts that HISTOGRAM holds are filled in; the rest is the caller's.
 * Returns 0 or -ENOMEM. */
int profile_from_histogram(const struct histogram *histogram, struct profile **ret_profile);
