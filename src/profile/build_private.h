/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Shared by what makes a profile of a histogram: build.c and build_tasks.c. */

#include "profile/builder.h"
#include "profile/file_map.h"
#include "profile/profile.h"

#define NONE UINT32_MAX

/* A program that a process has executed, by which code of no file goes. */
struct build_image {
	const struct histogram_task *named; /* that has its name and process */
	uint32_t exec;	  /* how many of the process were before it that have such code */
	uint32_t mapping; /* NONE: not there yet */
};

struct build {
	const struct histogram *histogram;
	struct builder builder;
	struct file_map *files; /* one each of the histogram's */
	struct mounts mounts;	/* that files lie in */
	uint32_t *tasks;	/* of each of the histogram's tasks, the profile's number */
	uint32_t *image_of;	/* the same, of the images */
	struct build_image *images;
	uint32_t *contexts; /* of each of the histogram's contexts and 1, the builder's number */
	uint32_t spaces[CELL_SPACES]; /* the mapping of each space that has one only */
};

/* Number the tasks in their own order; two that nothing tells apart (a process number that was
 * used again, by a program of the same name) become one.  Returns 0 or -ENOMEM. */
int build_number_tasks(struct build *build);
