/* SPDX-License-Identifier: BSD-2-Clause */
/* reloads TURNS LIBRARY: loads it, calls it and closes it, each time at other addresses, while
 * another thread has children, each of which ends at once. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

static void *have_children(void *unused)
{
	for (;;) {
		pid_t child = fork();

		if (!child)
			raise(SIGKILL);
		if (child > 0)
			waitpid(child, NULL, 0);
	}
	return unused;
}

static void turn(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	double (*spin)(double);

	if (!library)
		exit(1);
	*(void **)&spin = dlsym(library, "spin_library");
	(void)spin(0.0001);
	(void)dlclose(library);
	mmap((void *)((uintptr_t)spin & ~(uintptr_t)(PAGE - 1)), PAGE, PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 3 || pthread_create(&thread, NULL, have_children, NULL))
		return 1;
	for (int i = 0; i < atoi(argv[1]); i++)
		turn(argv[2]);
	return 0;
}
