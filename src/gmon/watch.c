// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/watch.h"

#include "engine/inside/hidden.h"

#define LOOK_EVERY_NS 20000000

static struct hidden watcher;
static bool is_watching;
static bool has_napped;
static void (*look_now)(void);

/* Whoever starts it has looked; and a child that has just been forked shall not wait for what
 * looking takes. */
static struct hidden_nap watch_turn(void *owner)
{
	if (has_napped)
		look_now();
	has_napped = true;
	return (struct hidden_nap){.cpu_ns = LOOK_EVERY_NS};
}

static const struct hidden_work work = {.turn = watch_turn};

void watch_start(void (*look)(void))
{
	look_now = look;
	has_napped = false;
	is_watching = !hidden_start(&watcher, &work, /* owner= */ NULL, /* reterr= */ NULL);
}

void watch_stop(void)
{
	if (is_watching)
		hidden_stop(&watcher);
	is_watching = false;
}

void watch_forget(void)
{
	if (is_watching)
		hidden_forget(&watcher);
	is_watching = false;
}
