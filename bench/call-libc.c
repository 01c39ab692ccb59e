// SPDX-License-Identifier: BSD-2-Clause
/* The C library's profil(3). */
#include "call.h"
#include "libc-profil.h"

#include <dlfcn.h>
#include <sys/time.h>

static uint16_t cells[CALL_CELLS];

typeof(int (*)(unsigned short *, size_t, size_t, unsigned)) libc_profil(void)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), *profil;

	profil = libc ? dlsym(libc, "profil") : NULL;
	if (!profil)
		call_refuse("libc", "it has no profil()");
	return (typeof(libc_profil()))profil;
}

/* It takes no rate; it goes by ITIMER_PROF, which is given another one behind its back. */
static void start(unsigned long rate)
{
	struct timeval tick = {.tv_usec = (suseconds_t)(1000000 / rate)};

	if (libc_profil()(cells, sizeof(cells), work_text(), 65536) ||
	    setitimer(ITIMER_PROF, &(struct itimerval){tick, tick}, NULL))
		call_refuse("libc", "profil() fails");
}

static uint64_t stop(uint64_t ret_counts[static WORK_COPIES])
{
	libc_profil()(NULL, 0, 0, 0);
	return call_sum(cells, 16, ret_counts);
}

const struct call call_libc = {"libc", start, stop};
