// SPDX-License-Identifier: BSD-2-Clause
#include "profile/pprof.h"

#include "profile/writer.h"

#include <sha2.h>

static void add_bytes(void *context, const void *bytes, size_t size)
{
	SHA256Update(context, bytes, size);
}

int pprof_write_digest(const struct profile *profile, const char *path,
		       struct pprof_digest *ret_digest, struct error *reterr)
{
	SHA2_CTX digest;
	struct writer writer = {.profile = profile, .watch = add_bytes, .watcher = &digest};
	int ret;

	SHA256Init(&digest);
	ret = writer_replace(&writer, path, /* how= */ 0, reterr);
	if (!ret)
		(void)SHA256End(&digest, ret_digest->text);
	return ret;
}
