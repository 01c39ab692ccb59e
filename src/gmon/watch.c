// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/watch.h"

#include "engine/inside/hidden.h"

#define LOOK_EVERY_NS 20000000

static struct hidden watcher;
static bool is_watching;
static void (*look_now)(void);

static int watch_begin(void *owner, struct error *reterr)
{
	return 0;
}

static struct hidden_nap watch_turn(void *owner)
{
	look_now();
	return (struct hidden_nap){.cpu_ns = LOOK_EVERY_NS};
}

static void watch_end(void *owner)
{
}

static const struct hidden_work work = {
	.begin = watch_begin,
	.turn = watch_turn,
	.end = watch_end,
};

void watch_start(void (*look)(void))
{
	look_now = look;
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
