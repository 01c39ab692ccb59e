/* SPDX-License-Identifier: BSD-2-Clause */
/* Four threads at once, named for what they do: three in spin_three, one in spin_one.
 * split-threads SECONDS: each spins half of them. */

#include "truth.h"

#include <pthread.h>
#include <stdlib.h>

SPIN(static, spin_three);
SPIN(static, spin_one);

static double seconds = TRUTH_SECONDS;

static void *run_three(void *unused)
{
	struct truth truth = {"spin_three"};

	pthread_setname_np(pthread_self(), "three");
	truth_spin(&truth, spin_three, seconds / 2);
	truth_print(&truth);
	return unused;
}

static void *run_one(void *unused)
{
	struct truth truth = {"spin_one"};

	pthread_setname_np(pthread_self(), "one");
	truth_spin(&truth, spin_one, seconds / 2);
	truth_print(&truth);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];

	if (argc > 1)
		seconds = atof(argv[1]);
	truth_begin();
	for (int i = 0; i < 4; i++) {
		if (pthread_create(&threads[i], NULL, i < 3 ? run_three : run_one, NULL))
			truth_fail("pthread_create");
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
