// SPDX-License-Identifier: BSD-2-Clause
#include "format/one_file.h"

#include "analysis/opened.h"
#include "analysis/place.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cell of several bytes does not say which instruction it is of. */
static int check_cells(const struct profile *profile, struct error *reterr)
{
	if (profile->facts.cell_size <= 1)
		return 0;
	return error_set(reterr, -ENOTSUP,
			 "a cell is %" PRIu64
			 " bytes of code: instructions are not told apart: take a profile of "
			 "single addresses",
			 profile->facts.cell_size);
}

static int choose(const struct profile *profile, struct one_file *file, uint32_t *ret_object,
		  struct error *reterr)
{
	size_t first = object_cells_main(&file->all, profile);

	if (!file->all.count)
		return error_set(reterr, -ENOTSUP,
				 "no sample is in a program or library: nothing to write");
	if (first == file->all.count)
		return error_set(reterr, -ENOTSUP,
				 "several libraries have the samples: name one with --object");
	file->cells = &file->all.items[first];
	file->count = object_cells_count(&file->all, first);
	*ret_object = file->cells->object;
	return 0;
}

static int open_chosen(const struct profile *profile, struct one_file *file, struct error *reterr)
{
	const char *why;
	uint32_t object = 0;
	int ret = choose(profile, file, &object, reterr);

	if (ret < 0)
		return ret;
	file->path = profile_text(profile, profile->mappings[object].path);
	ret = opened_inspect(profile, object, &file->module, &why);
	if (ret >= 0 && why)
		return error_set(reterr, -ENOTSUP, "%s: %s: take a new profile", file->path, why);
	return ret;
}

int one_file_open(const struct profile *profile, struct one_file *ret_file, struct error *reterr)
{
	uint32_t *objects = place_objects(profile);
	struct one_file file = {0};
	int ret = check_cells(profile, reterr);

	if (ret >= 0)
		ret = objects ? object_cells_of(profile, objects, OBJECT_CELLS_OFFSETS, &file.all)
			      : -ENOMEM;
	if (ret >= 0)
		ret = open_chosen(profile, &file, reterr);
	free(objects);
	if (ret < 0)
		one_file_close(&file);
	else
		*ret_file = file;
	return ret == -ENOMEM ? error_set(reterr, ret, "%s: free some memory", strerror(ENOMEM))
			      : ret;
}

void one_file_close(struct one_file *file)
{
	free(file->all.items);
	module_done(&file->module);
}

void one_file_tell(const struct one_file *file, const struct profile *profile, uint64_t placeless,
		   const char *why, struct error *ret_left)
{
	char others[300] = "", own[300] = "";
	struct profile_account account;
	uint64_t ticks = 0;

	profile_account(profile, &account);
	for (size_t i = 0; i < file->count; i++)
		ticks = ticks_add(ticks, file->cells[i].ticks);
	*ret_left = (struct error){""};
	if (account.total > ticks)
		(void)snprintf(others, sizeof(others), " %" PRIu64 " are not in %.200s",
			       account.total - ticks, file->path);
	if (placeless)
		(void)snprintf(own, sizeof(own), "%s %" PRIu64 " %s", *others ? " and" : "",
			       placeless, why);
	if (*others || *own)
		(void)error_set(ret_left, 0, "of %" PRIu64 " samples%s%s: they are left out",
				account.total, others, own);
}
