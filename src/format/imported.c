// SPDX-License-Identifier: BSD-2-Clause
#include "format/imported.h"

#include "target/module.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define SECOND_NS 1000000000ull

int imported_begin(struct imported *imported, const struct format_source *source)
{
	*imported = (struct imported){.source = source};
	return builder_init(&imported->builder);
}

int imported_again(struct imported *imported)
{
	builder_done(&imported->builder);
	return builder_init(&imported->builder);
}

int imported_identity(const char *path, struct file_identity *ret_identity, struct error *reterr)
{
	struct stat now;

	if (stat(path, &now))
		return error_set(reterr, -errno, "%s: %s: name the program that was measured", path,
				 strerror(errno));
	*ret_identity = (struct file_identity){
		.device = now.st_dev,
		.inode = now.st_ino,
		.mtime_ns = (int64_t)now.st_mtim.tv_sec * (int64_t)SECOND_NS + now.st_mtim.tv_nsec,
	};
	return 0;
}

/* The text of the file is what the mapping stands for. */
static void take_text(const struct module *module, struct profile_mapping *mapping)
{
	for (size_t i = 0; i < module->segment_count; i++) {
		const struct module_segment *segment = &module->segments[i];

		if (!segment->executable)
			continue;
		mapping->start = segment->address;
		mapping->limit = segment->address + segment->size;
		mapping->offset = segment->offset;
		return;
	}
}

static int take_file(struct imported *imported, const char *path, struct profile_mapping *mapping,
		     struct error *reterr)
{
	struct module module;
	int ret = imported_identity(path, &mapping->identity, reterr);

	if (ret < 0)
		return ret;
	ret = module_inspect(path, &mapping->identity, "", &module);
	if (ret < 0)
		return ret;
	if (module.state == MODULE_SAME) {
		take_text(&module, mapping);
		ret = profile_string(imported->builder.profile, module.build_id,
				     &mapping->build_id);
	} else {
		ret = error_set(reterr, -EINVAL, "%s: %s: name the program that was measured", path,
				module_state_text(module.state));
	}
	module_done(&module);
	return ret;
}

int imported_program(struct imported *imported, uint64_t start, uint64_t limit,
		     uint32_t *ret_mapping, struct error *reterr)
{
	const char *path = imported->source->hints.program;
	struct profile_mapping mapping = {.class = CLASS_PROGRAM, .start = start, .limit = limit};
	int ret = path ? take_file(imported, path, &mapping, reterr)
		       : profile_string(imported->builder.profile,
					"the file does not say which program it is of: "
					"name it with --program",
					&mapping.note);

	if (ret >= 0)
		ret = profile_string(imported->builder.profile, path ? path : "[program]",
				     &mapping.path);
	return ret < 0 ? ret : builder_mapping(&imported->builder, &mapping, ret_mapping);
}

int imported_ticks(struct imported *imported, uint32_t mapping, uint64_t address, uint64_t ticks)
{
	const struct profile_location location = {.mapping = mapping, .address = address};

	return builder_ticks(&imported->builder, &location, ticks);
}

static int place(struct imported *imported, uint32_t mapping, uint64_t address,
		 uint32_t *ret_location)
{
	const struct profile_location location = {.mapping = mapping, .address = address};

	return builder_location(&imported->builder, &location, /* frames= */ 0, ret_location);
}

int imported_calls(struct imported *imported, uint32_t mapping, uint64_t caller, uint64_t callee,
		   uint64_t count)
{
	struct profile_call call = {.caller = PROFILE_NO_CALLER, .count = ticks_add(count, 0)};
	int ret;

	if (!count)
		return 0;
	ret = place(imported, mapping, callee, &call.callee);
	if (ret >= 0 && caller)
		ret = place(imported, mapping, caller, &call.caller);
	return ret < 0 ? ret : builder_call(&imported->builder, &call);
}

uint64_t imported_period(uint64_t rate)
{
	return rate ? (SECOND_NS + rate / 2) / rate : 0;
}

int imported_end(struct imported *imported, int code, struct profile **ret_profile,
		 struct error *reterr)
{
	struct profile_account account;
	struct profile *profile;

	if (code >= 0)
		code = builder_settle(&imported->builder, &profile);
	builder_done(&imported->builder);
	if (code >= 0) {
		profile_account(profile, &account);
		profile->facts.samples = account.total;
		profile->facts.foreign = true;
		*ret_profile = profile;
		return 0;
	}
	if (code == -ENOMEM)
		return error_set(reterr, code, "%s: %s: free some memory", imported->source->path,
				 strerror(-code));
	return code;
}
