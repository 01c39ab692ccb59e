// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/kernel_object/private.h"
#include "histogram/region_table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/* What libbpf would say on stderr is not for the program's user. */
static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	return 0;
}

/* ------------------------------------------------------------------ the table, as it sees it */

static struct count_region translate(const struct region *region, const struct extents *extents)
{
	struct count_region translated = {
		.offset = region->offset,
		.granule = region->granule,
		.count = region->count,
		.scale = region->scale,
		.width = region->width,
		.limit = region->full == CELL_ENDS_ALL ? INT16_MAX
						       : UINT64_MAX >> (64 - 8 * region->width),
		.wraps = region->full == CELL_WRAPS,
		.ends_all = region->full == CELL_ENDS_ALL,
		.catch_all = region->catch_all,
	};

	if (region->count)
		translated.place = extents_place(extents, region->cells);
	if (region->rule)
		translated.rule = *region->rule;
	return translated;
}

/* ------------------------------------------------------------------ maps */

/* All elements of MAP, which lie one behind the other.  NULL and errno. */
static void *map_elements(const struct bpf_map *map, size_t *ret_size)
{
	size_t size = (size_t)bpf_map__max_entries(map) * bpf_map__value_size(map);
	void *elements = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	*ret_size = size;
	return elements == MAP_FAILED ? NULL : elements;
}

static int fill_regions(struct inside *inside, const struct region_table *table)
{
	struct count_region *regions;
	size_t size;

	regions = map_elements(inside->count->maps.regions, &size);
	if (!regions)
		return -errno;
	for (size_t i = 0; i < table->region_count; i++)
		regions[i] = translate(&table->regions[i], &inside->extents);
	munmap(regions, size);
	return 0;
}

static int fill_spans(struct inside *inside, const struct region_table *table)
{
	struct count_span *spans;
	uint32_t step = 0;
	size_t size;

	spans = map_elements(inside->count->maps.spans, &size);
	if (!spans)
		return -errno;
	for (size_t i = 0; i < table->span_count; i++)
		spans[i] = (struct count_span){table->spans[i].start, table->spans[i].region};
	munmap(spans, size);
	for (size_t left = table->span_count; left; left /= 2)
		step = step ? step * 2 : 1;
	inside->count->bss->span_step = step;
	return 0;
}

/* An array has one element at least. */
static int set_size(struct bpf_map *map, size_t elements)
{
	if (elements > UINT32_MAX)
		return -E2BIG;
	return bpf_map__set_max_entries(map, elements ? (uint32_t)elements : 1);
}

static int set_sizes(struct inside *inside, const struct region_table *table)
{
	struct count *count = inside->count;
	int r = set_size(count->maps.area, inside->extents.size / COUNT_PAGE);

	if (!r)
		r = set_size(count->maps.spans, table->span_count);
	return r ? r : set_size(count->maps.regions, table->region_count);
}

static int fill(struct inside *inside, const struct region_table *table)
{
	size_t size;
	int r = fill_regions(inside, table);

	if (!r)
		r = fill_spans(inside, table);
	if (r)
		return r;
	inside->area = map_elements(inside->count->maps.area, &size);
	return inside->area ? 0 : -errno;
}

/* ------------------------------------------------------------------ the program */

static int load(struct inside *inside, const struct region_table *table)
{
	/* libbpf may be the measured program's own, too. */
	libbpf_print_fn_t before = libbpf_set_print(quiet);
	int r;

	inside->count = count__open();
	r = inside->count ? set_sizes(inside, table) : -errno;
	if (!r)
		r = count__load(inside->count);
	libbpf_set_print(before);
	if (!r && !inside->count->bss) /* short of memory, libbpf goes on without it */
		r = -ENOMEM;
	return r ? r : fill(inside, table);
}

/* Let the program itself look who runs it. */
static int want_ticks(struct count *count, bool this_thread)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	count->bss->wanted_mask = this_thread ? UINT64_MAX : UINT64_MAX << 32;
	return bpf_prog_test_run_opts(bpf_program__fd(count->progs.want), &opts);
}

int load_count(struct inside *inside, const struct inside_options *options, struct error *reterr)
{
	int r = load(inside, options->table);

	if (!r)
		r = want_ticks(inside->count, options->this_thread);
	if (!r)
		return 0;
	return error_set(reterr, r,
			 "kernel engine: cannot load the counting program with %zu bytes of cells: "
			 "%s: run as root, or take another engine",
			 inside->extents.size, strerror(-r));
}
