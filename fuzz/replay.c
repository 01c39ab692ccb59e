/* SPDX-License-Identifier: BSD-2-Clause */
/* replay FOLDER: each file of a corpus, each of its beginnings, and it with each of its bytes
 * changed, through a harness, without libFuzzer. */

#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MOST 65536
#define EVERY_MOST 1024 /* bytes of a file that are cut and changed one by one */

/* A heap copy, so that a sanitizer sees what is read behind the end. */
static void try(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, bytes, size);
	(void)LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void replay(uint8_t *bytes, size_t size)
{
	size_t most = size < EVERY_MOST ? size : EVERY_MOST;

	try(bytes, size);
	for (size_t i = 0; i < most; i++) {
		try(bytes, i);
		for (unsigned bit = 0; bit < 8; bit++) {
			bytes[i] ^= (uint8_t)(1u << bit);
			try(bytes, size);
			bytes[i] ^= (uint8_t)(1u << bit);
		}
	}
}

static int replay_file(const char *path)
{
	static uint8_t bytes[SIZE_MOST];
	FILE *file = fopen(path, "rb");
	size_t size;

	if (!file)
		return -1;
	size = fread(bytes, 1, sizeof(bytes), file);
	(void)fclose(file);
	replay(bytes, size);
	return 0;
}

int main(int argc, char **argv)
{
	DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
	struct dirent *entry;
	unsigned count = 0;
	char path[4096];

	if (!folder) {
		(void)fprintf(stderr, "replay: name a folder of files\n");
		return 2;
	}
	while ((entry = readdir(folder)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
		if (replay_file(path)) {
			(void)fprintf(stderr, "%s: cannot be read\n", path);
			return 1;
		}
		count++;
	}
	(void)closedir(folder);
	(void)printf("%u files\n", count);
	return !count;
}
