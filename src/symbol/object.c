// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/object.h"

#include "base/array.h"
#include "symbol/debuginfo.h"
#include "symbol/fetch.h"
#include "symbol/frames.h"
#include "symbol/loaded.h"
#include "symbol/plt.h"
#include "symbol/reach.h"
#include "symbol/section.h"
#include "symbol/symtab.h"
#include "symbol/unwind.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct object {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;	/* the module's */
	GElf_Addr bias; /* from the file's own addresses to libdwfl's */
	struct spans code;
	struct symtab symtab;
	struct strings *stubs; /* names that are in no string table */
	struct frames frames;
	bool no_debug;	 /* debug information is not wanted */
	bool has_unwind; /* read, which is not done before it is needed */
	struct spans unwind;
	struct reach *reaches; /* of the symbols that were asked for and have no end, by symbol */
	size_t reach_limit;    /* instructions that may still be read for it */
};

/* About half a second. */
#define REACH_LIMIT 500000

static char *debug_path; /* NULL: libdwfl's own, ":.debug:/usr/lib/debug" */

static const Dwfl_Callbacks file_callbacks = {
	.find_debuginfo = debuginfo_find,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_path,
};

/* An image has no folder to look for a debug file in. */
static const Dwfl_Callbacks image_callbacks = {
	.find_debuginfo = dwfl_build_id_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_path,
};

static int read_symbols(struct object *object)
{
	if (section_code(object->elf, &object->code) ||
	    symtab_read(&object->symtab, &object->code, object->module, object->bias) ||
	    symtab_read_go(&object->symtab, &object->code, object->elf) ||
	    plt_read(object->elf, &object->code, object->stubs, &object->symtab))
		return -ENOMEM;
	return symtab_finish(&object->symtab);
}

static int read_debug(struct object *object)
{
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(object->module, &bias);

	if (!dwarf)
		return 0;
	return frames_open(&object->frames, dwarf, object->bias - bias, &object->code);
}

/* Read what OBJECT's module, just reported, is made of. */
static int read_module(struct object *object)
{
	int result;

	if (dwfl_report_end(object->dwfl, /* removed= */ NULL, /* arg= */ NULL) || !object->module)
		return -ENOEXEC;
	object->elf = dwfl_module_getelf(object->module, &object->bias);
	if (!object->elf)
		return -ENOEXEC;
	result = read_symbols(object);
	return result || object->no_debug ? result : read_debug(object);
}

static struct object *object_new(const Dwfl_Callbacks *callbacks)
{
	struct object *object = calloc(1, sizeof(*object));

	if (!object)
		return NULL;
	object->reach_limit = REACH_LIMIT;
	object->stubs = strings_new();
	object->dwfl = dwfl_begin(callbacks);
	if (!object->stubs || !object->dwfl)
		return object_close(object);
	dwfl_report_begin(object->dwfl);
	return object;
}

/* Libdwfl would unpack a compressed kernel, walk an archive and wait for a FIFO's writer. */
static int open_elf(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char magic[SELFMAG];
	struct stat status;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) || !S_ISREG(status.st_mode) ||
	    pread(fd, magic, sizeof(magic), 0) != sizeof(magic) ||
	    memcmp(magic, ELFMAG, sizeof(magic))) {
		close(fd);
		return -ENOEXEC;
	}
	return fd;
}

static int finish_open(struct object *object, struct object **ret_object)
{
	int result = read_module(object);

	if (result) {
		object_close(object);
		return result;
	}
	*ret_object = object;
	return 0;
}

static int open_file(const char *path, bool no_debug, struct object **ret_object)
{
	struct object *object;
	int fd = open_elf(path);

	if (fd < 0)
		return fd;
	object = object_new(&file_callbacks);
	if (!object) {
		close(fd);
		return -ENOMEM;
	}
	object->no_debug = no_debug;
	object->module = dwfl_report_offline(object->dwfl, path, path, fd);
	if (!object->module)
		close(fd);
	return finish_open(object, ret_object);
}

int object_open(const char *path, struct object **ret_object)
{
	return open_file(path, /* no_debug= */ false, ret_object);
}

int object_open_code(const char *path, struct object **ret_object)
{
	return open_file(path, /* no_debug= */ true, ret_object);
}

int object_open_image(const char *name, char *image, size_t size, struct object **ret_object)
{
	struct object *object = object_new(&image_callbacks);

	if (!object)
		return -ENOMEM;
	object->module = dwfl_report_offline_memory(object->dwfl, name, name, image, size);
	return finish_open(object, ret_object);
}

struct object *object_close(struct object *object)
{
	if (!object)
		return NULL;
	for (size_t i = 0; object->reaches && i < object->symtab.spans.count; i++)
		reach_done(&object->reaches[i]);
	free(object->reaches);
	frames_done(&object->frames);
	symtab_done(&object->symtab);
	spans_done(&object->code);
	spans_done(&object->unwind);
	strings_free(object->stubs);
	if (object->dwfl)
		dwfl_end(object->dwfl);
	free(object);
	return NULL;
}

uint64_t object_base(const struct object *object)
{
	return loaded_base(object->elf);
}

int object_read_unwind(struct object *object)
{
	if (!object->has_unwind && unwind_read(object->elf, &object->unwind))
		return -ENOMEM;
	object->has_unwind = true;
	return 0;
}

/* The function of ADDRESS by the unwind table; NULL when it has none. */
static int find_unwind(struct object *object, uint64_t address, const struct span **ret_function)
{
	if (object_read_unwind(object))
		return -ENOMEM;
	*ret_function = spans_find(&object->unwind, address);
	return 0;
}

/* Where the symbol that starts at START, ends at END at the latest and has no size of its own is
 * over by the unwind table, which was read: with the function that it is in, or where the next one
 * begins. */
static uint64_t sizeless_end(const struct object *object, uint64_t start, uint64_t end)
{
	const struct spans *unwind = &object->unwind;
	size_t at = ARRAY_FIRST_NOT(i, unwind->count, unwind->items[i].end <= start);
	uint64_t bound;

	if (at == unwind->count)
		return end;
	bound = unwind->items[at].start <= start ? unwind->items[at].end : unwind->items[at].start;
	return bound < end ? bound : end;
}

/* Follow the code of SYMBOL, which has no size, up to END.  Returns 1 and where it was found to go,
 * or 0 where it cannot be told. */
static int follow_sizeless(struct object *object, const struct span *symbol, uint64_t end,
			   const struct reach **ret_reach)
{
	uint64_t size = end - symbol->start;
	int machine = object_machine(object);
	const uint8_t *bytes;
	struct reach *reach;

	if (!object->reaches)
		object->reaches = calloc(object->symtab.spans.count, sizeof(*object->reaches));
	if (!object->reaches)
		return -ENOMEM;
	reach = &object->reaches[symbol - object->symtab.spans.items];
	*ret_reach = reach;
	if (reach->marks)
		return 1;
	if (size > REACH_FARTHEST)
		size = REACH_FARTHEST;
	bytes = reach_can(machine) ? object_bytes(object, symbol->start, size) : NULL;
	if (!bytes)
		return 0;
	return reach_follow(reach, machine, bytes, symbol->start, symbol->start + size,
			    &object->reach_limit)
		       ? -ENOMEM
		       : 1;
}

/* Whether SYMBOL, which spans ADDRESS and has no size, is what stands there: by the unwind table,
 * which was read, where it knows SYMBOL, or else by where its code goes.  Returns 1 and where
 * SYMBOL ends, 0 or -ENOMEM. */
static int sizeless_holds(struct object *object, const struct span *symbol, uint64_t address,
			  uint64_t *ret_end)
{
	uint64_t end = sizeless_end(object, symbol->start, symbol->end);
	const struct reach *reach;
	int ret;

	*ret_end = end;
	if (address >= end || spans_find(&object->unwind, symbol->start))
		return address < end;
	ret = follow_sizeless(object, symbol, end, &reach);
	if (ret <= 0)
		return ret ? ret : 1;
	*ret_end = reach->last;
	return reach_has(reach, address);
}

struct name {
	enum symbol_certainty certainty;
	const char *text; /* may be BUFFER */
	char buffer[512];
};

static void set_nameless(struct name *name, const char *label, enum symbol_certainty certainty,
			 uint64_t address)
{
	snprintf(name->buffer, sizeof(name->buffer), "%.480s+0x%" PRIx64, label, address);
	name->text = name->buffer;
	name->certainty = certainty;
}

/* How the outermost function at ADDRESS is called: by the symbol table, or else by DWARF, or else
 * by the unwind table. */
static int choose_name(struct object *object, uint64_t address, const struct frames_place *place,
		       const char *label, struct name *name)
{
	const struct span *span = spans_find(&object->symtab.spans, address), *function;
	struct symtab_entry symbol;
	uint64_t end;
	int holds;

	*name = (struct name){.certainty = SYMBOL_NAMED};
	symtab_find(&object->symtab, address, &symbol);
	name->text = span ? symbol.name : frames_function(place);
	if (name->text && !(span && symbol.has_no_end))
		return 0;
	if (find_unwind(object, address, &function))
		return -ENOMEM;
	holds = span ? sizeless_holds(object, span, address, &end) : 0;
	if (holds)
		return holds < 0 ? holds : 0;
	name->text = frames_function(place);
	if (name->text)
		return 0;
	if (function)
		set_nameless(name, label, SYMBOL_BOUNDED, function->value);
	else
		set_nameless(name, label, SYMBOL_UNKNOWN, address);
	return 0;
}

static int name_one(struct object *object, const struct symbol_batch *batch, size_t index,
		    uint64_t bias, const char *label)
{
	struct symbols *symbols = batch->symbols;
	uint64_t address = batch->addresses[index] + bias;
	struct frames_place where;
	struct symbol_place place;
	struct name name;

	if (frames_locate(&object->frames, address, &where) ||
	    choose_name(object, address, &where, label, &name) ||
	    frames_chain(&object->frames, &where, name.text, !symbols->options.no_inlines,
			 symbols->demangler))
		return -ENOMEM;
	place.certainty = name.certainty;
	place.frame_count = object->frames.count;
	place.frames = object->frames.items;
	return batch->take(batch->context, index, &place);
}

int object_name(struct object *object, const struct symbol_batch *batch, uint64_t bias,
		const char *label)
{
	int result = 0;

	for (size_t i = 0; i < batch->count && !result; i++)
		result = fetch_is_stopped() ? -ECANCELED : name_one(object, batch, i, bias, label);
	return result;
}

int object_extent(struct object *object, uint64_t address, struct object_extent *ret_extent)
{
	const struct span *symbol = spans_find(&object->symtab.spans, address), *function;
	struct symtab_entry entry;
	int holds;

	if (symtab_find(&object->symtab, address, &entry)) {
		*ret_extent = (struct object_extent){entry.start, symbol->end, entry.name};
		if (!entry.has_no_end)
			return 1;
	}
	if (find_unwind(object, address, &function))
		return -ENOMEM;
	holds = symbol ? sizeless_holds(object, symbol, address, &ret_extent->end) : 0;
	if (holds)
		return holds;
	if (!function)
		return 0;
	*ret_extent = (struct object_extent){.start = function->start, .end = function->end};
	return 1;
}

const struct spans *object_code(const struct object *object)
{
	return &object->code;
}

const struct spans *object_symbols(const struct object *object)
{
	return &object->symtab.spans;
}

const struct spans *object_unwind(const struct object *object)
{
	return &object->unwind;
}

int object_machine(const struct object *object)
{
	return loaded_machine(object->elf);
}

const uint8_t *object_bytes(const struct object *object, uint64_t address, size_t size)
{
	return loaded_bytes(object->elf, address, size);
}
