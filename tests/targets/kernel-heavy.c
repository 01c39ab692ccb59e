/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads zeros, a megabyte a call: the kernel fills them in, the program does next to nothing. */

#include "truth.h"

#include <fcntl.h>

int main(void)
{
	static char buffer[1 << 20];
	struct truth truth = {"kernel"};
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	double start = truth_clock();

	if (zero < 0)
		truth_fail("/dev/zero");
	while (truth_clock() - start < TRUTH_SECONDS) {
		for (int i = 0; i < 20; i++) {
			if (read(zero, buffer, sizeof(buffer)) < 0)
				truth_fail("read");
		}
	}
	truth.seconds = truth_clock() - start;
	truth.runs = 1 + truth_switches();
	truth_print(&truth);
	return 0;
}
