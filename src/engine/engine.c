// SPDX-License-Identifier: BSD-2-Clause
#include "engine/engine.h"

#include "engine/kernel_engine.h"

#include <errno.h>
#include <string.h>

const struct engine_ops *const engine_list[] = {
	&kernel_engine, /* loses nothing and costs least */
	NULL,
};

static int choose_first(const struct engine_ops **ret_ops, struct error *reterr)
{
	struct error why;
	int r = -ENOSYS;

	for (size_t i = 0; engine_list[i]; i++) {
		int probed = engine_list[i]->probe(&why);

		if (!probed) {
			*ret_ops = engine_list[i];
			return 0;
		}
		if (i == 0) {
			r = probed;
			if (reterr)
				*reterr = why;
		}
	}
	return r;
}

int engine_choose(const char *name, const struct engine_ops **ret_ops, struct error *reterr)
{
	if (!strcmp(name, "auto"))
		return choose_first(ret_ops, reterr);
	for (size_t i = 0; engine_list[i]; i++) {
		int r;

		if (strcmp(name, engine_list[i]->name))
			continue;
		r = engine_list[i]->probe(reterr);
		if (!r)
			*ret_ops = engine_list[i];
		return r;
	}
	return error_set(reterr, -EINVAL, "--engine %s: no such engine: say auto or kernel", name);
}
