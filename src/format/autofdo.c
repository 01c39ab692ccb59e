// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include "format/one_file.h"
#include "format/output.h"

#include <inttypes.h>

/* AutoFDO's profile as text, from which create_gcov (--profiler=text --use_lbr=false) makes what
 * gcc takes with -fauto-profile.  It is read in google/autofdo's sample_reader.cc, by
 * TextSampleReaderWriter: three lists, each behind how many there are; without branch records the
 * first and the last are empty.
 *
 *   0
 *   2
 *   1139:160   address, hexadecimal: samples
 *   113d:7
 *   0
 *
 * profile.cc adds the address of the file's first loaded segment to each. */

static bool find_address(const struct one_file *file, const struct object_cell *cell,
			 uint64_t *ret_address)
{
	const struct module *module = &file->module;

	if (!module_address(module, cell->address, ret_address))
		return false;
	*ret_address -= module->segments[0].address;
	return true;
}

/* Returns how many samples are in nothing that is loaded. */
static uint64_t print_cells(struct output *output, const struct one_file *file)
{
	uint64_t placeless = 0, address;
	size_t count = 0;

	for (size_t i = 0; i < file->count; i++) {
		if (find_address(file, &file->cells[i], &address))
			count++;
		else
			placeless = ticks_add(placeless, file->cells[i].ticks);
	}
	output_print(output, "0\n%zu\n", count);
	for (size_t i = 0; i < file->count; i++)
		if (find_address(file, &file->cells[i], &address))
			output_print(output, "%" PRIx64 ":%" PRIu64 "\n", address,
				     file->cells[i].ticks);
	output_print(output, "0\n");
	return placeless;
}

static int write_autofdo(const struct profile *profile, const char *path, struct error *ret_left,
			 struct error *reterr)
{
	struct one_file file;
	struct output output;
	int ret = one_file_open(profile, &file, reterr);

	if (ret < 0)
		return ret;
	ret = output_open(&output, profile, path, reterr);
	if (ret >= 0) {
		one_file_tell(&file, profile, print_cells(&output, &file),
			      "are in no segment of it", ret_left);
		ret = output_close(&output, 0, reterr);
	}
	one_file_close(&file);
	return ret;
}

const struct format_ops autofdo_format = {
	.name = "autofdo",
	.summary = "for create_gcov, and gcc's -fauto-profile",
	.write = write_autofdo,
};
