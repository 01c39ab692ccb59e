// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/pprof.h"

#include "base/build_id.h"
#include "base/pprof_fields.h"
#include "base/proto.h"
#include "gmon/pprof_private.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Texts are numbered before they are written: those of every profile, two for each mapping, then
 * the comments. */
enum { TEXT_NONE, TEXT_TICKS, TEXT_COUNT, TEXT_CPU, TEXT_NANOSECONDS, TEXT_CALLS, TEXTS };

static const char *const texts[TEXTS] = {"", "samples", "count", "cpu", "nanoseconds", "calls"};

static uint64_t path_text(size_t mapping)
{
	return TEXTS + 2 * mapping;
}

static uint64_t build_id_text(size_t mapping)
{
	return TEXTS + 2 * mapping + 1;
}

static uint64_t comment_text(const struct pprof *pprof, size_t comment)
{
	return TEXTS + 2 * pprof->places.object_count + comment;
}

/* More than the largest message takes: six numbers, or five packed. */
#define MESSAGE_MAX 128

static void put_bytes(struct pprof *pprof, const struct proto *message)
{
	gzip_bytes(&pprof->gzip, message->bytes, message->used);
}

static void put_message(struct pprof *pprof, uint32_t field, const struct proto *message)
{
	struct proto head = PROTO(PROTO_HEAD_MAX);

	proto_head(&head, field, message->used);
	put_bytes(pprof, &head);
	put_bytes(pprof, message);
}

void pprof_text(struct pprof *pprof, const char *const *parts, size_t count)
{
	struct proto head = PROTO(PROTO_HEAD_MAX);
	size_t length = 0;

	for (size_t i = 0; i < count; i++)
		length += strlen(parts[i]);
	proto_head(&head, PPROF_STRING_TABLE, length);
	put_bytes(pprof, &head);
	for (size_t i = 0; i < count; i++)
		gzip_bytes(&pprof->gzip, parts[i], strlen(parts[i]));
}

/* TICKS x PERIOD, held at the largest number there is. */
static uint64_t nanoseconds(uint64_t ticks, uint64_t period)
{
	int64_t product;

	return __builtin_mul_overflow(ticks, period, &product) ? INT64_MAX : (uint64_t)product;
}

static void put_sample(struct pprof *pprof, const uint64_t *stack, size_t depth,
		       const uint64_t *values)
{
	struct proto sample = PROTO(MESSAGE_MAX);

	proto_numbers(&sample, PPROF_SAMPLE_LOCATION_ID, stack, depth);
	proto_numbers(&sample, PPROF_SAMPLE_VALUE, values, pprof->places.call_count ? 3 : 2);
	put_message(pprof, PPROF_SAMPLE, &sample);
}

static void put_ticks(struct pprof *pprof)
{
	for (size_t i = 0; i < pprof->places.count; i++) {
		uint64_t location = i + 1, ticks = pprof->places.places[i].ticks;
		uint64_t values[] = {ticks, nanoseconds(ticks, pprof->facts->period_ns), 0};

		if (ticks)
			put_sample(pprof, &location, 1, values);
	}
}

/* The function and, where it is known, its caller, without a tick. */
static void put_calls(struct pprof *pprof)
{
	for (size_t i = 0; i < pprof->places.call_count; i++) {
		const struct places_call *call = &pprof->places.calls[i];
		uint64_t stack[] = {(uint64_t)call->callee + 1, (uint64_t)call->caller + 1};
		uint64_t values[] = {0, 0, call->count};

		put_sample(pprof, stack, call->caller == PLACES_NOBODY ? 1 : 2, values);
	}
}

struct pprof_extent pprof_extent(const struct object *object)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t low = object ? object->low - object->base : 0;

	if (!object)
		return (struct pprof_extent){.limit = UINT64_MAX};
	return (struct pprof_extent){
		.start = low & -page,
		.limit = (object->high - object->base + page - 1) & -page,
		.offset = object->offset - low % page,
	};
}

static void put_mappings(struct pprof *pprof)
{
	for (size_t i = 0; i < pprof->places.object_count; i++) {
		const struct object *object = pprof->places.objects[i];
		struct pprof_extent extent = pprof_extent(object);
		struct proto mapping = PROTO(MESSAGE_MAX);

		proto_number(&mapping, PPROF_MAPPING_ID, i + 1);
		proto_number(&mapping, PPROF_MAPPING_START, extent.start);
		proto_number(&mapping, PPROF_MAPPING_LIMIT, extent.limit);
		proto_number(&mapping, PPROF_MAPPING_OFFSET, extent.offset);
		proto_number(&mapping, PPROF_MAPPING_FILENAME, path_text(i));
		proto_number(&mapping, PPROF_MAPPING_BUILD_ID, build_id_text(i));
		put_message(pprof, PPROF_MAPPING, &mapping);
	}
}

static void put_locations(struct pprof *pprof)
{
	for (size_t i = 0; i < pprof->places.count; i++) {
		const struct place *place = &pprof->places.places[i];
		struct proto location = PROTO(MESSAGE_MAX);

		proto_number(&location, PPROF_LOCATION_ID, i + 1);
		proto_number(&location, PPROF_LOCATION_MAPPING_ID, place->object + 1);
		proto_number(&location, PPROF_LOCATION_ADDRESS, place->address);
		put_message(pprof, PPROF_LOCATION, &location);
	}
}

static void put_type(struct pprof *pprof, uint32_t field, uint64_t type, uint64_t unit)
{
	struct proto message = PROTO(MESSAGE_MAX);

	proto_number(&message, PPROF_VALUE_TYPE_TYPE, type);
	proto_number(&message, PPROF_VALUE_TYPE_UNIT, unit);
	put_message(pprof, field, &message);
}

static void put_number(struct pprof *pprof, uint32_t field, uint64_t number)
{
	struct proto message = PROTO(MESSAGE_MAX);

	proto_number(&message, field, number);
	put_bytes(pprof, &message);
}

static void put_head(struct pprof *pprof)
{
	put_type(pprof, PPROF_SAMPLE_TYPE, TEXT_TICKS, TEXT_COUNT);
	put_type(pprof, PPROF_SAMPLE_TYPE, TEXT_CPU, TEXT_NANOSECONDS);
	if (pprof->places.call_count)
		put_type(pprof, PPROF_SAMPLE_TYPE, TEXT_CALLS, TEXT_COUNT);
	put_number(pprof, PPROF_TIME_NANOS, (uint64_t)pprof->facts->began_ns);
	put_number(pprof, PPROF_DURATION_NANOS, pprof->facts->duration_ns);
	put_type(pprof, PPROF_PERIOD_TYPE, TEXT_CPU, TEXT_NANOSECONDS);
	put_number(pprof, PPROF_PERIOD, pprof->facts->period_ns);
	for (size_t i = 0; i < pprof->comment_count; i++)
		put_number(pprof, PPROF_COMMENT, comment_text(pprof, i));
	put_number(pprof, PPROF_DEFAULT_SAMPLE_TYPE, TEXT_CPU);
}

static void put_build_id(struct pprof *pprof, const struct object *object)
{
	char text[2 * OBJECT_BUILD_ID_MAX + 1] = "";
	const char *part = text;

	if (object)
		build_id_print(object->build_id, object->build_id_size, text);
	pprof_text(pprof, &part, 1);
}

static void put_texts(struct pprof *pprof)
{
	for (size_t i = 0; i < TEXTS; i++)
		pprof_text(pprof, &texts[i], 1);
	for (size_t i = 0; i < pprof->places.object_count; i++) {
		const struct object *object = pprof->places.objects[i];
		const char *path = object ? object->path : "[unresolved]";

		pprof_text(pprof, &path, 1);
		put_build_id(pprof, object);
	}
	pprof_comments(pprof);
}

/* In the order of profil(5): the table of texts is the last. */
static void put_profile(struct pprof *pprof, struct output *output)
{
	pprof->is_counting = true;
	pprof_comments(pprof);
	pprof->is_counting = false;
	gzip_open(&pprof->gzip, output);
	put_ticks(pprof);
	put_calls(pprof);
	put_mappings(pprof);
	put_locations(pprof);
	put_head(pprof);
	put_texts(pprof);
	gzip_close(&pprof->gzip);
}

int pprof_put(struct output *output, const struct arcs_table *calls,
	      const struct pprof_facts *facts)
{
	struct pprof *pprof = mmap(NULL, sizeof(*pprof), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int ret;

	if (pprof == MAP_FAILED)
		return -ENOMEM;
	pprof->facts = facts;
	ret = places_collect(&pprof->places, calls, &facts->account);
	if (!ret)
		put_profile(pprof, output);
	places_free(&pprof->places);
	(void)munmap(pprof, sizeof(*pprof));
	return ret;
}
