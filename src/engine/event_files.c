// SPDX-License-Identifier: BSD-2-Clause
#include "engine/event_files.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PMUS "/sys/bus/event_source/devices"
#define TRACEFS "/sys/kernel/tracing"
#define TRACEPOINTS TRACEFS "/events"

/* The first line of the file that FORMAT names.  Returns 0 or -errno. */
__attribute__((format(printf, 3, 4))) static int read_line(char *line, size_t size,
							   const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;
	FILE *file;
	int ret = 0;

	va_start(args, format);
	(void)vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	if (!fgets(line, (int)size, file))
		ret = ferror(file) ? -EIO : -ENODATA;
	else
		line[strcspn(line, "\n")] = '\0';
	fclose(file);
	return ret;
}

/* A name of one component: nothing that leads elsewhere. */
static bool is_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

/* ---- PMUs ---- */

struct pmu {
	const char *root, *name;
	struct event *event;
};

static uint64_t *config_called(struct event *event, const char *name, size_t length)
{
	static const char *const names[] = {"config", "config1", "config2"};
	uint64_t *const configs[] = {&event->config, &event->config1, &event->config2};

	for (size_t i = 0; i < 3; i++)
		if (length == strlen(names[i]) && !memcmp(name, names[i], length))
			return configs[i];
	return NULL;
}

/* VALUE into the bits that FORMAT names, lowest first: "config:0-7,32-35".  Returns whether it has
 * that form, and they hold it. */
static bool put_bits(struct event *event, const char *format, uint64_t value)
{
	const char *colon = strchr(format, ':');
	uint64_t *config = colon ? config_called(event, format, (size_t)(colon - format)) : NULL;

	for (const char *next = colon; config && next && *next; next = strchr(next, ',')) {
		unsigned first, last;
		int found = sscanf(next + 1, "%u-%u", &first, &last);

		if (found < 1)
			return false;
		if (found == 1)
			last = first;
		if (first > last || last > 63)
			return false;
		for (unsigned bit = first; bit <= last; bit++, value >>= 1)
			*config = (*config & ~(UINT64_C(1) << bit)) | (value & 1) << bit;
		next++;
	}
	return config && !value;
}

static int put_terms(const struct pmu *pmu, char *terms, bool may_be_names, struct error *reterr);

static int refuse_term(const struct pmu *pmu, const char *term, struct error *reterr)
{
	return error_set(reterr, -EINVAL,
			 "%s: '%s': not a term of this PMU: see "
			 "/sys/bus/event_source/devices/%s/format and its events",
			 pmu->event->name, term, pmu->name);
}

static int put_number(const struct pmu *pmu, const char *term, const char *text,
		      struct error *reterr)
{
	uint64_t *config = config_called(pmu->event, term, strlen(term));
	char format[256], *end;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (!*text || *text == '-' || *end || errno)
		return error_set(reterr, -EINVAL,
				 "%s: '%s=%s': not a number: say one, such as "
				 "0x3c",
				 pmu->event->name, term, text);
	if (!strcmp(term, "period") && value && value <= INT64_MAX) {
		pmu->event->period = value;
		return 0;
	}
	if (config) {
		*config = value;
		return 0;
	}
	if (!is_name(term) || read_line(format, sizeof(format), "%s" PMUS "/%s/format/%s",
					pmu->root, pmu->name, term))
		return refuse_term(pmu, term, reterr);
	return put_bits(pmu->event, format, value)
		       ? 0
		       : error_set(reterr, -EINVAL, "%s: '%s=%s': too large: it has the bits %s",
				   pmu->event->name, term, text, format);
}

/* A term without a number is a flag, or a name for several terms. */
static int put_term(const struct pmu *pmu, char *term, bool may_be_name, struct error *reterr)
{
	char *equals = strchr(term, '=');
	char terms[256];

	if (equals) {
		*equals = '\0';
		return put_number(pmu, term, equals + 1, reterr);
	}
	if (!may_be_name || !is_name(term) ||
	    read_line(terms, sizeof(terms), "%s" PMUS "/%s/events/%s", pmu->root, pmu->name, term))
		return put_number(pmu, term, "1", reterr);
	return put_terms(pmu, terms, /* may_be_names= */ false, reterr);
}

static int put_terms(const struct pmu *pmu, char *terms, bool may_be_names, struct error *reterr)
{
	char *rest, *term = strtok_r(terms, ",", &rest);
	int ret = 0;

	for (; term && !ret; term = strtok_r(NULL, ",", &rest))
		ret = put_term(pmu, term, may_be_names, reterr);
	return ret;
}

int event_files_pmu(const char *root, char *name, struct event *event, struct error *reterr)
{
	char *terms = strchr(name, '/');
	const struct pmu pmu = {root, name, event};
	char type[32];

	*terms++ = '\0';
	if (!is_name(name) || read_line(type, sizeof(type), "%s" PMUS "/%s/type", root, name))
		return error_set(reterr, -ENOENT,
				 "%s: this machine has no PMU '%s': see "
				 "/sys/bus/event_source/devices",
				 event->name, name);
	event->type = (uint32_t)strtoul(type, NULL, 10);
	event->period = 1;
	return put_terms(&pmu, terms, /* may_be_names= */ true, reterr);
}

/* ---- tracepoints ---- */

int event_files_tracepoint(const char *root, const char *system, const char *name,
			   struct event *event, struct error *reterr)
{
	char id[32];
	int ret = is_name(system) && is_name(name)
			  ? read_line(id, sizeof(id), "%s" TRACEPOINTS "/%s/%s/id", root, system,
				      name)
			  : -ENOENT;

	if (ret == -EACCES || ret == -EPERM)
		return error_set(reterr, ret,
				 "%s: only root reads what tracepoints there are: run "
				 "as root",
				 event->name);
	if (ret && read_line(id, sizeof(id), "%s" TRACEFS "/current_tracer", root))
		return error_set(
			reterr, ret,
			"%s: it is not known what tracepoints there are: 'mount -t tracefs "
			"nodev /sys/kernel/tracing', as root",
			event->name);
	if (ret)
		return error_set(reterr, ret,
				 "%s: no such event: 'profil list' shows what there is",
				 event->name);
	event->type = PERF_TYPE_TRACEPOINT;
	event->config = strtoull(id, NULL, 10);
	event->in_kernel = true;
	return 0;
}

/* ---- all there are ---- */

static int not_hidden(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

/* TAKE for each entry of a directory, in order. */
static int each_entry(const char *path, int (*take)(void *context, const char *name), void *context)
{
	struct dirent **entries;
	int count = scandir(path, &entries, not_hidden, alphasort), ret = 0;

	if (count < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	for (int i = 0; i < count; i++) {
		if (!ret)
			ret = take(context, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return ret;
}

/* Events stand in groups, PMUs or systems of tracepoints: each group is a folder of FOLDER, and its
 * events are in that or BELOW it. */
struct lister {
	const char *root, *folder, *below, *group;
	int (*list)(void *lister, const char *name);
	int (*take)(void *context, const char *kind, const char *name);
	void *context;
};

static int list_pmu_event(void *context, const char *name)
{
	const struct lister *lister = context;
	char full[EVENT_NAME_MAX];

	/* "NAME.scale" and "NAME.unit" say what it counts in. */
	if (strchr(name, '.'))
		return 0;
	(void)snprintf(full, sizeof(full), "%.60s/%.60s/", lister->group, name);
	return lister->take(lister->context, lister->group, full);
}

static int list_tracepoint(void *context, const char *name)
{
	const struct lister *lister = context;
	char full[EVENT_NAME_MAX], id[32];

	if (read_line(id, sizeof(id), "%s" TRACEPOINTS "/%s/%s/id", lister->root, lister->group,
		      name))
		return 0;
	(void)snprintf(full, sizeof(full), "%.60s:%.60s", lister->group, name);
	return lister->take(lister->context, "tracepoint", full);
}

static int list_group(void *context, const char *name)
{
	struct lister lister = *(const struct lister *)context;
	char path[PATH_MAX];

	lister.group = name;
	(void)snprintf(path, sizeof(path), "%s%s/%s%s", lister.root, lister.folder, name,
		       lister.below);
	return each_entry(path, lister.list, &lister);
}

static int list_groups(struct lister *lister)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s%s", lister->root, lister->folder);
	return each_entry(path, list_group, lister);
}

int event_files_each(const char *root,
		     int (*take)(void *context, const char *kind, const char *name), void *context)
{
	struct lister pmus = {root, PMUS, "/events", .list = list_pmu_event};
	struct lister tracepoints = {root, TRACEPOINTS, "", .list = list_tracepoint};
	int ret;

	pmus.take = tracepoints.take = take;
	pmus.context = tracepoints.context = context;
	ret = list_groups(&pmus);
	return ret ? ret : list_groups(&tracepoints);
}
