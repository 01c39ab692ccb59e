// SPDX-License-Identifier: BSD-2-Clause
#include "format/perf_script.h"

#include "base/keyset.h"
#include "base/trie.h"
#include "base/array.h"
#include "base/progress.h"
#include "base/strings.h"
#include "format/perf_line.h"
#include "format/perf_mmaps.h"
#include "format/stack.h"
#include "profile/contexts.h"
#include "profile/foreign.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Samples are counted into cells as they are read: a cell is an address of an object and who
 * called. The names of the first sample at an address are those of its cell. */

#define COMM_MAX 15 /* what the kernel keeps of a name */
#define INLINED_MAX 64
#define KERNEL_BIT ((uint64_t)1 << 63)

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
	struct profile_context *frames; /* its stack, innermost first, without parents */
	size_t frame_count, frame_capacity;
	bool in_kernel; /* its frame before was */
	enum stack_end stack_end;
	struct trie contexts;
	struct keyset cells; /* (location, context, end of the stack) */
	bool open;	     /* its tick has not been charged yet */
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

/* A program need not be called as its process is: redis-server is a link to redis-check-rdb. */
static bool is_program(const struct perf_in *in, struct perf_text object)
{
	return object.size && *object.start == '/' &&
	       (is_namesake(in, object) || !perf_text_is_library(object));
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
	if (!profile_says_address(profile_text(in->profile, function.name)))
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

/* A location that is new. */
static int add_location(struct perf_in *in, struct profile_location *location,
			struct perf_text symbol)
{
	uint32_t index;
	int ret = 0;

	for (size_t i = 0; i < in->inlined_count && ret >= 0; i++)
		ret = add_line(in, in->inlined[i], location->mapping, location);
	if (ret >= 0 && has_name(symbol))
		ret = add_line(in, symbol, location->mapping, location);
	return ret < 0 ? ret : profile_add_location(in->profile, location, &index);
}

/* One more frame of the sample's stack, at PLACE. */
static int add_frame(struct perf_in *in, const struct profile_location *place,
		     struct perf_text symbol, bool interrupted)
{
	struct profile_location location = *place;
	struct key key = {{location.mapping, location.address}};
	struct profile_context frame = {.interrupted = interrupted};
	int ret = keyset_add(&in->locations, &key, &frame.location);

	if (ret > 0)
		ret = add_location(in, &location, symbol);
	if (ret < 0)
		return ret;
	if (ARRAY_RESERVE(in->frames, in->frame_capacity, in->frame_count + 1))
		return -ENOMEM;
	in->frames[in->frame_count++] = frame;
	in->inlined_count = 0;
	return 0;
}

/* The tick of the sample, whose stack has been read. */
static int charge(struct perf_in *in)
{
	struct profile_cell cell = {
		.location = in->frames[0].location,
		.task = PROFILE_NO_TASK,
		.stack_end = in->stack_end,
	};
	struct key key;
	uint32_t number;
	int ret = 0;

	for (size_t i = in->frame_count; --i && ret >= 0;) {
		in->frames[i].parent = cell.context;
		ret = contexts_add(&in->contexts, in->profile, &in->frames[i], &cell.context);
	}
	if (ret < 0)
		return ret;
	key = (struct key){{cell.location, cell.context, cell.stack_end}};
	ret = keyset_add(&in->cells, &key, &number);
	if (ret > 0)
		ret = profile_add_cell(in->profile, &cell);
	if (ret < 0)
		return ret;
	in->profile->cells[number].ticks++;
	in->open = false;
	return 0;
}

static int add_unresolved(struct perf_in *in)
{
	static const char name[] = "[unresolved]";
	struct profile_location location = {
		.kind = LOCATION_UNRESOLVED,
		.address = UNRESOLVED_NO_MAPPING,
	};
	int ret = find_mapping(in, (struct perf_text){name, sizeof(name) - 1}, PERF_IN_FILE,
			       &location.mapping);

	in->inlined_count = 0;
	return ret < 0 ? ret
		       : add_frame(in, &location, (struct perf_text){name, 0},
				   /* interrupted= */ false);
}

/* A tick there is nobody's.  A caller there is no call: the stack is known up to that, and as
 * profil itself writes it, SYMBOL tells why. */
static int take_unknown(struct perf_in *in, struct perf_text symbol)
{
	enum stack_end end = stack_cut_end(symbol.start, symbol.size);

	if (!in->frame_count && end == STACK_NONE)
		return add_unresolved(in);
	in->stack_end = end == STACK_NONE ? STACK_NOT_READABLE : end;
	return 0;
}

/* An address of a process is nothing in a file: it stands for itself. */
static int add_named(struct perf_in *in, struct profile_location *location, struct perf_text symbol,
		     enum perf_address kind, bool interrupted)
{
	char name[32];

	if (kind == PERF_IN_PROCESS && !has_name(symbol))
		symbol = (struct perf_text){name, (size_t)snprintf(name, sizeof(name), "0x%" PRIx64,
								   location->address)};
	return add_frame(in, location, symbol, interrupted);
}

/* The first frame is where the tick was.  A caller's address is that of its return; that of what
 * entered the kernel is its own. */
static int take_frame(struct perf_in *in, const struct perf_frame *frame)
{
	struct profile_location location = {.address = frame->address};
	enum perf_address kind = PERF_IN_FILE;
	bool is_kernel = frame->address & KERNEL_BIT, interrupted;
	int ret;

	if (in->stack_end != STACK_NONE)
		return 0;
	if (perf_text_is(frame->object, "inlined")) {
		if (in->inlined_count < INLINED_MAX)
			in->inlined[in->inlined_count++] = frame->symbol;
		return 0;
	}
	if (!frame->object.size || perf_text_is(frame->object, "[unknown]"))
		return take_unknown(in, frame->symbol);
	interrupted = in->in_kernel && !is_kernel;
	in->in_kernel = is_kernel;
	if (in->frame_count && !interrupted && location.address)
		location.address--;
	if (!foreign_is_anonymous(frame->object.start, frame->object.size))
		kind = perf_mmaps_place(&in->mmaps, frame->object, in->process, &location.address);
	ret = find_mapping(in, frame->object, kind, &location.mapping);
	return ret < 0 ? ret : add_named(in, &location, frame->symbol, kind, interrupted);
}

/* A sample whose frames did not say where it was is a tick all the same. */
static int end_sample(struct perf_in *in)
{
	int ret = 0;

	if (!in->open)
		return 0;
	if (!in->frame_count)
		ret = add_unresolved(in);
	return ret < 0 ? ret : charge(in);
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
	in->frame_count = in->inlined_count = 0;
	in->in_kernel = false;
	in->stack_end = STACK_NONE;
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
	while (ret >= 0 && perf_line_next(&text, &line)) {
		progress_at((in->source->size - text.size) / 1000, in->source->size / 1000);
		ret = take_line(in, line);
	}
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
	int ret;

	progress_begin("reading", "kB");
	ret = in.profile ? take_all(&in) : -ENOMEM;
	progress_end();
	keyset_done(&in.mappings);
	keyset_done(&in.functions);
	keyset_done(&in.locations);
	trie_done(&in.contexts);
	keyset_done(&in.cells);
	free(in.frames);
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
