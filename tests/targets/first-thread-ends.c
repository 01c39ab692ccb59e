/* SPDX-License-Identifier: BSD-2-Clause */
/* first-thread-ends [SECONDS]: what split does, in a second thread, when the first has ended. */

#include "truth.h"

#include <pthread.h>

SPIN(static, spin_three);
SPIN(static, spin_one);

static pthread_t first;
static double seconds = TRUTH_SECONDS;

static void *run(void *unused)
{
	struct truth three = {"spin_three"}, one = {"spin_one"};

	pthread_join(first, NULL);
	truth_split(&three, spin_three, &one, spin_one, seconds);
	exit(unused != NULL);
}

int main(int argc, char **argv)
{
	pthread_t second;

	if (argc > 1)
		seconds = atof(argv[1]);
	truth_begin();
	first = pthread_self();
	if (pthread_create(&second, NULL, run, NULL))
		truth_fail("pthread_create");
	pthread_exit(NULL);
}
