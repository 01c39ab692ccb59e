/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_NAMED_H
#define PROFIL_TESTS_NAMED_H

#include "symbol/source.h"
#include "symbol/symbol.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* What the tests of src/symbol share: a folder to build programs in, and one place of each asked
 * address as text. */

/* Names what it is asked for in one line an address: "NAMED inner file.c:3 < outer file.c:9".  The
 * files are without their folders; a frame without a line has only its name. */
struct named {
	struct symbols *symbols;
	char lines[64][1024];
	size_t count;
};

static inline const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static inline int named_take(void *context, size_t index, const struct symbol_place *place)
{
	static const char *const certainty[] = {"NAMED", "BOUNDED", "UNKNOWN"};
	struct named *named = context;
	char *line = named->lines[index];
	int length = snprintf(line, sizeof(named->lines[0]), "%s", certainty[place->certainty]);

	assert_int_equal(index, named->count++);
	for (size_t i = 0; i < place->frame_count; i++) {
		const struct symbol_frame *frame = &place->frames[i];

		length += snprintf(line + length, sizeof(named->lines[0]) - (size_t)length, "%s %s",
				   i ? " <" : "", frame->function);
		if (frame->line)
			length += snprintf(line + length, sizeof(named->lines[0]) - (size_t)length,
					   " %s:%u", base_of(frame->file), frame->line);
	}
	return 0;
}

static inline void named_ask(struct named *named, const struct symbol_object *object,
			     const uint64_t *addresses, size_t count)
{
	assert_true(count <= 64);
	named->count = 0;
	assert_int_equal(symbols_name(named->symbols, object, addresses, count, named_take, named),
			 0);
	assert_int_equal(named->count, count);
}

/* The line of one address of the file PATH. */
static inline const char *named_one(struct named *named, const char *path, uint64_t address)
{
	struct symbol_object object = {.space = SYMBOL_FILE, .path = path, .build_id = ""};

	named_ask(named, &object, &address, 1);
	return named->lines[0];
}

static inline struct named *named_open(void)
{
	struct symbols_options options = {0};
	struct named *named = calloc(1, sizeof(*named));

	assert_non_null(named);
	assert_int_equal(symbols_open(&options, &named->symbols, NULL), 0);
	return named;
}

static inline void named_close(struct named *named)
{
	symbols_close(named->symbols);
	free(named);
}

/* Run a shell command in FOLDER, which must succeed. */
__attribute__((format(printf, 2, 3))) static inline void run_in(const char *folder,
								const char *format, ...)
{
	char command[4096];
	int length = snprintf(command, sizeof(command), "cd %s && ", folder);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command + length, sizeof(command) - (size_t)length, format, arguments);
	va_end(arguments);
	if (system(command))
		fail_msg("%s", command);
}

static inline void write_text(const char *folder, const char *name, const char *text)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* The address nm gives SYMBOL in the file NAME of FOLDER. */
static inline uint64_t address_of(const char *folder, const char *name, const char *symbol)
{
	char command[4096], found[256];
	unsigned long long address = 0, at;
	FILE *nm;

	snprintf(command, sizeof(command), "nm %s/%s", folder, name);
	nm = popen(command, "r");
	assert_non_null(nm);
	while (fgets(command, sizeof(command), nm))
		if (sscanf(command, "%llx %*c %255s", &at, found) == 2 && !strcmp(found, symbol))
			address = at;
	pclose(nm);
	assert_true(address);
	return address;
}

/* A fresh folder in *STATE, and its end: a setup and a teardown for cmocka groups. */
static inline int folder_make(void **state)
{
	const char *parent = getenv("TMPDIR");
	char *folder;

	if (asprintf(&folder, "%s/profil-test-XXXXXX", parent ? parent : "/tmp") < 0)
		return -1;
	*state = mkdtemp(folder);
	return *state ? 0 : -1;
}

static inline int folder_remove(void **state)
{
	run_in("/", "rm -rf '%s'", (char *)*state);
	free(*state);
	return 0;
}

#endif
