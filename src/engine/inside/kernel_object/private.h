/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_ENGINE_INSIDE_KERNEL_OBJECT_PRIVATE_H
#define PROFIL_ENGINE_INSIDE_KERNEL_OBJECT_PRIVATE_H

/* A measurement, shared by what makes it (load.c), asks it (account.c) and runs it (object.c). */

#include "count.skel.h"
#include "engine/clock.h"
#include "engine/inside/inside.h"
#include "engine/inside/kernel_object/count.h"
#include "engine/inside/kernel_object/extents.h"

#include <time.h>

struct inside {
	struct count *count; /* the skeleton */
	struct extents extents;
	void *area;	      /* all of the map where the kernel counts; not the program's buffer */
	struct clocks clocks; /* one per CPU */
	int *links;	      /* of the counting program to each of these */
	size_t link_count;
	size_t cpu_count;
	clockid_t cpu_clock; /* of the measured threads */
	uint64_t cpu_before, cpu_now;
};

/* Load the counting program for OPTIONS, and its maps with the table; needs the extents. */
int load_count(struct inside *inside, const struct inside_options *options, struct error *reterr);

/* From now on CPU time of the measured threads counts. */
int account_begin(struct inside *inside, bool this_thread);

int account_read(struct inside *inside, struct inside_account *ret_account);

#endif
