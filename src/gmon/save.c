// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/save.h"

#include "gmon/arcs.h"
#include "gmon/clock.h"
#include "gmon/objects.h"
#include "gmon/output.h"
#include "libprofil/save.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A profile needs libraries that a program which only counts shall not have, and malloc: it is
 * written by libprofil-save.so, which is loaded now, and not by a handler. */

static int64_t began_ns, began_steady_ns;

static int64_t now_ns(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

bool save_is_wanted(void)
{
	const char *name = getenv("PROFIL_GMON_FORMAT");

	return name && !strcmp(name, "pprof");
}

void save_begin(void)
{
	began_ns = now_ns(CLOCK_REALTIME);
	began_steady_ns = now_ns(CLOCK_MONOTONIC);
}

/* profil.pb.gz; of a child profil.PID.pb.gz; with GMON_OUT_PREFIX, PREFIX.PID.pb.gz. */
static void name_file(struct text *path, bool is_child)
{
	const char *prefix = getenv("GMON_OUT_PREFIX");
	bool has_prefix = prefix && *prefix;

	text_add(path, has_prefix ? prefix : "profil");
	if (has_prefix || is_child) {
		text_add(path, ".");
		text_add_number(path, (unsigned long)getpid());
	}
	text_add(path, ".pb.gz");
}

static size_t count_objects(void)
{
	size_t count = 0;

	for (const struct object *each = objects_first(); each; each = each->next)
		count++;
	return count;
}

static uint32_t number_of(const struct object *object)
{
	uint32_t number = 0;

	for (const struct object *each = objects_first(); each; each = each->next, number++)
		if (each == object)
			return number;
	return SAVE_NOBODY;
}

static void fill_objects(struct save_object *objects)
{
	for (const struct object *each = objects_first(); each; each = each->next)
		*objects++ = (struct save_object){
			.low = each->low,
			.cells = each->cells,
			.count = object_cells(each),
			.granule = OBJECT_GRANULE,
			.is_gone = each->is_gone,
			.path = each->path,
			.offset = each->offset,
		};
}

/* The call is the byte before the one it returns to, see formats.c; of mcount's, too: what follows
 * may be another function's that was inlined. */
static size_t fill_calls(const struct arcs_table *arcs, struct save_call *calls)
{
	size_t count = 0;

	for (uint32_t i = 0; i < arcs->slot_count; i++) {
		const struct arcs_slot *arc = &arcs->slots[i];

		if (!arc->count)
			continue;
		calls[count++] = (struct save_call){
			.caller = arc->from - 1,
			.callee = arc->self - 1,
			.caller_object = number_of(objects_at(arc->from - 1)),
			.callee_object = number_of(objects_at(arc->self)),
			.count = arc->count,
		};
	}
	return count;
}

static uintptr_t as_it_is(uintptr_t from, uintptr_t self)
{
	return from;
}

static void take_account(struct save_job *job)
{
	struct clock_account account;

	clock_account(&account);
	job->account.ticks = account.ticks;
	job->account.counted = account.ticks - account.nobodys - account.lost;
	job->account.nobodys = account.nobodys;
	job->account.lost = account.lost;
	job->account.cpu_ns = account.cpu_ns;
	job->engine = clock_engine();
	job->period_ns = clock_period();
	job->cell_size = OBJECT_GRANULE;
	job->began_ns = began_ns;
	job->duration_ns = (uint64_t)(now_ns(CLOCK_MONOTONIC) - began_steady_ns);
}

static int write_profile(save_counted *save, const struct arcs_table *arcs, const char *path)
{
	size_t objects = count_objects();
	struct save_object *object = calloc(objects + 1, sizeof(*object));
	struct save_call *call = calloc(arcs->slot_count, sizeof(*call));
	struct save_counted counted = {
		.objects = object,
		.object_count = objects,
		.calls = call,
	};
	int ret = -ENOMEM;

	if (object && call) {
		fill_objects(object);
		counted.call_count = fill_calls(arcs, call);
		take_account(&counted.job);
		ret = save(&counted, path);
	}
	free(object);
	free(call);
	return ret;
}

#if GMON_IS_LINKED
/* A static program loads nothing. */
static save_counted *load(void)
{
	return NULL;
}
#else
static save_counted *load(void)
{
	void *object = dlopen(SAVE_OBJECT, RTLD_NOW | RTLD_LOCAL);

	return object ? (save_counted *)dlsym(object, SAVE_COUNTED_SYMBOL) : NULL;
}
#endif

int save_profile(bool is_child)
{
	struct text path = {.length = 0};
	struct arcs_table *arcs;
	save_counted *save;
	uint64_t lost;
	int ret = -ENOMEM;

	name_file(&path, is_child);
	save = load();
	if (!save) {
		output_complain(path.start, SAVE_OBJECT " cannot be loaded, gnu is written",
				"install it; a static program has no use for it");
		return -1;
	}
	arcs = arcs_merge(as_it_is, &lost);
	if (arcs)
		ret = write_profile(save, arcs, path.start);
	if (lost)
		output_complain("calls", "there was no memory to count them all", "free some");
	if (ret)
		output_complain(path.start, strerrordesc_np(-ret),
				"run it where it may write, or set GMON_OUT_PREFIX");
	arcs_free(arcs);
	return ret ? -1 : 0;
}
