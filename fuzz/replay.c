/* SPDX-License-Identifier: BSD-2-Clause */
/* replay FOLDER...: each file of a corpus, each of its beginnings, and it with each of its bits
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

/* Returns how many files there are in FOLDER, or -1. */
static int replay_folder(const char *folder)
{
	DIR *stream = opendir(folder);
	struct dirent *entry;
	char path[4096];
	int count = 0;

	while (stream && (entry = readdir(stream)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (replay_file(path)) {
			(void)fprintf(stderr, "%s: cannot be read\n", path);
			exit(1);
		}
		count++;
	}
	if (stream)
		(void)closedir(stream);
	return stream ? count : -1;
}

int main(int argc, char **argv)
{
	int sum = 0;

	for (int i = 1; i < argc; i++) {
		int count = replay_folder(argv[i]);

		if (count <= 0) {
			(void)fprintf(stderr, "replay: %s: name a folder of files\n", argv[i]);
			return 2;
		}
		sum += count;
	}
	(void)printf("%d files\n", sum);
	return !sum;
}
