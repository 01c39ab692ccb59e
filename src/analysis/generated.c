// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/generated.h"

#include "analysis/names.h"

#include <ctype.h>
#include <string.h>

#define LABEL "[anon]"

static const struct runtime runtimes[RUNTIMES] = {
	{"java", "libjvm.so", "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit",
	 "DumpPerfMapAtExit",
	 "Java (17 or later) names its code with -XX:+UnlockDiagnosticVMOptions "
	 "-XX:+DumpPerfMapAtExit"},
	{"node", "libnode.so", "--perf-basic-prof", "perf-basic-prof",
	 "node names its code with --perf-basic-prof"},
	{"python", "libpython", "-X perf", "-X perf",
	 "Python (3.12 or later) names its functions with -X perf"},
	{"dotnet", "libcoreclr.so", "DOTNET_PerfMapEnabled=1", "DOTNET_PerfMapEnabled=1",
	 ".NET (6 or later) names its code with DOTNET_PerfMapEnabled=1 in the environment"},
	{"beam.smp", "beam.smp", "+JPperf true", "+JPperf true",
	 "Erlang (24 or later) names its code with +JPperf true"},
};

#define UNKNOWN RUNTIMES
#define NO_MAPPING UINT32_MAX

/* Samples at addresses of one runtime's code; those of UNKNOWN are of who has another name. */
struct sums {
	uint64_t named[RUNTIMES + 1], nameless[RUNTIMES + 1];
	uint32_t stranger; /* a mapping of such a process */
	bool strangers;	   /* there are several */
};

/* "python3.11" is "python", "node-MainThread" is "node", "javac" is not "java". */
static bool is_called(const char *text, const char *word)
{
	size_t length = strlen(word);

	return !strncmp(text, word, length) && !islower((unsigned char)text[length]);
}

/* Of "[anon] java (1234)". */
static int runtime_of_process(const char *path)
{
	const char *name = path + strlen(LABEL);

	if (strncmp(path, LABEL " ", strlen(LABEL) + 1) != 0)
		return UNKNOWN;
	for (int i = 0; i < RUNTIMES; i++)
		if (is_called(name + 1, runtimes[i].name))
			return i;
	return UNKNOWN;
}

/* The one whose files are in PROFILE, UNKNOWN where there is none or several are. */
static int runtime_of_files(const struct profile *profile)
{
	int found = UNKNOWN;

	for (uint32_t i = 0; i < profile->mapping_count; i++) {
		const char *file = names_object(profile, i);

		for (int j = 0; j < RUNTIMES; j++) {
			if (!is_called(file, runtimes[j].name) &&
			    !is_called(file, runtimes[j].object))
				continue;
			if (found != UNKNOWN && found != j)
				return UNKNOWN;
			found = j;
		}
	}
	return found;
}

static bool has_name(const struct profile *profile, const struct profile_location *location)
{
	const struct profile_function *function = profile_function_of(profile, location);

	return function && strncmp(profile_text(profile, function->name), LABEL "+", 7) != 0;
}

static void add_up(const struct profile *profile, struct sums *sums)
{
	*sums = (struct sums){.stranger = NO_MAPPING};
	for (size_t i = 0; i < profile->cell_count; i++) {
		const struct profile_cell *cell = &profile->cells[i];
		const struct profile_location *location = &profile->locations[cell->location];
		const struct profile_mapping *mapping = &profile->mappings[location->mapping];
		uint64_t *sum;
		int runtime;

		if (mapping->class != CLASS_ANONYMOUS || location->kind != LOCATION_ADDRESS)
			continue;
		runtime = runtime_of_process(profile_text(profile, mapping->path));
		sum = has_name(profile, location) ? sums->named : sums->nameless;
		sum[runtime] = ticks_add(sum[runtime], cell->ticks);
		if (runtime != UNKNOWN)
			continue;
		if (sums->stranger != NO_MAPPING && sums->stranger != location->mapping)
			sums->strangers = true;
		sums->stranger = location->mapping;
	}
}

static bool was_flagged(const struct profile *profile, int runtime)
{
	return strstr(profile_text(profile, profile->facts.command), runtimes[runtime].mark);
}

size_t generated_find(const struct profile *profile, struct generated ret_found[RUNTIMES])
{
	struct profile_account account;
	struct sums sums;
	size_t count = 0;
	int known;

	if (!profile_has_names(profile))
		return 0;
	profile_account(profile, &account);
	add_up(profile, &sums);
	known = sums.strangers ? UNKNOWN : runtime_of_files(profile);
	sums.named[known] = ticks_add(sums.named[known], sums.named[UNKNOWN]);
	sums.nameless[known] = ticks_add(sums.nameless[known], sums.nameless[UNKNOWN]);
	for (int i = 0; i < RUNTIMES; i++)
		if (sums.nameless[i] > sums.named[i] && sums.nameless[i] >= account.total / 100 &&
		    !was_flagged(profile, i))
			ret_found[count++] = (struct generated){&runtimes[i], sums.nameless[i]};
	return count;
}
