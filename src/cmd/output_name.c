// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/output_name.h"

#include "base/array.h"
#include "base/parse.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PART_SIZE (HOST_NAME_MAX + 1)

/* Who starts a rank says in its environment which: PMIx, Open MPI, PMI (MPICH, Intel) and Slurm.
 * Slurm's is the last, for a batch job that runs mpirun has it too. */
static int put_rank(char part[PART_SIZE])
{
	static const char *const all[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
					  "SLURM_PROCID"};

	for (size_t i = 0; i < ARRAY_LENGTH(all); i++) {
		const char *text = getenv(all[i]);
		uint64_t rank;

		if (!text || parse_count(text, 0, UINT32_MAX, &rank))
			continue;
		(void)snprintf(part, PART_SIZE, "%llu", (unsigned long long)rank);
		return 0;
	}
	return -ENOENT;
}

static void put_time(char part[PART_SIZE])
{
	time_t now = time(NULL);
	struct tm tm;

	(void)strftime(part, PART_SIZE, "%Y%m%d-%H%M%S", gmtime_r(&now, &tm));
}

/* What the letter at AT of PATTERN, behind a per cent sign, stands for. */
static int put_part(const char *pattern, const char *at, char part[PART_SIZE], struct error *reterr)
{
	switch (*at) {
	case 'p':
		(void)snprintf(part, PART_SIZE, "%d", (int)getpid());
		return 0;
	case 'h':
		part[PART_SIZE - 1] = '\0';
		return gethostname(part, PART_SIZE - 1)
			       ? error_set(reterr, -errno, "%s: %s", pattern, strerror(errno))
			       : 0;
	case 'r':
		if (!put_rank(part))
			return 0;
		return error_set(
			reterr, -EINVAL,
			"%s: no rank for %%r: PMIX_RANK, OMPI_COMM_WORLD_RANK, PMI_RANK and "
			"SLURM_PROCID are not set: start it by mpirun or srun, or use %%p",
			pattern);
	case 't':
		put_time(part);
		return 0;
	case '%':
		(void)snprintf(part, PART_SIZE, "%%");
		return 0;
	default:
		return error_set(
			reterr, -EINVAL,
			"%s: %%%.1s stands for nothing: use %%p (process ID), %%h (host), %%r "
			"(rank), %%t (time) or %%%%",
			pattern, at);
	}
}

int output_name(const char *pattern, char *path, size_t size, struct error *reterr)
{
	size_t used = 0;

	for (const char *at = pattern; *at; at++) {
		char part[PART_SIZE] = {*at};
		int ret = *at == '%' ? put_part(pattern, ++at, part, reterr) : 0;

		if (ret)
			return ret;
		if (strlen(part) >= size - used)
			return error_set(reterr, -ENAMETOOLONG,
					 "%s: the name is too long: give a shorter one", pattern);
		memcpy(path + used, part, strlen(part) + 1);
		used += strlen(part);
	}
	path[used] = '\0';
	return 0;
}
