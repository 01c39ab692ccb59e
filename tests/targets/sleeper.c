/* SPDX-License-Identifier: BSD-2-Clause */
/* Sleeps for half a second and uses no CPU time worth the name: no tick is due. */

#include "truth.h"

int main(void)
{
	const struct timespec half = {.tv_nsec = 500000000};
	struct truth truth = {"main", .runs = 1};

	nanosleep(&half, NULL);
	truth.seconds = truth_clock();
	truth_print(&truth);
	return 0;
}
