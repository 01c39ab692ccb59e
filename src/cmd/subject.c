// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED_MAX 8

char *subject_command(char **argv)
{
	char *line = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		return NULL;
	for (char **word = argv; *word; word++) {
		bool plain = **word && !(*word)[strcspn(*word, " \t\n\"'\\$`*?[]<>|&;(){}~#!")];

		(void)fputs(word == argv ? "" : " ", out);
		if (!plain)
			(void)fputc('\'', out);
		for (char *c = *word; *c; c++)
			(void)fputs(*c == '\'' ? "'\\''" : (char[2]){*c, 0}, out);
		if (!plain)
			(void)fputc('\'', out);
	}
	if (fclose(out)) {
		free(line);
		return NULL;
	}
	return line;
}

char *subject_processes(const struct processes *processes)
{
	char *line = NULL, name[PROCESS_NAME_MAX];
	size_t size = 0;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < processes->count && i < NAMED_MAX; i++) {
		process_name(processes->pids[i], name);
		(void)fprintf(out, "%s%s (%d)", i ? ", " : "", name, (int)processes->pids[i]);
	}
	if (processes->count > NAMED_MAX)
		(void)fprintf(out, " and %zu more", processes->count - NAMED_MAX);
	if (fclose(out)) {
		free(line);
		return NULL;
	}
	return line;
}
