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

void settings_tell(const char *call, const char *engine, uint64_t period_ns, const char *why,
		   int error)
{
	char line[1280];
	int length;

	if (engine)
		length = snprintf(line, sizeof(line),
				  "libprofil: %s: %s engine, a tick is %llu us%s%s", call, engine,
				  (unsigned long long)period_ns / 1000, *why ? "; " : "", why);
	else
		length = snprintf(line, sizeof(line), "libprofil: %s: %s%s%s", call,
				  strerrordesc_np(-error), *why ? "; " : "", why);
	if (length < 0)
		return;
	if ((size_t)length > sizeof(line) - 2)
		length = sizeof(line) - 2;
	for (int i = 0; i < length; i++) {
		if (line[i] == '\n')
			line[i] = ' ';
	}
	line[length++] = '\n';
	/* There is nobody to tell that nobody can be told. */
	if (write(STDERR_FILENO, line, (size_t)length) < 0)
		return;
}
