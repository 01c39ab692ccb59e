// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/top.h"

#include "cmd/destination.h"
#include "profile/pprof.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ESCAPE 0x1b

/* The list by what it now is. */
static void refill(struct top *top)
{
	if (!top->profile)
		return;
	if (top_list_fill(&top->list, top->profile, /* is_new= */ false))
		(void)strcpy(top->message, "out of memory");
}

static size_t last_line(const struct top *top)
{
	size_t lines = 0;

	if (top->mode == TOP_LIST)
		return top->list.count ? top->list.count - 1 : 0;
	for (const char *text = top->page; text && (text = strchr(text, '\n')); text++)
		lines++;
	return lines > top_room(top) ? lines - top_room(top) : 0;
}

/* Move what is marked, or the page, by STEP lines; no further than the ends. */
static void move(struct top *top, long step)
{
	size_t *at = top->mode == TOP_LIST ? &top->chosen : &top->first, last = last_line(top);
	size_t room = top_room(top);

	if (step < 0)
		*at = *at > (size_t)-step ? *at - (size_t)-step : 0;
	else
		*at = *at + (size_t)step < last ? *at + (size_t)step : last;
	if (*at > last)
		*at = last;
	if (top->mode != TOP_LIST)
		return;
	if (top->first > top->chosen)
		top->first = top->chosen;
	if (top->chosen >= top->first + room)
		top->first = top->chosen - room + 1;
}

static void go(struct top *top, enum top_mode mode)
{
	top->mode = mode;
	top->first = 0;
	top_make_page(top);
	move(top, 0);
}

static const struct top_item *chosen_item(const struct top *top)
{
	return top->mode == TOP_LIST && top->chosen < top->list.count
		       ? &top->list.items[top->chosen]
		       : NULL;
}

/* Into the function that is marked, or from one of its pages to the other. */
static void look_into(struct top *top, enum top_mode mode)
{
	const struct top_item *item = chosen_item(top);

	if (top->list.view != TOP_FUNCTIONS && top->list.view != TOP_TREE) {
		(void)strcpy(top->message, "code is of functions: choose one of 1 functions or "
					   "2 tree");
		return;
	}
	if (item) {
		free(top->function);
		free(top->object);
		top->function = strdup(item->name);
		top->object = strdup(item->path);
	}
	if (top->function && top->object)
		go(top, mode);
}

static void set_view(struct top *top, enum top_view view)
{
	top->list.view = view;
	top->chosen = 0;
	refill(top);
	go(top, TOP_LIST);
}

/* OPEN: 1, 0, or -1 for the other one. */
static void fold(struct top *top, int open)
{
	const struct top_item *item = chosen_item(top);

	if (!item || top->list.view != TOP_TREE || item->mark == ' ')
		return;
	if (!folds_set(&top->list.folds, &item->key, open < 0 ? item->mark == '+' : open))
		refill(top);
}

static void ask(struct top *top, enum top_asking asking)
{
	top->asking = asking;
	(void)strcpy(top->input, asking == TOP_ASKS_FILTER ? top->list.filter : PROFILE_USUAL);
}

/* What stood there is kept beside it, as at the end of every measurement. */
static void save(struct top *top)
{
	struct error why = {};
	int ret = pprof_write_keeping(top->profile, top->input, &why);

	if (ret)
		(void)snprintf(top->message, sizeof(top->message), "%s", why.text);
	else
		(void)snprintf(top->message, sizeof(top->message), "saved: profil report %s",
			       top->input);
}

static void answer(struct top *top)
{
	enum top_asking asked = top->asking;

	top->asking = TOP_ASKS_NOTHING;
	if (asked == TOP_ASKS_FILE && *top->input && top->profile)
		save(top);
	if (asked != TOP_ASKS_FILTER)
		return;
	(void)strcpy(top->list.filter, top->input);
	top->chosen = 0;
	refill(top);
	move(top, 0);
}

static void take_input(struct top *top, int key)
{
	size_t length = strlen(top->input);

	if (key == '\r' || key == '\n')
		answer(top);
	else if (key == ESCAPE || key == CTRL('c'))
		top->asking = TOP_ASKS_NOTHING;
	else if (key == CTRL('u'))
		*top->input = '\0';
	else if (key == SCREEN_BACK && length)
		top->input[length - 1] = '\0';
	else if (key >= ' ' && key < 0x100 && length + 1 < sizeof(top->input))
		(void)memcpy(top->input + length, (char[2]){(char)key}, 2);
}

/* Returns whether KEY moves something. */
static bool take_move(struct top *top, int key)
{
	const long page = (long)top_room(top);
	const struct {
		int key;
		long step;
	} moves[] = {
		{SCREEN_UP, -1},
		{SCREEN_DOWN, 1},
		{'k', -1},
		{'j', 1},
		{SCREEN_PAGE_UP, -page},
		{SCREEN_PAGE_DOWN, page},
		{SCREEN_HOME, -(1 << 30)},
		{SCREEN_END, 1 << 30},
	};

	for (size_t i = 0; i < sizeof(moves) / sizeof(*moves); i++)
		if (moves[i].key == key) {
			move(top, moves[i].step);
			return true;
		}
	return false;
}

/* In the list alone. */
static void take_list_key(struct top *top, int key)
{
	switch (key) {
	case '\t':
	case 's':
		top->list.sort = (top->list.sort + 1) % TOP_SORTS;
		if (top->list.is_still && top->list.sort == TOP_BY_LAST)
			top->list.sort++;
		refill(top);
		break;
	case SCREEN_LEFT:
		fold(top, 0);
		break;
	case SCREEN_RIGHT:
		fold(top, 1);
		break;
	case ' ':
		fold(top, -1);
		break;
	case '/':
		ask(top, TOP_ASKS_FILTER);
		break;
	default:
		break;
	}
}

static void take_other_key(struct top *top, int key)
{
	switch (key) {
	case 'q':
	case CTRL('c'):
		top->quits = true;
		break;
	case CTRL('z'):
		screen_suspend(top->screen);
		break;
	case CTRL('l'):
		screen_resize(top->screen);
		break;
	case ESCAPE:
	case SCREEN_BACK:
		go(top, TOP_LIST);
		break;
	case '?':
	case 'h':
	case SCREEN_HELP:
		go(top, TOP_HELP);
		break;
	case 'p':
		top->paused = !top->paused;
		break;
	case 'r':
		top->hurries = true;
		break;
	case 'w':
		ask(top, TOP_ASKS_FILE);
		break;
	case '\r':
	case '\n':
		look_into(top, TOP_CODE);
		break;
	case 'c':
		look_into(top, TOP_CALLERS);
		break;
	default:
		if (top->mode == TOP_LIST)
			take_list_key(top, key);
		break;
	}
}

void top_take_key(struct top *top, int key)
{
	*top->message = '\0';
	if (top->asking != TOP_ASKS_NOTHING)
		take_input(top, key);
	else if (key >= '1' && key < '1' + TOP_VIEWS)
		set_view(top, (enum top_view)(key - '1'));
	else if (!take_move(top, key))
		take_other_key(top, key);
}
