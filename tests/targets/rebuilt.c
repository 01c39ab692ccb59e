/* SPDX-License-Identifier: BSD-2-Clause */
/* One program in three builds (BUILD is the function's name), which a test puts at one path, one
 * after the other, within one measurement. */

#include "truth.h"

#define NAME_OF(function) #function
#define NAME(function) NAME_OF(function)

SPIN(static, BUILD);

int main(void)
{
	struct truth truth = {NAME(BUILD)};

	truth_begin();
	truth_spin(&truth, BUILD, TRUTH_SECONDS);
	truth_print(&truth);
	return 0;
}
