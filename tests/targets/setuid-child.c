/* SPDX-License-Identifier: BSD-2-Clause */
/* Says who it is, "uid N euid N", and works.  A test makes a copy of it setuid. */

#include "truth.h"

SPIN(static, spin_setuid);

int main(void)
{
	struct truth truth = {"spin_setuid"};

	printf("uid %d euid %d\n", (int)getuid(), (int)geteuid());
	fflush(stdout);
	truth_begin();
	truth_spin(&truth, spin_setuid, TRUTH_SECONDS);
	truth_print(&truth);
	return 0;
}
