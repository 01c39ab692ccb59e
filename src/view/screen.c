// SPDX-License-Identifier: BSD-2-Clause
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include "view/screen.h"

#include "base/array.h"
#include "base/library.h"
#include "base/utf8.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

#undef columns
#undef lines

#define NCURSES "libncursesw.so.6"
#define COLORS_MAX 256
#define ESCAPE_MS 25 /* after which Esc is a key of its own */

#define CURSES_CALLS(X)       \
	X(newterm)            \
	X(delscreen)          \
	X(endwin)             \
	X(newwin)             \
	X(delwin)             \
	X(wgetch)             \
	X(keypad)             \
	X(nodelay)            \
	X(raw)                \
	X(noecho)             \
	X(nonl)               \
	X(curs_set)           \
	X(set_escdelay)       \
	X(has_colors)         \
	X(start_color)        \
	X(use_default_colors) \
	X(init_pair)          \
	X(resizeterm)         \
	X(wresize)            \
	X(wmove)              \
	X(waddnstr)           \
	X(wattr_set)          \
	X(wclrtoeol)          \
	X(clearok)            \
	X(wrefresh)           \
	X(getmaxx)            \
	X(getmaxy)            \
	X(setupterm)          \
	X(tigetnum)           \
	X(tigetstr)

struct curses {
#define MEMBER(name) __typeof__(name) *name;
	CURSES_CALLS(MEMBER)
};

struct screen {
	struct curses curses;
	FILE *terminal;
	SCREEN *all;
	WINDOW *window;
	bool utf8, color;
	int colors; /* that have a pair, their number and 1 */
};

static bool load(struct curses *curses)
{
	const struct library_call calls[] = {
#define ROW(name) {#name, &curses->name},
		CURSES_CALLS(ROW)};

	return library_load(NCURSES, calls, ARRAY_LENGTH(calls));
}

int screen_find(int *ret_fd, struct error *reterr)
{
	const char *kind = getenv("TERM");
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return error_set(
			reterr, -ENOTTY,
			"screen: there is no terminal: run it in one, or take another view, "
			"as 'profil report'");
	if (!kind || !*kind || !strcmp(kind, "dumb")) {
		close(fd);
		return error_set(
			reterr, -ENOTTY,
			"screen: TERM=%s: it cannot move its cursor: set TERM to what it is",
			kind ? kind : "");
	}
	*ret_fd = fd;
	return 0;
}

static void begin_colors(struct screen *screen)
{
	const char *none = getenv("NO_COLOR");
	int count;

	screen->color = (!none || !*none) && screen->curses.has_colors();
	if (!screen->color || screen->curses.start_color() == ERR)
		return;
	(void)screen->curses.use_default_colors();
	count = screen->curses.tigetnum("colors");
	screen->colors = count < COLORS_MAX ? count : COLORS_MAX;
	for (int i = 0; i < screen->colors; i++)
		if (screen->curses.init_pair((short)(i + 1), (short)i, -1) == ERR)
			screen->colors = i;
}

static int begin(struct screen *screen, int fd)
{
	struct curses *curses = &screen->curses;
	int copy = dup(fd);

	screen->terminal = copy < 0 ? NULL : fdopen(copy, "r+e");
	if (!screen->terminal)
		return -ENOMEM;
	screen->all = curses->newterm(NULL, screen->terminal, screen->terminal);
	if (!screen->all)
		return -ENOTTY;
	screen->window = curses->newwin(0, 0, 0, 0);
	if (!screen->window)
		return -ENOMEM;
	(void)curses->raw();
	(void)curses->noecho();
	(void)curses->nonl();
	(void)curses->curs_set(0);
	(void)curses->set_escdelay(ESCAPE_MS);
	(void)curses->keypad(screen->window, true);
	(void)curses->nodelay(screen->window, true);
	screen->utf8 = !strcasecmp(nl_langinfo(CODESET), "UTF-8");
	begin_colors(screen);
	return 0;
}

int screen_open(int fd, struct screen **ret_screen, struct error *reterr)
{
	struct screen *screen = calloc(1, sizeof(*screen));
	int ret = -ENOMEM;

	if (screen && !load(&screen->curses)) {
		free(screen);
		return error_set(reterr, -ENOENT,
				 "screen: " NCURSES " is not here or not complete: install "
				 "ncurses");
	}
	if (screen)
		ret = begin(screen, fd);
	if (!ret) {
		*ret_screen = screen;
		return 0;
	}
	(void)screen_close(screen);
	return ret == -ENOTTY ? error_set(reterr, ret,
					  "screen: TERM=%s: not known here: set TERM to what it is",
					  getenv("TERM"))
			      : error_set(reterr, ret, "screen: out of memory: free some");
}

struct screen *screen_close(struct screen *screen)
{
	if (!screen)
		return NULL;
	if (screen->window) {
		/* Where it stays on the screen, the shell goes on below. */
		screen_line(screen, screen_rows(screen) - 1, "", false);
		screen_show(screen);
		(void)screen->curses.delwin(screen->window);
	}
	if (screen->all) {
		(void)screen->curses.endwin();
		screen->curses.delscreen(screen->all);
	}
	if (screen->terminal)
		(void)fclose(screen->terminal);
	free(screen);
	return NULL;
}

void screen_rescue(int fd, const struct termios *before)
{
	static const char *const ends[] = {"rmcup", "sgr0", "cnorm", "rmkx"};
	struct curses curses;

	(void)tcsetattr(fd, TCSANOW, before);
	if (!load(&curses) || curses.setupterm(NULL, fd, &(int){0}) == ERR)
		return;
	for (size_t i = 0; i < ARRAY_LENGTH(ends); i++) {
		const char *text = curses.tigetstr(ends[i]);

		if (text && text != (char *)-1)
			(void)!write(fd, text, strcspn(text, "$"));
	}
}

unsigned screen_rows(const struct screen *screen)
{
	return (unsigned)screen->curses.getmaxy(screen->window);
}

unsigned screen_columns(const struct screen *screen)
{
	return (unsigned)screen->curses.getmaxx(screen->window);
}

bool screen_has_color(const struct screen *screen)
{
	return screen->color;
}

int screen_key(struct screen *screen)
{
	static const struct {
		int curses, key;
	} keys[] = {
		{KEY_UP, SCREEN_UP},
		{KEY_DOWN, SCREEN_DOWN},
		{KEY_LEFT, SCREEN_LEFT},
		{KEY_RIGHT, SCREEN_RIGHT},
		{KEY_PPAGE, SCREEN_PAGE_UP},
		{KEY_NPAGE, SCREEN_PAGE_DOWN},
		{KEY_HOME, SCREEN_HOME},
		{KEY_END, SCREEN_END},
		{KEY_BACKSPACE, SCREEN_BACK},
		{'\b', SCREEN_BACK},
		{0x7f, SCREEN_BACK},
		{KEY_F(1), SCREEN_HELP},
		{KEY_ENTER, '\r'},
	};
	int key = screen->curses.wgetch(screen->window);

	if (key == ERR)
		return SCREEN_NONE;
	for (size_t i = 0; i < ARRAY_LENGTH(keys); i++)
		if (keys[i].curses == key)
			return keys[i].key;
	return key < 0x100 ? key : 0; /* some other key, that means nothing */
}

void screen_resize(struct screen *screen)
{
	struct winsize size;

	if (ioctl(fileno(screen->terminal), TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		return;
	(void)screen->curses.resizeterm(size.ws_row, size.ws_col);
	(void)screen->curses.wresize(screen->window, size.ws_row, size.ws_col);
	(void)screen->curses.clearok(screen->window, true);
}

/* How the text goes on after an ink. */
struct ink {
	attr_t attributes;
	short pair;
};

static void set_color(const struct screen *screen, struct ink *ink, long color)
{
	if (color >= 0 && color < screen->colors)
		ink->pair = (short)(color + 1);
}

/* The escape sequence at TEXT, "\033[1;38;5;208m".  Returns what is behind it. */
static const char *take_ink(const struct screen *screen, const char *text, struct ink *ink)
{
	char *end = (char *)text + 1;

	do {
		long number = strtol(end + 1, &end, 10);

		if (number == 0)
			*ink = (struct ink){0};
		else if (number == 1)
			ink->attributes |= A_BOLD;
		else if (number == 2)
			ink->attributes |= A_DIM;
		else if (number == 7)
			ink->attributes |= A_REVERSE;
		else if (number >= 30 && number <= 37)
			set_color(screen, ink, number - 30);
		else if (number >= 90 && number <= 97)
			set_color(screen, ink, number - 90 + 8);
		else if (number == 38 && !strncmp(end, ";5;", 3))
			set_color(screen, ink, strtol(end + 3, &end, 10));
	} while (*end == ';');
	return *end == 'm' ? end + 1 : end;
}

/* The columns of the character of SIZE bytes at TEXT; 0: it is not to be shown as it is. */
static unsigned width_of(const struct screen *screen, const char *text, size_t size)
{
	wchar_t wide;
	int width;

	if (!size || utf8_is_control(text) || (size > 1 && !screen->utf8))
		return 0;
	if (size == 1)
		return 1;
	if (mbrtowc(&wide, text, size, &(mbstate_t){0}) != size)
		return 0;
	width = wcwidth(wide);
	return width > 0 ? (unsigned)width : 0; /* marks that turn the order of text have none */
}

void screen_line(struct screen *screen, unsigned row, const char *text, bool marked)
{
	const struct curses *curses = &screen->curses;
	const attr_t always = marked ? A_REVERSE : 0;
	unsigned columns = screen_columns(screen), used = 0;
	struct ink ink = {0};

	if (row >= screen_rows(screen))
		return;
	(void)curses->wmove(screen->window, (int)row, 0);
	(void)curses->wattr_set(screen->window, always, 0, NULL);
	while (*text && used < columns) {
		size_t size = utf8_size(text);
		unsigned width;

		if (text[0] == '\033' && text[1] == '[') {
			text = take_ink(screen, text, &ink);
			(void)curses->wattr_set(screen->window, ink.attributes | always,
						marked ? 0 : ink.pair, NULL);
			continue;
		}
		width = width_of(screen, text, size);
		if (used + width > columns)
			break;
		(void)curses->waddnstr(screen->window, width ? text : "?", width ? (int)size : 1);
		used += width ? width : 1;
		text += size ? size : 1;
	}
	if (used < columns)
		(void)curses->wclrtoeol(screen->window);
	(void)curses->wattr_set(screen->window, 0, 0, NULL);
}

void screen_show(struct screen *screen)
{
	(void)screen->curses.wrefresh(screen->window);
}

void screen_suspend(struct screen *screen)
{
	sigset_t stop, before;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	(void)screen->curses.endwin();
	(void)kill(0, SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &stop, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	(void)screen->curses.clearok(screen->window, true);
	screen_resize(screen);
}
