// SPDX-License-Identifier: BSD-2-Clause
/* Spins at the end of many kinds of call, each in a function of its own, which thus says what its
 * call stack must be (tests/cli/test_stacks.py): a name tells its callers.
 * stacks [TURNS]: it says when one is over. */
#include "leaf.h"

#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/time.h>

LEAF(k_down_1);
LEAF(k_down_20);
LEAF(k_down_100);
LEAF(k_down_200);
LEAF(k_mutual_end);
LEAF(k_array_end);
LEAF(k_aligned_end);
LEAF(k_alloca_end);
LEAF(k_jump_end);
LEAF(k_many_end);
LEAF(k_thread_end);
LEAF(k_compare_end);
LEAF(k_handler_end);
LEAF(k_other_handler_end);
LEAF(k_under_alarm);

NOINLINE static void k_down(int depth, leaf *end)
{
	if (depth > 1)
		k_down(depth - 1, end);
	else
		end();
	after++;
}

NOINLINE static void k_odd(int depth);

NOINLINE static void k_even(int depth)
{
	if (depth)
		k_odd(depth - 1);
	else
		k_mutual_end();
	after++;
}

NOINLINE static void k_odd(int depth)
{
	k_even(depth - 1);
	after++;
}

NOINLINE static void k_array(int count)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvla"
	volatile char room[count * 100 + 1];
#pragma GCC diagnostic pop

	room[count] = 1;
	k_array_end();
	after += room[count];
}

NOINLINE static void k_aligned(int count)
{
	volatile char __attribute__((aligned(256))) room[512];

	room[count] = 1;
	k_aligned_end();
	after += room[count];
}

NOINLINE static void k_alloca(int count)
{
	for (int i = 0; i < count; i++) {
		volatile char *room = alloca(5000);

		room[i] = 1;
		after += room[i];
	}
	k_alloca_end();
	after++;
}

NOINLINE static void k_jump(void)
{
	k_jump_end(); /* it becomes a jump where the compiler optimizes */
}

NOINLINE static void k_before_jump(void)
{
	k_jump();
	after++;
}

/* All registers that a function must keep are in use. */
NOINLINE static unsigned long k_many(unsigned long a)
{
	unsigned long b = a * after, c = b + a, d = c * b, e = d + c, f = e * a, g = f + b;

	k_many_end();
	return a + b * c + d * e + f * g;
}

static int k_compare(const void *a, const void *b)
{
	if (after++ % 16 == 0)
		k_compare_end();
	return *(const int *)a - *(const int *)b;
}

static void *k_thread(void *context)
{
	(void)context;
	k_thread_end();
	after++;
	return NULL;
}

#if defined(__x86_64__)
#define NEXT REG_RIP
#elif defined(__i386__)
#define NEXT REG_EIP
#endif

/* An alarm may also come where k_alarms() itself is at work: that is another path. */
static int is_under_alarm(const void *context)
{
#if defined(NEXT)
	const ucontext_t *at = context;

	return (uintptr_t)at->uc_mcontext.gregs[NEXT] - (uintptr_t)k_under_alarm < 96;
#else
	(void)context;
	return 1;
#endif
}

static void k_handler(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	if (is_under_alarm(context))
		k_handler_end();
	after++;
}

static void k_other_handler(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	if (is_under_alarm(context))
		k_other_handler_end();
	after++;
}

static void begin_alarms(int flags, void (*handler)(int, siginfo_t *, void *))
{
	struct itimerval every = {{0, 60000}, {0, 10000}};
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};

	sigaction(SIGVTALRM, &action, NULL);
	setitimer(ITIMER_VIRTUAL, &every, NULL);
}

#if defined(__x86_64__) || defined(__i386__)
LEAF(k_fault_end);

/* It is interrupted at its first instruction: the one before is another function's. */
__asm__(".text\n"
	".type k_before_fault, @function\n"
	"k_before_fault:\n"
	".cfi_startproc\n"
	" ret\n"
	".cfi_endproc\n"
	".size k_before_fault, . - k_before_fault\n"
	".type k_fault, @function\n"
	"k_fault:\n"
	".cfi_startproc\n"
	" ud2\n"
	" ret\n"
	".cfi_endproc\n"
	".size k_fault, . - k_fault\n");
void k_fault(void);

static void k_fault_handler(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	k_fault_end();
	((ucontext_t *)context)->uc_mcontext.gregs[NEXT] += 2; /* over ud2 */
}

NOINLINE static void k_faults(void)
{
	struct sigaction action = {.sa_sigaction = k_fault_handler, .sa_flags = SA_SIGINFO};

	sigaction(SIGILL, &action, NULL);
	k_fault();
	after++;
}
#else
static void k_faults(void)
{
}
#endif

/* A leaf function, which puts nothing on the stack, is interrupted. */
NOINLINE static void k_alarms(void)
{
	static char other[65536];
	stack_t stack = {.ss_sp = other, .ss_size = sizeof(other)};
	struct itimerval none = {0};

	begin_alarms(0, k_handler);
	for (int i = 0; i < 4; i++)
		k_under_alarm();
	sigaltstack(&stack, NULL);
	begin_alarms(SA_ONSTACK, k_other_handler);
	for (int i = 0; i < 4; i++)
		k_under_alarm();
	setitimer(ITIMER_VIRTUAL, &none, NULL);
}

NOINLINE static void k_threads(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, k_thread, NULL))
		pthread_join(thread, NULL);
}

/* The kernel works for it. */
NOINLINE static void k_read_end(void)
{
	const size_t size = 1 << 20;
	double until = truth_clock() + 0.02;
	FILE *zeros = fopen("/dev/zero", "r");
	char *room = malloc(size);

	while (zeros && room && truth_clock() < until)
		after += (unsigned long)read(fileno(zeros), room, size);
	free(room);
	if (zeros)
		(void)fclose(zeros);
}

NOINLINE static void k_reads(void)
{
	k_read_end();
	after++;
}

NOINLINE static void k_sort(void)
{
	int numbers[24];

	for (int i = 0; i < 24; i++)
		numbers[i] = i * 7919 % 24;
	qsort(numbers, 24, sizeof(*numbers), k_compare);
	after++;
}

static void every_kind(void)
{
	k_down(1, k_down_1);
	k_down(20, k_down_20);
	k_down(100, k_down_100);
	k_down(200, k_down_200);
	k_even(10);
	k_array(20 + (int)(after & 1));
	k_aligned((int)(after & 1));
	k_alloca(3);
	k_before_jump();
	after += k_many(after);
	k_threads();
	k_reads();
	k_sort();
	k_alarms();
	k_faults();
}

int main(int argc, char **argv)
{
	int turns = argc > 1 ? atoi(argv[1]) : 1;

	truth_begin();
	for (int turn = 0; turn < turns; turn++) {
		every_kind();
		if (argc > 1 && write(STDOUT_FILENO, "turn\n", 5) != 5)
			return 1;
	}
	return 0;
}
