// SPDX-License-Identifier: BSD-2-Clause
#include "engine/kernel/object/offsets.h"
#include "engine/kernel/object/private.h"
#include "histogram/region_table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

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

static int fill_regions(struct kernel_run *run, const struct region_table *table)
{
	struct count_region *regions;
	size_t size;

	regions = map_elements(run->skeleton->maps.regions, &size);
	if (!regions)
		return -errno;
	for (size_t i = 0; i < table->region_count; i++)
		regions[i] = translate(&table->regions[i], &run->extents);
	munmap(regions, size);
	return 0;
}

static int fill_spans(struct kernel_run *run, const struct region_table *table)
{
	struct count_span *spans;
	uint32_t step = 0;
	size_t size;

	spans = map_elements(run->skeleton->maps.spans, &size);
	if (!spans)
		return -errno;
	for (size_t i = 0; i < table->span_count; i++) {
		uint32_t region = table->spans[i].region;

		spans[i].start = table->spans[i].start;
		spans[i].region = region == REGION_NONE ? COUNT_NOBODYS : region;
	}
	munmap(spans, size);
	for (size_t left = table->span_count; left; left /= 2)
		step = step ? step * 2 : 1;
	run->globals->span_step = step;
	return 0;
}

/* An array has one element at least. */
static size_t at_least_one(size_t elements)
{
	return elements ? elements : 1;
}

static int set_size(struct bpf_map *map, size_t elements)
{
	if (elements > UINT32_MAX)
		return -E2BIG;
	return bpf_map__set_max_entries(map, (uint32_t)at_least_one(elements));
}

static int set_sizes(struct kernel_run *run, const struct region_table *table)
{
	struct count *count = run->skeleton;
	int ret = set_size(count->maps.area, run->page_count);

	if (!ret)
		ret = set_size(count->maps.tallies, run->page_count);
	if (!ret)
		ret = set_size(count->maps.counters, run->cpu_count);
	if (!ret)
		ret = set_size(count->maps.spans, table->span_count);
	return ret ? ret : set_size(count->maps.regions, table->region_count);
}

/* What is looked at while it runs. */
static int map_all(struct kernel_run *run)
{
	struct count *count = run->skeleton;
	size_t size;

	run->area = map_elements(count->maps.area, &size);
	run->tallies = run->area ? map_elements(count->maps.tallies, &size) : NULL;
	run->counters = run->tallies ? map_elements(count->maps.counters, &size) : NULL;
	run->globals = run->counters ? map_elements(count->maps.bss, &size) : NULL;
	return run->globals ? 0 : -errno;
}

static void unmap(void *elements, size_t size)
{
	if (elements)
		munmap(elements, size);
}

void load_unmap(struct kernel_run *run)
{
	size_t pages = at_least_one(run->page_count);

	unmap(run->area, pages * COUNT_PAGE);
	unmap(run->tallies, pages * sizeof(*run->tallies));
	unmap(run->counters, run->cpu_count * sizeof(*run->counters));
	unmap(run->globals, sizeof(*run->globals));
}

/* Where the program has each page. */
static void fill_tallies(struct kernel_run *run)
{
	for (size_t i = 0; i < run->extents.count; i++) {
		const struct extent *extent = &run->extents.list[i];
		struct count_tally *tally = &run->tallies[extent->place / COUNT_PAGE];

		for (size_t at = 0; at < extent->length; at += COUNT_PAGE)
			(tally++)->address = extent->start + at;
	}
}

static int fill(struct kernel_run *run, const struct region_table *table)
{
	int ret = map_all(run);

	if (ret)
		return ret;
	fill_tallies(run);
	ret = fill_regions(run, table);
	return ret ? ret : fill_spans(run, table);
}

/* ------------------------------------------------------------------ the program */

static int set_constants(struct count *count)
{
	struct count_offsets offsets;
	int ret = offsets_find(&offsets);

	if (ret)
		return ret;
	memcpy((void *)&count->rodata->offsets, &offsets, sizeof(offsets));
	count->rodata->page_shift = (uint32_t)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	return 0;
}

static int load(struct kernel_run *run, const struct region_table *table)
{
	/* libbpf may be the measured program's own, too. */
	libbpf_print_fn_t before = libbpf_set_print(quiet);
	int ret;

	run->skeleton = count__open();
	ret = run->skeleton ? set_sizes(run, table) : -errno;
	if (!ret)
		ret = set_constants(run->skeleton);
	if (!ret)
		ret = count__load(run->skeleton);
	libbpf_set_print(before);
	return ret ? ret : fill(run, table);
}

/* The kernel's own form of a device number. */
static uint64_t kernel_device(dev_t device)
{
	return (uint64_t)major(device) << 20 | minor(device);
}

static int want_thread(struct count__bss *globals, pid_t tid)
{
	struct stat namespace;

	if (!tid)
		return 0;
	if (stat("/proc/self/ns/pid", &namespace))
		return -errno;
	globals->wanted_thread = (uint32_t)tid;
	globals->namespace_device = kernel_device(namespace.st_dev);
	globals->namespace_inode = namespace.st_ino;
	return 0;
}

/* Let the program itself look who runs it. */
static int want_ticks(struct kernel_run *run, pid_t tid)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int ret = want_thread(run->globals, tid);

	return ret ? ret
		   : bpf_prog_test_run_opts(bpf_program__fd(run->skeleton->progs.want), &opts);
}

int load_count(struct kernel_run *run, const struct inside_options *options, pid_t tid,
	       struct error *reterr)
{
	int ret = libbpf_num_possible_cpus();

	run->cpu_count = ret > 0 ? (size_t)ret : 0;
	run->page_count = run->extents.size / COUNT_PAGE;
	if (ret > 0)
		ret = load(run, options->table);
	if (!ret)
		ret = want_ticks(run, tid);
	if (!ret)
		return 0;
	return error_set(reterr, ret,
			 "kernel engine: cannot load the counting program with %zu bytes of cells: "
			 "%s: run as root, or take another engine",
			 run->extents.size, strerror(-ret));
}
