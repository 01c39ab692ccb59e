/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/kernel/python.h"

#include <stdbool.h>

/* What is known of a file that is an interpreter of Python. */
struct python_file {
	bool is_known;
	struct kernel_python offsets; /* where it is known */
	char why_not[40];	      /* else: "Python 3.10" or what else it is */
};

/* Whether the ELF file FD is an interpreter of Python, and which.  Reads its symbols; what it says
 * is checked against what the BPF program may read. */
bool python_file_read(int fd, struct python_file *ret_file);
