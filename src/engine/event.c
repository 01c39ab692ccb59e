// SPDX-License-Identifier: BSD-2-Clause
#include "engine/event.h"

#include "base/array.h"
#include "base/perf_event.h"
#include "engine/event_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of events that come very often: primes, near what gives some thousand samples a second. */
#define PERIOD_OFTEN 1000003
#define PERIOD_SELDOM 10007

static const struct known {
	const char *name, *other; /* OTHER: perf's second name for it, or NULL */
	uint32_t type;
	uint64_t config, period;
	bool in_kernel, is_clock;
} all_known[] = {
#define SOFTWARE(name, other, config, ...)                                              \
	{                                                                               \
		name, other, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config, 1, __VA_ARGS__ \
	}
	SOFTWARE("cpu-clock", NULL, CPU_CLOCK, .is_clock = true),
	SOFTWARE("task-clock", NULL, TASK_CLOCK, .is_clock = true),
	SOFTWARE("page-faults", "faults", PAGE_FAULTS),
	SOFTWARE("minor-faults", NULL, PAGE_FAULTS_MIN),
	SOFTWARE("major-faults", NULL, PAGE_FAULTS_MAJ),
	SOFTWARE("context-switches", "cs", CONTEXT_SWITCHES, .in_kernel = true),
	SOFTWARE("cpu-migrations", "migrations", CPU_MIGRATIONS, .in_kernel = true),
	SOFTWARE("alignment-faults", NULL, ALIGNMENT_FAULTS),
	SOFTWARE("emulation-faults", NULL, EMULATION_FAULTS),
	SOFTWARE("cgroup-switches", NULL, CGROUP_SWITCHES, .in_kernel = true),
#undef SOFTWARE
#define HARDWARE(name, other, config, period)                                            \
	{                                                                                \
		name, other, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config, PERIOD_##period \
	}
	HARDWARE("cycles", "cpu-cycles", CPU_CYCLES, OFTEN),
	HARDWARE("instructions", NULL, INSTRUCTIONS, OFTEN),
	HARDWARE("cache-references", NULL, CACHE_REFERENCES, SELDOM),
	HARDWARE("cache-misses", NULL, CACHE_MISSES, SELDOM),
	HARDWARE("branches", "branch-instructions", BRANCH_INSTRUCTIONS, OFTEN),
	HARDWARE("branch-misses", NULL, BRANCH_MISSES, SELDOM),
	HARDWARE("bus-cycles", NULL, BUS_CYCLES, OFTEN),
	HARDWARE("stalled-cycles-frontend", "idle-cycles-frontend", STALLED_CYCLES_FRONTEND, OFTEN),
	HARDWARE("stalled-cycles-backend", "idle-cycles-backend", STALLED_CYCLES_BACKEND, OFTEN),
	HARDWARE("ref-cycles", NULL, REF_CPU_CYCLES, OFTEN),
#undef HARDWARE
};

/* The caches by their names, what is done with them, and what comes of that: all three, in this
 * order, make a name ("L1-dcache-load-misses", "LLC-stores"). */
static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB",
				     "iTLB",	  "branch",    "node"};
static const char *const uses[] = {"load", "store", "prefetch"};
static const char *const plurals[] = {"loads", "stores", "prefetches"};

#define CACHE_NAMES (ARRAY_LENGTH(caches) * ARRAY_LENGTH(uses) * 2)

static void cache_name(size_t number, char name[EVENT_NAME_MAX])
{
	const char *cache = caches[number / 2 / ARRAY_LENGTH(uses)];
	size_t use = number / 2 % ARRAY_LENGTH(uses);

	(void)snprintf(name, EVENT_NAME_MAX, number % 2 ? "%s-%s-misses" : "%s-%s", cache,
		       number % 2 ? uses[use] : plurals[use]);
}

static bool find_cache(const char *name, struct event *event)
{
	char each[EVENT_NAME_MAX];

	for (size_t i = 0; i < CACHE_NAMES; i++) {
		cache_name(i, each);
		if (strcmp(name, each) != 0)
			continue;
		event->type = PERF_TYPE_HW_CACHE;
		event->config =
			i / 2 / ARRAY_LENGTH(uses) | i / 2 % ARRAY_LENGTH(uses) << 8 | i % 2 << 16;
		event->period = PERIOD_SELDOM;
		return true;
	}
	return false;
}

static void take_known(const struct known *known, struct event *event)
{
	event->type = known->type;
	event->config = known->config;
	event->period = known->period;
	event->in_kernel = known->in_kernel;
	event->is_clock = known->is_clock;
}

static bool find_known(const char *name, struct event *event)
{
	for (size_t i = 0; i < ARRAY_LENGTH(all_known); i++) {
		const struct known *known = &all_known[i];

		if (strcmp(name, known->name) != 0 &&
		    (!known->other || strcmp(name, known->other) != 0))
			continue;
		take_known(known, event);
		return true;
	}
	return find_cache(name, event);
}

/* "r" and the hexadecimal number that the PMU itself knows the event by. */
static bool find_raw(const char *name, struct event *event)
{
	char *end;

	if (name[0] != 'r' || !name[1] || strspn(name + 1, "0123456789abcdefABCDEF") > 16)
		return false;
	event->type = PERF_TYPE_RAW;
	event->period = PERIOD_OFTEN;
	event->config = strtoull(name + 1, &end, 16);
	return !*end;
}

/* Letters behind the name: in which modes it counts, and how precise it is to be. */
static int take_modifiers(const char *letters, struct event *event, struct error *reterr)
{
	bool user = strchr(letters, 'u'), kernel = strchr(letters, 'k');

	for (const char *letter = letters; *letter; letter++) {
		if (!strchr("ukp", *letter) || (*letter == 'p' && event->precise == 3))
			return error_set(reterr, -EINVAL,
					 "%s: ':%s': not a modifier: say u (user mode), k (kernel "
					 "mode), p, pp or ppp (precise)",
					 event->name, letters);
		event->precise += *letter == 'p';
	}
	event->exclude_user = kernel && !user;
	event->exclude_kernel = user && !kernel;
	if (event->is_clock && *letters)
		return error_set(reterr, -EINVAL,
				 "%s: the clock ticks in all modes: leave ':%s' out; reports tell "
				 "the kernel's samples apart",
				 event->name, letters);
	if (event->in_kernel && event->exclude_kernel)
		return error_set(reterr, -EINVAL,
				 "%s: it comes in kernel mode alone: leave ':%s' out", event->name,
				 letters);
	return 0;
}

/* "PMU/TERMS/" and modifiers behind it, with a colon or without as perf has them. */
static int find_of_pmu(const char *root, char *name, struct event *event, struct error *reterr)
{
	char *end = strrchr(name, '/');
	char letters[EVENT_NAME_MAX];
	int ret;

	(void)snprintf(letters, sizeof(letters), "%s", end + (end[1] == ':') + 1);
	*end = '\0';
	ret = event_files_pmu(root, name, event, reterr);
	return ret ? ret : take_modifiers(letters, event, reterr);
}

/* "NAME", "SYSTEM:NAME", and modifiers behind a colon more. */
static int find(const char *root, char *name, struct event *event, struct error *reterr)
{
	char *tail = strchr(name, ':'), *modifiers;
	int ret;

	if (tail)
		*tail++ = '\0';
	if (find_known(name, event) || find_raw(name, event))
		return take_modifiers(tail ? tail : "", event, reterr);
	if (!tail)
		return error_set(reterr, -EINVAL,
				 "%s: no such event: 'profil list' shows what there is",
				 event->name);
	modifiers = strchr(tail, ':');
	if (modifiers)
		*modifiers++ = '\0';
	ret = event_files_tracepoint(root, name, tail, event, reterr);
	return ret ? ret : take_modifiers(modifiers ? modifiers : "", event, reterr);
}

int event_find(const char *root, const char *name, struct event *ret_event, struct error *reterr)
{
	struct event event = {.period = 1};
	char copy[EVENT_NAME_MAX];
	const char *slash = strchr(name, '/');
	int ret;

	if (strlen(name) >= sizeof(event.name) - strlen(":u"))
		return error_set(reterr, -EINVAL,
				 "%.40s...: longer than any event's name: see 'profil list'", name);
	strcpy(event.name, name);
	strcpy(copy, name);
	ret = slash && strchr(slash + 1, '/') ? find_of_pmu(root, copy, &event, reterr)
					      : find(root, copy, &event, reterr);
	if (!ret)
		*ret_event = event;
	return ret;
}

static int try(const struct event *event)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .disabled = 1};

	event_fill(event, &attr);
	return perf_event_try(&attr, /* tid: this */ 0, /* cpu: any */ -1);
}

static int refuse(const struct event *event, int code, struct error *reterr)
{
	const char *why = strerror(-code), *what = "'profil list' shows what there is";

	if (code == -EACCES || code == -EPERM)
		what = "run as root, or 'sudo sysctl kernel.perf_event_paranoid=1'";
	else if (code == -ENOENT || code == -EOPNOTSUPP || code == -ENODEV)
		why = "this machine has no counter for it";
	else if (code == -EINVAL)
		why = "the kernel takes no samples of it";
	return error_set(reterr, code, "%s: %s: %s", event->name, why, what);
}

int event_settle(struct event *event, struct error *reterr)
{
	int ret = try(event);

	if ((ret == -EACCES || ret == -EPERM) && !event->exclude_kernel && !event->exclude_user &&
	    !event->in_kernel && event->type != PERF_TYPE_TRACEPOINT) {
		event->exclude_kernel = true;
		ret = try(event);
		if (!ret)
			strcat(event->name, strchr(event->name, ':') ? "u" : ":u");
	}
	return ret ? refuse(event, ret, reterr) : 0;
}

int event_each(const char *root, int (*take)(void *context, const char *kind, const char *name),
	       void *context)
{
	struct event event;
	int ret = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(all_known) && !ret; i++) {
		const struct known *known = &all_known[i];

		if (!event_find(root, known->name, &event, NULL) && !try(&event))
			ret = take(context,
				   known->type == PERF_TYPE_SOFTWARE ? "software" : "hardware",
				   known->name);
	}
	for (size_t i = 0; i < CACHE_NAMES && !ret; i++) {
		char name[EVENT_NAME_MAX];

		cache_name(i, name);
		if (!event_find(root, name, &event, NULL) && !try(&event))
			ret = take(context, "cache", name);
	}
	return ret ? ret : event_files_each(root, take, context);
}
