// SPDX-License-Identifier: BSD-2-Clause
/* What a walk up the stack must get through: recursion, frames of variable size, realigned stacks,
 * callbacks from the C library, exceptions in flight, jumps, and signals on either stack.  It is
 * stepped through one instruction at a time, so it does little of each. */
#include <alloca.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdexcept>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile int sink;
static jmp_buf target;

static NOINLINE int recursion(int depth)
{
	if (depth <= 0)
		return sink;
	return recursion(depth - 1) + depth;
}

static NOINLINE int odd(int n);

static NOINLINE int even(int n)
{
	volatile char room[24] = {0};

	return n ? odd(n - 1) + room[n & 7] : 1;
}

static NOINLINE int odd(int n)
{
	return n ? even(n - 1) + sink : 0;
}

static NOINLINE int variable_size(int count)
{
	volatile int array[count];
	char *more = (char *)alloca((size_t)count * 3);

	memset(more, 1, (size_t)count * 3);
	for (int i = 0; i < count; i++)
		array[i] = more[i] + recursion(2);
	return array[count - 1];
}

struct alignas(64) wide {
	char bytes[64];
};

static NOINLINE int realigned(int depth)
{
	wide local;

	memset(&local, depth, sizeof(local));
	return depth ? realigned(depth - 1) + local.bytes[5] : variable_size(3) + local.bytes[0];
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b + recursion(0);
}

static NOINLINE int callbacks()
{
	int numbers[] = {3, 1, 2, 5, 4};
	int key = 4;

	qsort(numbers, 5, sizeof(int), compare);
	return bsearch(&key, numbers, 5, sizeof(int), compare) != NULL;
}

struct guard {
	~guard()
	{
		sink = recursion(2);
	}
};

static NOINLINE void thrower(int depth)
{
	guard local;

	if (!depth)
		throw std::runtime_error("thrown");
	thrower(depth - 1);
}

static NOINLINE int exceptions()
{
	try {
		thrower(3);
	} catch (const std::exception &error) {
		return (int)strlen(error.what()) + recursion(1);
	}
	return 0;
}

static NOINLINE void jumper(int depth)
{
	if (!depth)
		longjmp(target, 1);
	jumper(depth - 1);
}

static NOINLINE int jumps()
{
	if (!setjmp(target))
		jumper(3);
	return recursion(1);
}

static void handler(int)
{
	sink = recursion(2);
}

static NOINLINE int signals(int flags)
{
	struct sigaction action = {};

	action.sa_handler = handler;
	action.sa_flags = flags;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	kill(getpid(), SIGUSR1);
	return recursion(1);
}

static NOINLINE int other_stack()
{
	static char memory[1 << 16];
	stack_t stack = {};

	stack.ss_sp = memory;
	stack.ss_size = sizeof(memory);
	sigaltstack(&stack, NULL);
	return signals(SA_ONSTACK);
}

static NOINLINE int tail(int depth)
{
	return depth ? even(depth) : odd(depth + 1);
}

int main()
{
	void *(*volatile lookup)(void *, const char *) = dlsym;
	std::string text;

	sink = recursion(12) + even(9) + variable_size(5) + realigned(2) + callbacks() + tail(4);
	sink = exceptions() + jumps() + signals(0) + other_stack();
	sink = lookup(RTLD_DEFAULT, "getpid") != NULL;
	for (int i = 0; i < 40; i++)
		text += std::to_string(i);
	return text.size() == 70 ? 0 : 1;
}
