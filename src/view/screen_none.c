// SPDX-License-Identifier: BSD-2-Clause
#include "view/screen.h"

#include <errno.h>
#include <stddef.h>

/* Stands in for screen.c in a build without ncurses: nobody can have a screen. */

int screen_find(int *ret_fd, struct error *reterr)
{
	return error_set(reterr, -ENOTSUP,
			 "screen: this profil was built without ncurses, which draws it: take "
			 "another view, as 'profil report'");
}

int screen_open(int fd, struct screen **ret_screen, struct error *reterr)
{
	return -ENOTSUP;
}

struct screen *screen_close(struct screen *screen)
{
	return NULL;
}

void screen_rescue(int fd, const struct termios *before)
{
}

unsigned screen_rows(const struct screen *screen)
{
	return 0;
}

unsigned screen_columns(const struct screen *screen)
{
	return 0;
}

bool screen_has_color(const struct screen *screen)
{
	return false;
}

int screen_key(struct screen *screen)
{
	return SCREEN_NONE;
}

void screen_resize(struct screen *screen)
{
}

void screen_line(struct screen *screen, unsigned row, const char *text, bool marked)
{
}

void screen_show(struct screen *screen)
{
}

void screen_suspend(struct screen *screen)
{
}
