// SPDX-License-Identifier: BSD-2-Clause
/* What profil takes out of memory that a hostile program has written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "engine/timer/private.h"
#include "histogram/histogram.h"

/* As the engine makes it, for few cells. */
static struct engine make_with(uint64_t context_room)
{
	struct engine engine = {.limit = 64,
				.room = handoff_room(64),
				.period_ns = 1003009,
				.context_room = context_room};

	engine.size = handoff_size(engine.room) + handoff_stacks_size(engine.room, context_room);
	engine.fd = memfd_create("handoff", MFD_CLOEXEC);
	assert_true(engine.fd >= 0);
	assert_false(ftruncate(engine.fd, (off_t)engine.size));
	engine.handoff = mmap(NULL, engine.size, PROT_READ | PROT_WRITE, MAP_SHARED, engine.fd, 0);
	assert_ptr_not_equal(engine.handoff, MAP_FAILED);
	return engine;
}

static struct engine make(void)
{
	return make_with(0);
}

static void end(struct engine *engine)
{
	munmap(engine->handoff, engine->size);
	close(engine->fd);
}

static void put_file(struct engine *engine, uint32_t number, uint32_t path)
{
	engine->handoff->places[number] = (struct handoff_place){
		.is_ready = 1, .kind = HANDOFF_FILE, .inode = number + 1, .path = path};
}

/* Returns how many bytes of paths there are. */
static size_t read_paths(struct engine *engine, struct histogram *ret_histogram)
{
	struct error why;
	size_t sum = 0;

	assert_int_equal(preload_read(engine, /* final= */ true, ret_histogram, &why), 0);
	assert_int_equal(ret_histogram->file_count, HANDOFF_PLACES);
	for (size_t i = 0; i < ret_histogram->file_count; i++)
		sum += strlen(ret_histogram->files[i].path) + 1;
	return sum;
}

/* Each place's path is all the memory there is for paths: 8 GiB together. */
static void places_cannot_share_their_paths(void **state)
{
	struct engine engine = make();
	struct histogram histogram;

	memset(engine.handoff->paths, 'a', HANDOFF_PATHS);
	for (uint32_t i = 0; i < HANDOFF_PLACES; i++)
		put_file(&engine, i, i % 7);
	assert_in_range(read_paths(&engine, &histogram), HANDOFF_PATHS,
			HANDOFF_PATHS + 2 * HANDOFF_PLACES);
	histogram_done(&histogram);
	end(&engine);
}

/* As many as there can be, as long as they can be. */
static void honest_paths_are_whole(void **state)
{
	const uint32_t each = HANDOFF_PATHS / HANDOFF_PLACES;
	struct engine engine = make();
	struct histogram histogram;
	char path[64];

	for (uint32_t i = 0; i < HANDOFF_PLACES; i++) {
		memset(engine.handoff->paths + i * each, 'a', each - 1);
		snprintf(path, sizeof(path), "/%u", i);
		memcpy(engine.handoff->paths + i * each, path, strlen(path));
		put_file(&engine, i, i * each);
	}
	assert_int_equal(read_paths(&engine, &histogram), HANDOFF_PATHS);
	for (uint32_t i = 0; i < HANDOFF_PLACES; i++) {
		snprintf(path, sizeof(path), "/%u", i);
		assert_int_equal(strncmp(histogram.files[i].path, path, strlen(path)), 0);
	}
	histogram_done(&histogram);
	end(&engine);
}

/* A place may say that its path is anywhere. */
static void paths_outside_are_none(void **state)
{
	struct engine engine = make();
	struct histogram histogram;

	for (uint32_t i = 0; i < HANDOFF_PLACES; i++)
		put_file(&engine, i, UINT32_MAX - i);
	assert_int_equal(read_paths(&engine, &histogram), HANDOFF_PLACES);
	histogram_done(&histogram);
	end(&engine);
}

/* The cell called by CONTEXT, the only one. */
static struct histogram_cell read_called(struct engine *engine, uint64_t context,
					 struct histogram *ret_histogram)
{
	struct handoff_stacks stacks =
		handoff_stacks(engine->handoff, engine->room, engine->context_room);
	struct error why;

	engine->handoff->cells[5] = (struct handoff_cell){handoff_key(1, 0, 3), 1};
	stacks.callers[5] = context;
	assert_int_equal(preload_read(engine, /* final= */ true, ret_histogram, &why), 0);
	assert_int_equal(ret_histogram->cell_count, 1);
	return ret_histogram->cells[0];
}

static void assert_cut(struct engine *engine, uint64_t context)
{
	struct histogram histogram;
	struct histogram_cell cell = read_called(engine, context, &histogram);

	assert_int_equal(cell.context, 0);
	assert_int_equal(cell.stack_end, STACK_NOT_READABLE);
	histogram_done(&histogram);
}

static void callers_come_before_whom_they_call(void **state)
{
	struct engine engine = make_with(64);
	struct handoff_context *contexts =
		handoff_stacks(engine.handoff, engine.room, engine.context_room).contexts;
	struct histogram histogram;
	struct histogram_cell cell;

	put_file(&engine, 0, 0);
	contexts[9] =
		(struct handoff_context){handoff_key(1, 0, 70), handoff_caller(41, HANDOFF_CALLED)};
	contexts[40] = (struct handoff_context){handoff_key(1, 0, 80),
						handoff_caller(0, HANDOFF_CALLED | HANDOFF_FOLDED)};
	cell = read_called(&engine, handoff_caller(10, STACK_WHOLE), &histogram);
	assert_int_equal(cell.stack_end, STACK_WHOLE);
	assert_int_equal(cell.context, 2);
	assert_int_equal(histogram.context_count, 2);
	assert_int_equal(histogram.contexts[1].address, 70);
	assert_int_equal(histogram.contexts[1].parent, 1);
	assert_int_equal(histogram.contexts[0].address, 80);
	assert_int_equal(histogram.contexts[0].parent, 0);
	assert_true(histogram.contexts[0].folded && !histogram.contexts[1].folded);
	histogram_done(&histogram);
	end(&engine);
}

/* To themselves, round in circles, to what is not there, and in places that nobody has made. */
static void callers_may_lead_anywhere(void **state)
{
	struct engine engine = make_with(64);
	struct handoff_context *contexts =
		handoff_stacks(engine.handoff, engine.room, engine.context_room).contexts;

	put_file(&engine, 0, 0);
	for (uint32_t i = 0; i < 64; i++)
		contexts[i] = (struct handoff_context){handoff_key(1, 0, i),
						       handoff_caller(i + 1, HANDOFF_CALLED)};
	assert_cut(&engine, handoff_caller(7, STACK_WHOLE));
	contexts[6].caller = handoff_caller(9, HANDOFF_CALLED);
	contexts[8].caller = handoff_caller(7, HANDOFF_CALLED);
	assert_cut(&engine, handoff_caller(7, STACK_WHOLE));
	contexts[8].caller = handoff_caller(65, HANDOFF_CALLED);
	assert_cut(&engine, handoff_caller(7, STACK_WHOLE));
	assert_cut(&engine, handoff_caller(UINT32_MAX, STACK_WHOLE));
	contexts[8] =
		(struct handoff_context){handoff_key(2, 0, 1), handoff_caller(0, HANDOFF_CALLED)};
	assert_cut(&engine, handoff_caller(7, STACK_WHOLE));
	assert_cut(&engine, handoff_caller(0, STACK_ENDS));
	end(&engine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_cannot_share_their_paths),
		cmocka_unit_test(honest_paths_are_whole),
		cmocka_unit_test(paths_outside_are_none),
		cmocka_unit_test(callers_come_before_whom_they_call),
		cmocka_unit_test(callers_may_lead_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
