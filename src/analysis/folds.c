// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/folds.h"

#include "base/array.h"

#include <errno.h>
#include <string.h>

/* Returns 1 where KEY is new, 0, or -ENOMEM. */
static int find(struct folds *folds, const struct key *key, uint32_t *ret_number)
{
	int ret = keyset_add(&folds->keys, key, ret_number);

	if (ret < 0 || ARRAY_RESERVE(folds->open, folds->capacity, *ret_number + 1UL))
		return -ENOMEM;
	return ret;
}

bool folds_is_open(struct folds *folds, const struct key *key, bool usual)
{
	uint32_t number;
	int ret = find(folds, key, &number);

	if (ret < 0)
		return usual;
	if (ret > 0)
		folds->open[number] = usual;
	return folds->open[number];
}

int folds_set(struct folds *folds, const struct key *key, bool open)
{
	uint32_t number;
	int ret = find(folds, key, &number);

	if (ret < 0)
		return ret;
	folds->open[number] = open;
	return 0;
}

void folds_done(struct folds *folds)
{
	keyset_done(&folds->keys);
	free(folds->open);
	memset(folds, 0, sizeof(*folds));
}
