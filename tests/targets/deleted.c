/* SPDX-License-Identifier: BSD-2-Clause */
/* Deletes its own file, then works: give it a copy. */

#include "truth.h"

SPIN(static, spin_deleted);

int main(int argc, char **argv)
{
	struct truth truth = {"spin_deleted"};

	if (argc < 1 || unlink(argv[0]) != 0)
		truth_fail("unlink");
	truth_begin();
	truth_spin(&truth, spin_deleted, TRUTH_SECONDS);
	truth_print(&truth);
	return 0;
}
