/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <termios.h>

/* The whole screen of a terminal, by ncurses, whose library is loaded when it is wanted.  Signals
 * are the caller's: SIGWINCH and SIGTSTP are to be blocked before. */

struct screen;

/* Keys that are no character. */
enum screen_key {
	SCREEN_NONE = -1,
	SCREEN_UP = 0x110000, /* behind all characters */
	SCREEN_DOWN,
	SCREEN_LEFT,
	SCREEN_RIGHT,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_END,
	SCREEN_BACK, /* backspace */
	SCREEN_HELP, /* F1 */
};

/* The terminal that this process is controlled by.  Returns 0, or -errno with a sentence. */
int screen_find(int *ret_fd, struct error *reterr);

/* Take it over: FD, which the screen then closes, but not before.  Returns 0, or -errno with a
 * sentence.  screen_close() gives it back as it was; it takes NULL and returns NULL. */
int screen_open(int fd, struct screen **ret_screen, struct error *reterr);
struct screen *screen_close(struct screen *screen);

/* Give back the terminal FD of a process that could not, with the settings of BEFORE. */
void screen_rescue(int fd, const struct termios *before);

unsigned screen_rows(const struct screen *screen);
unsigned screen_columns(const struct screen *screen);
bool screen_has_color(const struct screen *screen);

/* The next key that waits: a byte, an enum screen_key, or SCREEN_NONE.  There may be one when the
 * terminal can be read, and behind each other one. */
int screen_key(struct screen *screen);

/* The terminal has another size; all is to be drawn anew. */
void screen_resize(struct screen *screen);

/* Draw TEXT, which may have inks (view/layout.h), as line ROW; MARKED: as the one that is chosen.
 * What is not of a character that can be seen becomes '?', what is too long is cut. */
void screen_line(struct screen *screen, unsigned row, const char *text, bool marked);
void screen_show(struct screen *screen);

/* Stop with all of its process group, as Ctrl-Z does, and come back when that goes on. */
void screen_suspend(struct screen *screen);
