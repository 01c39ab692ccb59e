/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What this machine grants to this process, item by item: what is found, and what would change it.
 * Nothing is changed and nothing stays open. */

enum checkup_verdict {
	CHECKUP_GOOD,
	CHECKUP_NOTE, /* profil works; something is slower, coarser or left out */
	CHECKUP_BAD,  /* an engine cannot work */
};

#define CHECKUP_TEXT 1024

struct checkup_row {
	const char *item;
	enum checkup_verdict verdict;
	char found[CHECKUP_TEXT];
	char advice[CHECKUP_TEXT]; /* "" where there is nothing to do */
};

struct checkup {
	const char *item;
	void (*look)(struct checkup_row *row); /* sets everything but .item */
};

/* Ended by one without an item. */
extern const struct checkup checkup_list[];

/* Do one of them. */
void checkup_look(const struct checkup *checkup, struct checkup_row *ret_row);
