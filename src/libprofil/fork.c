// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/fork.h"

#include "base/at_fork.h"
#include "libprofil/counting.h"

#include <errno.h>
#include <pthread.h>

/* What each measurement has counted when the child begins: the child's cells hold it, so its
 * account must hold it too. */
static void prepare(void)
{
	int code = errno;

	counting_lock();
	for (struct counting *each = counting_list(); each; each = each->next)
		counting_freeze(each);
	errno = code;
}

static void in_parent(void)
{
	int code = errno;

	for (struct counting *each = counting_list(); each; each = each->next)
		each->ops->fork_parent(each->inside);
	counting_unlock();
	errno = code;
}

static void in_child(void)
{
	int code = errno;
	struct counting *next;

	for (struct counting *each = counting_list(); each; each = next) {
		next = each->next;
		counting_revive(each);
	}
	counting_unlock();
	errno = code;
}

int fork_watch(void)
{
	static bool watches;
	int ret;

	if (watches)
		return 0;
	ret = at_fork(prepare, in_parent, in_child);
	watches = !ret;
	return -ret;
}
