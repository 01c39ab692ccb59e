// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/demangle.h"

#include "base/array.h"
#include "base/strings.h"

#include <errno.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct demangler {
	struct strings *names; /* both the linker's and the shown ones */
	uint32_t *shown;       /* by the linker's name: the shown one's number, 0 when not known */
	size_t shown_capacity;
};

/* A mangled name of a hundred bytes can stand for gigabytes of text, for its parts may refer to one
 * another.  libiberty's callback has no way to say "enough", but it keeps nothing on the heap while
 * it calls, so that leaving by longjmp() loses nothing. */
struct text {
	char bytes[8192];
	size_t length;
	jmp_buf too_long;
};

static void append(const char *part, size_t length, void *context)
{
	struct text *text = context;

	if (length >= sizeof(text->bytes) - text->length)
		longjmp(text->too_long, 1);
	memcpy(text->bytes + text->length, part, length);
	text->length += length;
}

static bool demangle_text(const char *name, struct text *text)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;

	text->length = 0;
	if (setjmp(text->too_long))
		return false;
	/* Rust's older mangling is valid C++, so Rust is asked first. */
	if (rust_demangle_callback(name, options, append, text))
		return true;
	text->length = 0;
	return cplus_demangle_v3_callback(name, options, append, text);
}

/* What follows '@' is the linker's, not the compiler's: a version ("@@GLIBC_2.2.5"), which tells a
 * reader nothing, or "@plt", which does. */
static const char *shown_suffix(const char *name)
{
	const char *at = name + strcspn(name, "@");

	return strcmp(at, "@plt") ? "" : at;
}

/* Put NAME, demangled, into TEXT. */
static bool demangle_parts(const char *name, struct text *text)
{
	size_t length = strcspn(name, "@");
	const char *suffix;
	char mangled[4096];

	if (name[0] != '_' || length >= sizeof(mangled))
		return false;
	memcpy(mangled, name, length);
	mangled[length] = '\0';
	if (!demangle_text(mangled, text) || !text->length)
		return false;
	suffix = shown_suffix(name);
	if (strlen(suffix) >= sizeof(text->bytes) - text->length)
		return false;
	memcpy(text->bytes + text->length, suffix, strlen(suffix));
	text->length += strlen(suffix);
	return true;
}

struct demangler *demangler_new(void)
{
	struct demangler *demangler = calloc(1, sizeof(*demangler));

	if (!demangler)
		return NULL;
	demangler->names = strings_new();
	if (!demangler->names) {
		demangler_free(demangler);
		return NULL;
	}
	return demangler;
}

void demangler_free(struct demangler *demangler)
{
	if (!demangler)
		return;
	strings_free(demangler->names);
	free(demangler->shown);
	free(demangler);
}

static int learn(struct demangler *demangler, const char *name, uint32_t id)
{
	struct text text;
	size_t length = *shown_suffix(name) ? strlen(name) : strcspn(name, "@");
	uint32_t shown;
	int result;

	if (demangle_parts(name, &text))
		result = strings_add(demangler->names, text.bytes, text.length, &shown);
	else
		result = strings_add(demangler->names, name, length, &shown);
	if (!result)
		demangler->shown[id] = shown;
	return result;
}

int demangler_show(struct demangler *demangler, const char *name, const char **ret_system,
		   const char **ret_shown)
{
	uint32_t id;

	if (strings_add(demangler->names, name, strlen(name), &id) ||
	    ARRAY_RESERVE(demangler->shown, demangler->shown_capacity, (size_t)id + 1))
		return -ENOMEM;
	if (!demangler->shown[id] && learn(demangler, name, id))
		return -ENOMEM;
	*ret_system = strings_get(demangler->names, id);
	*ret_shown = strings_get(demangler->names, demangler->shown[id]);
	return 0;
}
