/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "profile/profile.h"

/* The part of a profile that some of its processes or threads have. */

struct filter {
	uint32_t pid, tid; /* 0: any */
	const char *comm;  /* the name of a process or thread; NULL: any */
};

static inline bool filter_is_set(const struct filter *filter)
{
	return filter->pid || filter->tid || filter->comm;
}

/* Take out of PROFILE what does not pass FILTER: the rest is a profile of its own, whose account
 * holds, whose command line says what it is a part of, and of which no CPU time is known.  Returns
 * 0, -ENOMEM, -EINVAL with a sentence where it does not keep them apart, or -ENOENT with a sentence
 * where nothing passes. */
int filter_apply(const struct filter *filter, struct profile *profile, struct error *reterr);

/* Returns 0, or -ENOENT with a sentence where PROFILE counts nothing of VALUE. */
int filter_counts(const struct profile *profile, enum histogram_value value, struct error *reterr);

/* What PROFILE counts of VALUE as cells, which a shallow copy of it may have in place of samples.
 * *RET_CELLS is heap.  Returns 0 or -ENOMEM. */
int filter_cells(const struct profile *profile, enum histogram_value value,
		 struct profile_cell **ret_cells, size_t *ret_count);

/* What TICKS of PROFILE stand for, in nanoseconds: each for a period. */
uint64_t filter_time(const struct profile *profile, uint64_t ticks);

/* *RET_OF_TIME becomes a shallow copy of PROFILE whose cells, heap, are the time of threads in
 * nanoseconds: on CPUs, each sample for a period, and with WAITS what it counts waiting for one and
 * blocked.  Returns 0 or -ENOMEM. */
int filter_thread_time(const struct profile *profile, bool waits, struct profile *ret_of_time);

/* Each wait among the cells of PROFILE becomes that of who called the kernel, where it is known:
 * the reason is no code. */
void filter_to_callers(struct profile *profile);

/* The cells of PROFILE become what it counts of VALUE instead of samples: all views of cells are
 * then of that.  Returns 0, -ENOMEM, or what filter_counts() does. */
int filter_value(enum histogram_value value, struct profile *profile, struct error *reterr);

/* The same for what has no function on its call stack whose name PATTERN, an extended regex,
 * matches.  PROFILE has its names.  Returns as filter_apply() does, -EINVAL also for a bad regex.
 */
int filter_under(const char *pattern, struct profile *profile, struct error *reterr);

/* The same for what is not code of the file NAME, its base name or its path; call stacks are left
 * as they are. */
int filter_object(const char *name, struct profile *profile, struct error *reterr);
