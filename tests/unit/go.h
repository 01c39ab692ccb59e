/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_GO_H
#define PROFIL_TESTS_GO_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What go tool pprof says; include it behind cmocka.h. */

/* Where go must not be lacking, its absence is a failure; elsewhere it is said. */
static inline void go_need(void)
{
	const char *ci = getenv("CI");

	if (!system("go version >/dev/null 2>&1"))
		return;
	if (ci && !strcmp(ci, "true"))
		fail_msg("go is not installed: apt-get install golang-go");
	print_message("SKIPPED: go tool pprof is not installed: apt-get install golang-go\n");
	skip();
}

/* The sum of all samples in the file at PATH, of the type called INDEX. */
static inline unsigned long go_total(const char *path, const char *index)
{
	unsigned long shown = 0, total = 0;
	char command[512], line[512];
	FILE *out;

	(void)snprintf(command, sizeof(command),
		       "go tool pprof -symbolize=none -nodefraction=0 -sample_index=%s -top %s",
		       index, path);
	out = popen(command, "r");
	assert_non_null(out);
	while (fgets(line, sizeof(line), out))
		(void)sscanf(line, "Showing nodes accounting for %lu, %*s of %lu total", &shown,
			     &total);
	assert_int_equal(pclose(out), 0);
	assert_int_equal(shown, total);
	return total;
}

#endif
