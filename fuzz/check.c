/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz.h"
#include "profile/pprof.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void check_location(const struct profile *profile, const struct profile_location *location)
{
	if (location->mapping >= profile->mapping_count ||
	    (uint64_t)location->first_line + location->line_count > profile->line_count)
		abort();
}

static void check_indices(const struct profile *profile)
{
	for (size_t i = 0; i < profile->cell_count; i++)
		if (profile->cells[i].location >= profile->location_count ||
		    (profile->cells[i].task != PROFILE_NO_TASK &&
		     profile->cells[i].task >= profile->task_count))
			abort();
	for (size_t i = 0; i < profile->cell_count; i++)
		if (profile->cells[i].context > profile->context_count ||
		    profile->cells[i].stack_end >= STACK_ENDS)
			abort();
	/* Parents come first, so that no context is its own. */
	for (size_t i = 0; i < profile->context_count; i++)
		if (profile->contexts[i].parent > i ||
		    profile->contexts[i].location >= profile->location_count)
			abort();
	for (size_t i = 0; i < profile->location_count; i++)
		check_location(profile, &profile->locations[i]);
	for (size_t i = 0; i < profile->line_count; i++)
		if (profile->lines[i].function >= profile->function_count)
			abort();
	for (size_t i = 0; i < profile->call_count; i++)
		if (profile->calls[i].callee >= profile->location_count ||
		    (profile->calls[i].caller != PROFILE_NO_CALLER &&
		     profile->calls[i].caller >= profile->location_count))
			abort();
}

/* What is read can be kept: profil merge and export do so. */
static void check_writing(const struct profile *profile, const struct profile_account *account)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct profile_account again;
	struct error error = {""};
	struct profile *copy;
	char path[64];

	if (fd < 0 || pprof_send(profile, fd))
		abort();
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (pprof_read(path, &copy, &error))
		abort();
	profile_account(copy, &again);
	if (again.total != account->total)
		abort();
	(void)profile_free(copy);
	(void)close(fd);
}

void fuzz_check(int code, struct profile *profile, const struct error *error, bool balanced)
{
	struct profile_account account;

	if (code < 0 && !*error->text)
		abort();
	if (code < 0)
		return;
	check_indices(profile);
	profile_account(profile, &account);
	if (balanced && account.total != profile->facts.samples)
		abort();
	check_writing(profile, &account);
	(void)profile_free(profile);
}
