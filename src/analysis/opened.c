// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/opened.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *why_no_file(const struct profile *profile, const struct profile_mapping *mapping)
{
	switch (mapping->class) {
	case CLASS_PROGRAM:
	case CLASS_LIBRARIES:
		break;
	case CLASS_KERNEL:
		return "the kernel's text is not in a file that can be read here";
	case CLASS_VDSO:
		return "the vdso's text is not in a file";
	case CLASS_ANONYMOUS:
		return "it is generated code (JIT), which is not captured";
	case CLASS_PYTHON:
		return "it is a function of Python's: its interpreter ran";
	case CLASS_TIME:
		return "a thread that waits runs no code";
	case CLASS_IDLE:
		return "a CPU that is idle runs no code";
	default:
		return "it is not known where its code is";
	}
	if (profile->facts.foreign && !*profile_text(profile, mapping->build_id))
		return "the profile has no build-id of it: the file here may be another";
	return NULL;
}

/* The words of target/module.h without what they say of addresses. */
static const char *why_not_same(enum module_state state)
{
	switch (state) {
	case MODULE_SAME:
		return NULL;
	case MODULE_MISSING:
		return "the file is gone";
	case MODULE_CHANGED:
		return "another file stands there since it ran (its build-id or identity differs)";
	case MODULE_NOT_ELF:
		return "it is no ELF file";
	default:
		return "the file cannot be read";
	}
}

int opened_inspect(const struct profile *profile, uint32_t mapping, struct module *ret_module,
		   const char **ret_why)
{
	const struct profile_mapping *from = &profile->mappings[mapping];
	int ret;

	*ret_module = (struct module){0};
	*ret_why = why_no_file(profile, from);
	if (*ret_why)
		return 0;
	ret = module_inspect(profile_text(profile, from->path), &from->identity,
			     profile_text(profile, from->build_id), ret_module);
	if (!ret)
		*ret_why = why_not_same(ret_module->state);
	return ret;
}

int opened_open(const struct profile *profile, uint32_t mapping, struct opened *ret_opened)
{
	struct module module;
	const char *why;
	int ret;

	*ret_opened = (struct opened){0};
	ret = opened_inspect(profile, mapping, &module, &why);
	module_done(&module);
	if (!ret && !why) {
		ret = code_open(profile_text(profile, profile->mappings[mapping].path),
				&ret_opened->code);
		if (ret && ret != -ENOMEM) {
			why = "the file cannot be read";
			ret = 0;
		}
	}
	if (!ret && why)
		(void)snprintf(ret_opened->why, sizeof(ret_opened->why), "%s", why);
	return ret;
}

void opened_done(struct opened *opened)
{
	opened->code = code_close(opened->code);
}

int opened_shifts(const struct profile *profile, const uint32_t *objects, uint32_t object,
		  uint64_t *shifts)
{
	const struct profile_mapping *first = &profile->mappings[object];
	struct module module;
	int ret;

	memset(shifts, 0, profile->mapping_count * sizeof(*shifts));
	if (!profile->facts.foreign)
		return 0;
	ret = module_inspect(profile_text(profile, first->path), &first->identity,
			     profile_text(profile, first->build_id), &module);
	if (ret < 0)
		return ret;
	for (size_t i = 0; i < profile->mapping_count; i++) {
		const struct profile_mapping *mapping = &profile->mappings[i];
		uint64_t address;

		if (objects[i] == object && module_address(&module, mapping->offset, &address))
			shifts[i] = address - mapping->start;
	}
	module_done(&module);
	return 0;
}
