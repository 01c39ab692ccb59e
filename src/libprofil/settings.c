// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define HZ_MAX 100000
#define SECOND_NS 1000000000u

/* Digits and nothing else: 0 for all that is not a rate.  Not base/parse.h, which asks libm. */
static uint64_t rate(const char *text)
{
	uint64_t hertz = 0;

	if (!text)
		return 0;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return 0;
		hertz = hertz * 10 + (uint64_t)(*text - '0');
		if (hertz > HZ_MAX)
			return 0;
	}
	return hertz;
}

void settings_read(struct settings *ret_settings)
{
	const char *engine, *debug;
	uint64_t hertz;

	*ret_settings = (struct settings){};
	if (getauxval(AT_SECURE))
		return;
	hertz = rate(getenv("PROFIL_HZ"));
	engine = getenv("PROFIL_ENGINE");
	debug = getenv("PROFIL_DEBUG");
	ret_settings->period_ns = hertz ? SECOND_NS / hertz : 0;
	ret_settings->engine = engine && *engine ? engine : NULL;
	ret_settings->debug = debug && *debug && strcmp(debug, "0");
}

/* Append TEXT at USED, of its lines one, as far as there is room. */
static size_t append(char *line, size_t room, size_t used, const char *text)
{
	for (; *text && used + 2 <= room; text++) {
		if (*text == '\n')
			line[used++] = ';';
		line[used++] = *text == '\n' ? ' ' : *text;
	}
	return used;
}

void settings_tell(const char *call, const char *engine, uint64_t period_ns, const char *why,
		   int error)
{
	char line[1280], tick[32];
	size_t room = sizeof(line) - 1, used = append(line, room, 0, "libprofil: ");

	(void)snprintf(tick, sizeof(tick), "%llu us", (unsigned long long)period_ns / 1000);
	used = append(line, room, used, call);
	used = append(line, room, used, ": ");
	used = append(line, room, used, engine ? engine : strerrordesc_np(-error));
	used = append(line, room, used, engine ? " engine, a sample every " : "");
	used = append(line, room, used, engine ? tick : "");
	used = append(line, room, used, *why ? "; " : "");
	used = append(line, room, used, why);
	line[used++] = '\n';
	/* There is nobody to tell that nobody can be told. */
	if (write(STDERR_FILENO, line, used) < 0)
		return;
}
