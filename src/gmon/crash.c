// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/crash.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STACK_SIZE 131072

/* Those that end a process, but SIGKILL, timers' SIGPROF and the real-time ones. */
static const int fatal[] = {SIGSEGV, SIGBUS,	SIGFPE,	 SIGILL,  SIGTRAP, SIGABRT,
			    SIGSYS,  SIGHUP,	SIGINT,	 SIGQUIT, SIGTERM, SIGPIPE,
			    SIGALRM, SIGVTALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ};

static void (*last_word)(void);

/* The signal is blocked until the handler returns; then the second one ends the process, with the
 * status and the core that the first one would have had. */
static void crash(int number)
{
	struct sigaction normal = {.sa_handler = SIG_DFL};

	(void)sigaction(number, &normal, NULL);
	last_word();
	(void)syscall(SYS_tgkill, getpid(), gettid(), number);
}

/* Where the first thread's stack has overflowed there is no room on it.  One that the program has
 * is left to it. */
static void give_stack(void)
{
	stack_t now, stack = {.ss_size = STACK_SIZE};

	if (sigaltstack(NULL, &now) || !(now.ss_flags & SS_DISABLE))
		return;
	stack.ss_sp =
		mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack.ss_sp != MAP_FAILED)
		(void)sigaltstack(&stack, NULL);
}

static void take(int number)
{
	struct sigaction now, ours = {.sa_handler = crash, .sa_flags = SA_ONSTACK};

	sigfillset(&ours.sa_mask);
	/* One that comes while it writes ends the process at once: there is nothing better. */
	for (size_t i = 0; i < sizeof(fatal) / sizeof(*fatal); i++)
		sigdelset(&ours.sa_mask, fatal[i]);
	if (!sigaction(number, NULL, &now) && now.sa_handler == SIG_DFL)
		(void)sigaction(number, &ours, NULL);
}

void crash_watch(void (*last)(void))
{
	const char *wish = getenv("PROFIL_ON_CRASH");

	if (!wish || strcmp(wish, "1") != 0)
		return;
	last_word = last;
	give_stack();
	for (size_t i = 0; i < sizeof(fatal) / sizeof(*fatal); i++)
		take(fatal[i]);
}
