/* SPDX-License-Identifier: BSD-2-Clause */
/* split [SECONDS]: two functions, 3:1, in one thread.  Also built static, and for 32 bits. */

#include "truth.h"

SPIN(static, spin_three);
SPIN(static, spin_one);

int main(int argc, char **argv)
{
	struct truth three = {"spin_three"}, one = {"spin_one"};

	truth_begin();
	truth_split(&three, spin_three, &one, spin_one, argc > 1 ? atof(argv[1]) : TRUTH_SECONDS);
	return 0;
}
