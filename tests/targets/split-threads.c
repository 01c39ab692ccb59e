/* SPDX-License-Identifier: BSD-2-Clause */
/* Four threads at once, named for what they do: three in spin_three, one in spin_one. */

#include "truth.h"

#include <pthread.h>

SPIN(static, spin_three);
SPIN(static, spin_one);

static void *run_three(void *unused)
{
	struct truth truth = {"spin_three"};

	pthread_setname_np(pthread_self(), "three");
	truth_spin(&truth, spin_three, TRUTH_SECONDS / 2);
	truth_print(&truth);
	return unused;
}

static void *run_one(void *unused)
{
	struct truth truth = {"spin_one"};

	pthread_setname_np(pthread_self(), "one");
	truth_spin(&truth, spin_one, TRUTH_SECONDS / 2);
	truth_print(&truth);
	return unused;
}

int main(void)
{
	pthread_t threads[4];

	truth_begin();
	for (int i = 0; i < 4; i++) {
		if (pthread_create(&threads[i], NULL, i < 3 ? run_three : run_one, NULL))
			truth_fail("pthread_create");
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
