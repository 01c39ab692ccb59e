/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that are left by an exception, through others, and destructors on the way. */
#include <stdexcept>

struct guard {
	~guard();
};

static int alive;

__attribute__((noinline)) guard::~guard()
{
	alive--;
}

__attribute__((noinline)) void thrower(int i)
{
	guard g;

	alive++;
	if (i % 2)
		throw std::runtime_error("odd");
}

__attribute__((noinline)) int catcher(int i)
{
	try {
		thrower(i);
	} catch (const std::exception &) {
		return 1;
	}
	return 0;
}

int main()
{
	int caught = 0;

	for (int i = 0; i < 1000; i++)
		caught += catcher(i);
	return caught != 500 || alive != 0;
}
