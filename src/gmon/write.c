// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/write.h"

#include "gmon/arcs.h"
#include "gmon/clock.h"
#include "gmon/formats.h"
#include "gmon/objects.h"
#include "gmon/output.h"
#include "gmon/save.h"
#include "gmon/scan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct gmon_format *format(void)
{
	const char *name = getenv("PROFIL_GMON_FORMAT");

	for (size_t i = 0; name && *name && gmon_formats[i].name; i++)
		if (!strcmp(name, gmon_formats[i].name))
			return &gmon_formats[i];
	if (name && *name)
		output_complain("PROFIL_GMON_FORMAT", "there is no such format, gnu is written",
				"take gnu, 4.4bsd, bsd or pprof");
	return &gmon_formats[0];
}

/* How many of the objects before it in the list have OBJECT's name: they get the same name with a
 * number. */
static unsigned long namesakes(const struct object *object)
{
	unsigned long count = 0;

	for (struct object *each = object->next; each; each = each->next)
		count += !strcmp(each->name, object->name);
	return count;
}

static void add_name(struct text *path, const struct object *object)
{
	unsigned long number = namesakes(object);

	text_add(path, object->name);
	if (number) {
		text_add(path, ".");
		text_add_number(path, number + 1);
	}
}

/* gmon.out and gmon.LIB.out; of a child gmon.out.PID; with GMON_OUT_PREFIX, PREFIX.PID as glibc has
 * it, and PREFIX-LIB.PID: so PREFIX.* are those of the program alone, which gprof adds up. */
static void name_file(struct text *path, const struct object *object, bool is_child)
{
	const char *prefix = getenv("GMON_OUT_PREFIX");
	bool has_prefix = prefix && *prefix;

	path->length = 0;
	path->is_cut = false;
	text_add(path, has_prefix ? prefix : "gmon.");
	if (!object->is_program) {
		text_add(path, has_prefix ? "-" : "");
		add_name(path, object);
		text_add(path, has_prefix ? "" : ".");
	}
	text_add(path, has_prefix ? "" : "out");
	if (has_prefix || is_child) {
		text_add(path, ".");
		text_add_number(path, (unsigned long)getpid());
	}
}

static bool has_anything(const struct object *object, const struct arcs_table *calls)
{
	struct scan scan;
	uint64_t ticks;
	size_t cell;
	bool has_ticks;

	scan_begin(&scan, object);
	has_ticks = scan_next(&scan, &cell, &ticks);
	scan_end(&scan);
	if (has_ticks)
		return true;
	for (uint32_t i = 0; calls && i < arcs_used(calls); i++)
		if (calls->arcs[i].count && objects_at(calls->arcs[i].self) == object)
			return true;
	return false;
}

static void write_object(const struct gmon_format *as, const struct object *object,
			 const struct arcs_table *calls, bool is_child)
{
	struct text path;
	struct output output;
	int ret;

	name_file(&path, object, is_child);
	ret = output_open(&output, &path);
	if (!ret) {
		gmon_format_write(as, &output, object, calls, clock_hertz());
		ret = output_close(&output, &path);
	}
	if (ret)
		output_complain(path.start, strerrordesc_np(-ret),
				"run it where it may write, or set GMON_OUT_PREFIX");
}

/* Calls from outside of an object are one: whose they were is not known to its file's reader.  Such
 * a caller is an address that nobody has, for each function another one, so that they spread. */
static uintptr_t caller(uintptr_t from, uintptr_t self)
{
	struct object *object = objects_at(self);

	return object && from >= object->low && from < object->high ? from : ~self;
}

/* Calls in a library that was loaded and unloaded before anything looked at it. */
static void tell_unseen_objects(const struct arcs_table *calls)
{
	for (uint32_t i = 0; i < arcs_used(calls); i++)
		if (calls->arcs[i].count && !objects_at(calls->arcs[i].self)) {
			output_complain("calls", "some are of functions in no file that was seen",
					"keep a library loaded until the process ends");
			return;
		}
}

static void write_objects(const struct arcs_table *calls, bool is_child)
{
	const struct gmon_format *as = format();

	for (struct object *each = objects_first(); each; each = each->next)
		if (each->is_program || has_anything(each, calls))
			write_object(as, each, calls, is_child);
}

static uintptr_t as_it_is(uintptr_t from, uintptr_t self)
{
	return from;
}

void write_all(bool is_child, bool is_final)
{
	bool is_profile = save_is_wanted();
	uint64_t lost;
	struct arcs_table *calls = arcs_merge(is_profile ? as_it_is : caller, &lost);

	if (lost || !calls)
		output_complain("calls", "there was no memory to count them all", "free some");
	if (calls)
		tell_unseen_objects(calls);
	if (!is_profile)
		write_objects(calls, is_child);
	else if (calls)
		save_profile(calls, is_child, is_final);
	arcs_free(calls);
}
