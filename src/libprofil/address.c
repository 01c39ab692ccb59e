// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/address.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static uintptr_t page_of(uintptr_t address)
{
	return address & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
}

/* The kernel reads the set before it looks at what is to be done with it, which is nothing. */
static bool is_page_readable(uintptr_t page)
{
	return syscall(SYS_rt_sigprocmask, ~0, page, NULL, 8) == 0 || errno != EFAULT;
}

/* Adds 0 to the page's first word, in one atomic step; wakes nobody. */
static bool is_page_writable(uintptr_t page)
{
	uint32_t own = 0;

	return syscall(SYS_futex, &own, FUTEX_WAKE_OP_PRIVATE, 0, 0, page,
		       FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) >= 0 ||
	       errno != EFAULT;
}

static bool is_mapped(uintptr_t first, uintptr_t last)
{
	enum { CHUNK = 1024 };
	unsigned char residency[CHUNK];
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), count = (last - first) / page + 1;

	while (count) {
		uintptr_t some = count < CHUNK ? count : CHUNK;

		if (mincore((void *)first, some * page, residency) && errno != EAGAIN)
			return false;
		first += some * page;
		count -= some;
	}
	return true;
}

bool address_is_readable(const void *address, size_t size)
{
	uintptr_t start = (uintptr_t)address, page = (uintptr_t)sysconf(_SC_PAGESIZE), last;
	int code = errno;
	bool answer = true;

	if (!size)
		return true;
	if (__builtin_add_overflow(start, size - 1, &last))
		return false;
	for (uintptr_t at = page_of(start); answer && at <= last; at += page)
		answer = at && is_page_readable(at);
	errno = code;
	return answer;
}

bool address_is_writable(void *address, size_t size)
{
	uintptr_t start = (uintptr_t)address, last;
	int code = errno;
	bool answer;

	if (!size)
		return true;
	if (__builtin_add_overflow(start, size - 1, &last))
		return false;
	/* The first page first: where the program's stack has yet to grow there, this makes it. */
	answer = is_page_writable(page_of(start)) && is_page_writable(page_of(last)) &&
		 is_mapped(page_of(start), page_of(last));
	errno = code;
	return answer;
}
