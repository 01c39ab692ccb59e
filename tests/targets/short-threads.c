/* SPDX-License-Identifier: BSD-2-Clause */
/* short-threads [N]: N threads (600), one after the other, each of which spins for about 2 ms: a
 * clock that starts with each thread loses a third of this. */

#include "truth.h"

#include <pthread.h>

SPIN(static, spin_short);

static void *run(void *truth)
{
	truth_spin(truth, spin_short, 0.0018 * truth_jitter());
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 600;
	struct truth truth = {"spin_short"};

	truth_begin();
	for (int i = 0; i < count; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, run, &truth) || pthread_join(thread, NULL))
			truth_fail("pthread_create");
	}
	truth_print(&truth);
	return 0;
}
