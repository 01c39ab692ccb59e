/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/inside/inside.h"

/* Where libprofil and the object that needs libbpf meet. */

#define KERNEL_OBJECT_FILE "libprofil-kernel.so.0"
#define KERNEL_OBJECT_SYMBOL "profil_inside_kernel"

/* One running measurement, the object's own. */
struct kernel_run;

/* Descriptors are those of the thread that starts it, which should have a table of its own: all
 * that has to do with them is done there. */
struct kernel_object {
	int (*probe)(const struct inside_options *options, struct error *reterr);

	/* TID: the thread to be measured, as this process knows it; 0: all. */
	int (*start)(const struct inside_options *options, pid_t tid, struct kernel_run **ret_run,
		     struct error *reterr);

	/* All but the CPU time, which is 0.  In any thread. */
	void (*account)(struct kernel_run *run, struct inside_account *ret_account);

	/* In the thread that started it.  No cell is written after it returns, and all pages are
	 * the program's again.  Frees RUN; *RET_ACCOUNT is its last word. */
	void (*stop)(struct kernel_run *run, struct inside_account *ret_account);

	/* Around fork(2), in the forking thread: what a child shall find in the cells, and the
	 * account of it (without CPU time); in the parent; in the child, which leaves nothing. */
	void (*fork_prepare)(struct kernel_run *run, struct inside_account *ret_account);
	void (*fork_parent)(struct kernel_run *run);
	void (*fork_child)(struct kernel_run *run);
};

/* The engine, for a library of VERSION (PROFIL_VERSION), or NULL if the object is of another one:
 * their structures may differ. */
const struct kernel_object *profil_inside_kernel(const char *version)
	__attribute__((visibility("default")));
