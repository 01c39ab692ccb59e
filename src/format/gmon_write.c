// SPDX-License-Identifier: BSD-2-Clause
#include "format/gmon.h"

#include "analysis/names.h"
#include "analysis/place.h"
#include "format/gmon_put.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BSD_SPAN_MAX (1u << 30) /* bytes of text: the size of a BSD's file is 31 bits */
/* Full bins of one cell, each with a histogram of its own, and full counters of one call: 40 MB. */
#define FULL_MAX 1000000
#define SECOND_NS 1000000000ull

/* All that is written. */
struct gmon_job {
	struct gmon_out out;
	const struct profile *profile;
	struct object_cells cells;
	struct gmon_calls calls;
	bool has_main; /* one of the files has the name that was asked for */
};

/* The words of the object's file, where it is there; else those of this machine. */
static void take_machine(struct gmon_file *file, const char *path)
{
	unsigned char ident[EI_NIDENT] = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is_elf = fd >= 0 && read(fd, ident, sizeof(ident)) == sizeof(ident) &&
		      !memcmp(ident, ELFMAG, SELFMAG);

	if (fd >= 0)
		(void)close(fd);
	file->word = is_elf && ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
	file->big = is_elf && ident[EI_DATA] == ELFDATA2MSB;
}

static int check_cells(const struct gmon_out *out, const char *object,
		       const struct object_cell *cells, size_t count, struct error *reterr)
{
	uint64_t last = cells[count - 1].address;

	if (out->file.word == 4 && last > UINT32_MAX - GMON_BIN)
		return error_set(reterr, -ENOTSUP,
				 "%s: has samples beyond its 32 bits: leave it out", object);
	for (size_t i = 0; out->file.kind == GMON_GNU && i < count; i++)
		if (cells[i].ticks / GMON_BIN_MAX > FULL_MAX)
			return error_set(reterr, -ENOTSUP,
					 "%s: %" PRIu64
					 " samples in one place are too many for bins "
					 "of 16 bits: take --to pprof",
					 object, cells[i].ticks);
	if (out->file.kind != GMON_GNU && last - cells[0].address > BSD_SPAN_MAX)
		return error_set(reterr, -ENOTSUP,
				 "%s: its text is too large for a gmon.out of BSD: take --to gmon",
				 object);
	return 0;
}

/* Counts that a record cannot hold are split over several, within reason. */
static int check_calls(const struct gmon_out *out, const char *object,
		       const struct gmon_content *content, struct error *reterr)
{
	bool split = out->file.kind == GMON_GNU || out->file.word == 4;

	for (size_t i = 0; split && i < content->call_count; i++)
		if (content->calls[i].count / UINT32_MAX > FULL_MAX)
			return error_set(reterr, -ENOTSUP,
					 "%s: %" PRIu64 " calls of one function are too many for "
					 "counters of 32 bits: take --to pprof",
					 object, content->calls[i].count);
	return 0;
}

/* What is of the object of the COUNT cells from FIRST on goes to PATH. */
static int write_object(struct gmon_job *job, size_t first, size_t count, const char *path,
			struct error *reterr)
{
	const struct profile *profile = job->profile;
	struct gmon_out *out = &job->out;
	struct gmon_content content = {.cells = job->cells.items + first, .cell_count = count};
	uint32_t object = content.cells->object;
	const char *file = profile_text(profile, profile->mappings[object].path);
	int ret;

	content.calls = gmon_calls_of_object(&job->calls, object, &content.call_count);
	take_machine(&out->file, file);
	ret = check_cells(out, file, content.cells, count, reterr);
	if (ret >= 0)
		ret = check_calls(out, file, &content, reterr);
	if (ret >= 0)
		ret = output_open(&out->output, job->profile, path, reterr);
	if (ret < 0)
		return ret;
	gmon_put(out, &content);
	return output_close(&out->output, 0, reterr);
}

/* PATH.NAME, and a number where another object before has the name. */
static char *path_of(const struct gmon_job *job, size_t first, const char *path)
{
	const struct object_cells *cells = &job->cells;
	const char *name = names_object(job->profile, cells->items[first].object);
	unsigned same = 0;
	char *text;

	for (size_t i = 0; i < first; i += object_cells_count(cells, i))
		same += !strcmp(names_object(job->profile, cells->items[i].object), name);
	if (same)
		return asprintf(&text, "%s.%s.%u", path, name, same + 1) < 0 ? NULL : text;
	return asprintf(&text, "%s.%s", path, name) < 0 ? NULL : text;
}

static int write_objects(struct gmon_job *job, const char *path, struct error *reterr)
{
	const struct object_cells *cells = &job->cells;
	size_t shown = object_cells_main(cells, job->profile), count;
	int ret = 0;

	job->has_main = shown < cells->count;
	for (size_t first = 0; first < cells->count && ret >= 0; first += count) {
		char *beside = first == shown ? strdup(path) : path_of(job, first, path);

		count = object_cells_count(cells, first);
		if (!beside)
			return error_set(reterr, -ENOMEM, "%s: %s: free some memory", path,
					 strerror(ENOMEM));
		ret = write_object(job, first, count, beside, reterr);
		free(beside);
	}
	return ret;
}

/* What of the ticks is not in the files, or not where it was or would be looked for. */
static int tell_ticks(const struct gmon_job *job, char *text, size_t size)
{
	struct profile_account account;
	char said[400] = "";
	int length = 0;

	profile_account(job->profile, &account);
	if (account.total > job->cells.ticks)
		length += sprintf(said + length, "; %" PRIu64 " are of no file's text and left out",
				  account.total - job->cells.ticks);
	if (job->out.cut)
		length +=
			sprintf(said + length,
				"; %" PRIu64 " beyond a bin's 65,535 are left out: take --to gmon",
				job->out.cut);
	if (job->cells.moved)
		length += sprintf(said + length, "; %" PRIu64 " at odd addresses are a byte lower",
				  job->cells.moved);
	if (!job->has_main)
		length += sprintf(said + length, "; none are the program's: each library's file "
						 "has its name");
	if (!length)
		return 0;
	return snprintf(text, size, "of %" PRIu64 " samples%s", account.total, said + 1);
}

/* Of calls the files have all, but not all callers. */
static void tell_left(const struct gmon_job *job, struct error *ret_left)
{
	bool is_mon = job->out.file.kind == GMON_MON;
	int length = tell_ticks(job, ret_left->text, sizeof(ret_left->text));
	const char *gap = length ? "; " : "";
	char *rest = ret_left->text + length;
	size_t room = sizeof(ret_left->text) - (size_t)length;

	if (!length)
		*rest = '\0';
	if (is_mon && job->calls.count)
		(void)snprintf(rest, room, "%swho called is left out: take --to gmon", gap);
	else if (job->calls.strangers)
		(void)snprintf(rest, room,
			       "%sof %" PRIu64 " calls the caller, in another file, is left out",
			       gap, job->calls.strangers);
}

static int collect(struct gmon_job *job)
{
	uint32_t *objects = place_objects(job->profile);
	int ret = objects ? gmon_calls_of(job->profile, objects, &job->calls) : -ENOMEM;

	if (ret >= 0)
		ret = object_cells_of(job->profile, objects, OBJECT_CELLS_BINS, &job->cells);
	free(objects);
	return ret;
}

int gmon_write(enum gmon_kind kind, const struct profile *profile, const char *path,
	       struct error *ret_left, struct error *reterr)
{
	uint64_t period = profile->facts.period_ns;
	struct gmon_job job = {.profile = profile, .out.file = {.kind = kind, .rate = 1}};
	int ret = collect(&job);

	/* Where the period is not known, gprof's seconds are ticks. */
	if (period && period < SECOND_NS)
		job.out.file.rate = (uint32_t)((SECOND_NS + period / 2) / period);
	if (ret < 0)
		ret = error_set(reterr, ret, "%s: %s: free some memory", path, strerror(-ret));
	else if (job.cells.count)
		ret = write_objects(&job, path, reterr);
	else
		ret = error_set(reterr, -ENOTSUP,
				"%s: no sample is in a program or library: nothing to write", path);
	if (ret >= 0)
		tell_left(&job, ret_left);
	free(job.cells.items);
	free(job.calls.items);
	return ret;
}
