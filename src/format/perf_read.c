// SPDX-License-Identifier: BSD-2-Clause
#include "format/perf_script.h"

#include "base/keyset.h"
#include "base/array.h"
#include "base/strings.h"
#include "format/perf_line.h"
#include "format/perf_mmaps.h"
#include "profile/foreign.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Samples are counted into cells as they are read: a cell is an address of an object.  The names of
 * the first sample at an address are those of its cell. */

#define COMM_MAX 15 /* what the kernel keeps of a name */
#define INLINED_MAX 64

static const char in_process[] =
	"the addresses are the process's, and what was mapped there is not known: "
	"give the text of 'perf script --show-mmap-events'";

struct perf_in {
	const struct format_source *source;
	struct profile *profile;
	struct error *reterr;
	struct keyset mappings, functions,
		locations; /* object; (object, name); (object, address) */
	bool *programs;	   /* of each mapping, whether it is one; heap */
	size_t program_capacity;
	struct perf_mmaps mmaps;
	struct perf_text comm; /* of the sample that is being read */
	uint32_t process;      /* its process, or its thread */
	struct perf_text inlined[INLINED_MAX];
	size_t inlined_count;
	bool open; /* its tick has not been charged yet */
};

static int take_text(struct perf_in *in, struct perf_text text, uint32_t *ret_id)
{
	return strings_add(in->profile->strings, text.start, text.size, ret_id);
}

/* Whether OBJECT gave the process its name. */
static bool is_namesake(const struct perf_in *in, struct perf_text object)
{
	const char *slash = memrchr(object.start, '/', object.size);
	size_t size = object.size;

	if (!slash)
		return false;
	size -= (size_t)(slash + 1 - object.start);
	if (size > COMM_MAX)
		size = COMM_MAX;
	return size == in->comm.size && !memcmp(slash + 1, in->comm.start, size);
}

/* "libc.so", "libc.so.6", "x.node", "y.dll": nobody calls a program so. */
static bool is_library(struct perf_text object)
{
	static const char *const ends[] = {".so", ".node", ".dll"};
	const char *slash = memrchr(object.start, '/', object.size);
	const char *base = slash ? slash + 1 : object.start, *end = object.start + object.size;

	for (size_t i = 0; i < ARRAY_LENGTH(ends); i++) {
		size_t size = strlen(ends[i]);
		const char *found = memmem(base, (size_t)(end - base), ends[i], size);

		if (found && (found + size == end || found[size] == '.' || found[size] == ' '))
			return true;
	}
	return false;
}

/* A program need not be called as its process is: redis-server is a link to redis-check-rdb. */
static bool is_program(const struct perf_in *in, struct perf_text object)
{
	return object.size && *object.start == '/' &&
	       (is_namesake(in, object) || !is_library(object));
}

static int find_mapping(struct perf_in *in, struct perf_text object, enum perf_address kind,
			uint32_t *ret_mapping)
{
	struct profile_mapping mapping = {.limit = UINT64_MAX};
	struct key key = {{0}};
	int ret = take_text(in, object, &mapping.path);

	if (ret >= 0 && kind == PERF_IN_PROCESS)
		ret = profile_string(in->profile, in_process, &mapping.note);
	if (ret < 0)
		return ret;
	key = (struct key){{mapping.path, kind}};
	ret = keyset_add(&in->mappings, &key, ret_mapping);
	if (ret <= 0)
		return ret;
	if (ARRAY_RESERVE(in->programs, in->program_capacity, in->mappings.count))
		return -ENOMEM;
	in->programs[*ret_mapping] = is_program(in, object);
	return profile_add_mapping(in->profile, &mapping, ret_mapping);
}

static int add_line(struct perf_in *in, struct perf_text symbol, uint32_t mapping,
		    struct profile_location *location)
{
	struct profile_function function = {0};
	struct profile_line line = {0};
	struct key key = {{0}};
	uint32_t index;
	int ret = take_text(in, symbol, &function.name);

	if (ret < 0)
		return ret;
	function.system_name = function.name;
	key = (struct key){{mapping, function.name}};
	ret = keyset_add(&in->functions, &key, &line.function);
	if (ret > 0)
		ret = profile_add_function(in->profile, &function, &index);
	if (ret >= 0)
		ret = profile_add_line(in->profile, &line, &index);
	if (ret < 0)
		return ret;
	if (!location->line_count++)
		location->first_line = index;
	return 0;
}

static bool has_name(struct perf_text symbol)
{
	return symbol.size && !perf_text_is(symbol, "[unknown]");
}

/* A location that is new, and its cell, which has its number. */
static int add_location(struct perf_in *in, struct profile_location *location,
			struct perf_text symbol)
{
	struct profile_cell cell = {.task = PROFILE_NO_TASK};
	int ret = 0;

	for (size_t i = 0; i < in->inlined_count && ret >= 0; i++)
		ret = add_line(in, in->inlined[i], location->mapping, location);
	if (ret >= 0 && has_name(symbol))
		ret = add_line(in, symbol, location->mapping, location);
	if (ret >= 0)
		ret = profile_add_location(in->profile, location, &cell.location);
	return ret < 0 ? ret : profile_add_cell(in->profile, &cell);
}

static int charge(struct perf_in *in, const struct profile_location *place, struct perf_text symbol)
{
	struct profile_location location = *place;
	struct key key = {{location.mapping, location.address}};
	uint32_t number;
	int ret = keyset_add(&in->locations, &key, &number);

	if (ret > 0)
		ret = add_location(in, &location, symbol);
	if (ret < 0)
		return ret;
	in->profile->cells[number].ticks++;
	in->open = false;
	in->inlined_count = 0;
	return 0;
}

static int charge_unresolved(struct perf_in *in)
{
	static const char name[] = "[unresolved]";
	struct profile_location location = {
		.kind = LOCATION_UNRESOLVED,
		.address = UNRESOLVED_NO_MAPPING,
	};
	int ret = find_mapping(in, (struct perf_text){name, sizeof(name) - 1}, PERF_IN_FILE,
			       &location.mapping);

	in->inlined_count = 0;
	return ret < 0 ? ret : charge(in, &location, (struct perf_text){name, 0});
}

/* An address of a process is nothing in a file: it stands for itself. */
static int charge_named(struct perf_in *in, struct profile_location *location,
			struct perf_text symbol, enum perf_address kind)
{
	char name[32];

	if (kind == PERF_IN_PROCESS && !has_name(symbol))
		symbol = (struct perf_text){name, (size_t)snprintf(name, sizeof(name), "0x%" PRIx64,
								   location->address)};
	return charge(in, location, symbol);
}

static int take_frame(struct perf_in *in, const struct perf_frame *frame)
{
	struct profile_location location = {.address = frame->address};
	enum perf_address kind = PERF_IN_FILE;
	int ret;

	if (perf_text_is(frame->object, "inlined")) {
		if (in->inlined_count < INLINED_MAX)
			in->inlined[in->inlined_count++] = frame->symbol;
		return 0;
	}
	if (!frame->object.size || perf_text_is(frame->object, "[unknown]"))
		return charge_unresolved(in);
	if (!foreign_is_anonymous(frame->object.start, frame->object.size))
		kind = perf_mmaps_place(&in->mmaps, frame->object, in->process, &location.address);
	ret = find_mapping(in, frame->object, kind, &location.mapping);
	return ret < 0 ? ret : charge_named(in, &location, frame->symbol, kind);
}

/* A sample whose frames did not say where it was is a tick all the same. */
static int end_sample(struct perf_in *in)
{
	return in->open ? charge_unresolved(in) : 0;
}

/* Samples of two events are not the same thing: they are not added up. */
static int take_event(struct perf_in *in, struct perf_text name)
{
	struct profile_facts *facts = &in->profile->facts;
	uint32_t event;
	int ret = take_text(in, name, &event);

	if (ret < 0)
		return ret;
	if (!facts->event)
		facts->event = event;
	if (facts->event == event)
		return 0;
	return error_set(in->reterr, -EINVAL,
			 "%s: samples of the event '%s' and of '%s' are not the same thing: give "
			 "those of one event",
			 in->source->path, profile_text(in->profile, facts->event),
			 profile_text(in->profile, event));
}

static int begin_sample(struct perf_in *in, const struct perf_head *head)
{
	struct profile_facts *facts = &in->profile->facts;
	struct perf_frame frame;
	int ret = end_sample(in);

	if (ret >= 0)
		ret = take_event(in, head->event);
	if (ret < 0)
		return ret;
	/* These two count nanoseconds; of other events a period is no time. */
	if (!facts->period_ns && head->period <= INT64_MAX && head->event.size >= 9 &&
	    (!memcmp(head->event.start, "cpu-clock", 9) ||
	     !memcmp(head->event.start, "task-clock", 9)))
		facts->period_ns = head->period;
	in->comm = head->comm;
	in->process = head->process;
	in->open = true;
	return perf_line_frame(head->rest, &frame) ? take_frame(in, &frame) : 0;
}

static int take_line(struct perf_in *in, struct perf_text line)
{
	struct perf_head head;
	struct perf_frame frame;

	if (!line.size)
		return end_sample(in);
	if (perf_line_head(line, &head))
		return begin_sample(in, &head);
	/* Of the frames the first one that is in an object is where the tick was. */
	if (in->open && *line.start == '\t' && perf_line_frame(line, &frame))
		return take_frame(in, &frame);
	return 0;
}

static int take_all(struct perf_in *in)
{
	struct perf_text text = {(const char *)in->source->bytes, in->source->size}, line;
	uint32_t producer;
	int ret = profile_string(in->profile, "perf script", &producer);

	in->profile->facts.producer = ret < 0 ? 0 : producer;
	if (ret >= 0)
		ret = perf_mmaps_read(&in->mmaps, text);
	while (ret >= 0 && perf_line_next(&text, &line))
		ret = take_line(in, line);
	return ret < 0 ? ret : end_sample(in);
}

bool perf_recognises(const struct format_source *source)
{
	struct perf_text text = {(const char *)source->bytes, source->size}, line;
	struct perf_head head;

	while (perf_line_next(&text, &line))
		if (line.size && *line.start != '#')
			return perf_line_head(line, &head) || perf_line_record(line);
	return false;
}

/* foreign_settle() takes the first object for the program; here the names say which it is. */
static void settle(struct perf_in *in)
{
	foreign_settle(in->profile);
	for (size_t i = 0; i < in->profile->mapping_count; i++) {
		enum profile_class *class = &in->profile->mappings[i].class;

		if (*class == CLASS_PROGRAM || *class == CLASS_LIBRARIES)
			*class = in->programs[i] ? CLASS_PROGRAM : CLASS_LIBRARIES;
	}
}

int perf_read(const struct format_source *source, struct profile **ret_profile,
	      struct error *reterr)
{
	struct perf_in in = {.source = source, .profile = profile_new(), .reterr = reterr};
	int ret = in.profile ? take_all(&in) : -ENOMEM;

	keyset_done(&in.mappings);
	keyset_done(&in.functions);
	keyset_done(&in.locations);
	perf_mmaps_done(&in.mmaps);
	if (ret >= 0) {
		settle(&in);
		free(in.programs);
		*ret_profile = in.profile;
		return 0;
	}
	free(in.programs);
	(void)profile_free(in.profile);
	if (ret != -ENOMEM)
		return ret;
	return error_set(reterr, ret, "%s: %s: free some memory", source->path, strerror(-ret));
}
