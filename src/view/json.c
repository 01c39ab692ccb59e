// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/generated.h"
#include "view/section.h"

/* What every JSON object begins with; man/profil-report.1.scd has its fields. */

static void print_facts(const struct section *section, struct json *json)
{
	const struct profile *profile = section->profile;
	const struct profile_facts *facts = &profile->facts;

	json_open_object(json, "facts", /* lines= */ false);
	json_add_string(json, "producer", profile_text(profile, facts->producer));
	json_add_string(json, "command", profile_text(profile, facts->command));
	json_add_string(json, "engine", profile_text(profile, facts->engine));
	json_add_string(json, "event", profile_text(profile, facts->event));
	json_add_string(json, "clock", profile_text(profile, facts->clock));
	json_add_string(json, "system", profile_text(profile, facts->system));
	if (facts->no_stacks)
		json_add_string(json, "no_stacks", profile_text(profile, facts->no_stacks));
	json_add_integer(json, "time_ns", facts->time_ns);
	json_add_count(json, "duration_ns", facts->duration_ns);
	json_add_count(json, "period_ns", facts->period_ns);
	if (facts->period) {
		json_add_count(json, "period", facts->period);
		json_add_count(json, "counted", facts->counted);
		json_add_count(json, "counters", facts->counters);
	}
	json_add_count(json, "cpu_ns", facts->cpu_ns);
	json_add_count(json, "remainder_ns", facts->remainder_ns);
	json_add_count(json, "stolen_ns", facts->stolen_ns);
	json_add_count(json, "machine_ns", facts->machine_ns);
	json_add_count(json, "idle_ns", facts->idle_ns);
	json_add_count(json, "tasks", facts->task_total);
	json_add_count(json, "not_followed", facts->not_followed);
	json_add_count(json, "untold", facts->untold);
	json_add_count(json, "cpus_joined", facts->cpus_joined);
	json_add_count(json, "unclocked_ns", facts->unclocked_ns);
	json_add_count(json, "left_running", facts->left_running);
	json_add_count(json, "cells", facts->cell_limit);
	json_add_count(json, "cell_size", facts->cell_size);
	json_add_bool(json, "foreign", facts->foreign);
	json_add_bool(json, "partial", facts->partial);
	json_add_bool(json, "cpu_at_least", facts->cpu_at_least);
	json_close(json);
}

void json_identity(struct json *json, const struct profile *profile,
		   const struct profile_account *account)
{
	json_open_object(json, "identity", /* lines= */ false);
	json_add_count(json, "samples", profile->facts.samples);
	json_add_count(json, "counted", account->total);
	json_add_bool(json, "holds", profile->facts.samples == account->total);
	json_close(json);
}

static void print_account(const struct section *section, struct json *json)
{
	const struct profile_account *account = &section->account;

	json_open_object(json, "classes", /* lines= */ false);
	for (int i = 0; i < PROFILE_CLASSES; i++)
		if (account->listed[i])
			json_add_count(json, profile_class_name((enum profile_class)i),
				       account->ticks[i]);
	json_close(json);
	json_open_object(json, "unresolved", /* lines= */ false);
	for (int i = 0; i < UNRESOLVED_REASONS; i++)
		json_add_count(json, unresolved_reason_text((enum unresolved_reason)i),
			       account->unresolved[i]);
	json_close(json);
	json_add_count(json, "overflow", account->overflow);
	json_identity(json, section->profile, account);
}

/* What is known of an object's names, for each that has something said of it. */
static void print_notes(const struct section *section, struct json *json)
{
	const struct profile *profile = section->profile;

	json_open_list(json, "notes", /* lines= */ false);
	for (size_t i = 0; i < profile->mapping_count; i++) {
		const struct profile_mapping *mapping = &profile->mappings[i];

		if (!mapping->note)
			continue;
		json_open_object(json, NULL, /* lines= */ false);
		json_add_string(json, "path", profile_text(profile, mapping->path));
		json_add_string(json, "note", profile_text(profile, mapping->note));
		json_close(json);
	}
	json_close(json);
}

/* Which runtimes made code that has no names, and what makes them name it. */
static void print_generated(const struct section *section, struct json *json)
{
	struct generated found[RUNTIMES];
	size_t count = generated_find(section->profile, found);

	json_open_list(json, "generated", /* lines= */ false);
	for (size_t i = 0; i < count; i++) {
		json_open_object(json, NULL, /* lines= */ false);
		json_add_string(json, "runtime", found[i].runtime->name);
		json_add_count(json, "samples", found[i].ticks);
		json_add_string(json, "flag", found[i].runtime->flag);
		json_close(json);
	}
	json_close(json);
}

void json_head(const struct section *section, struct json *json)
{
	json_open_object(json, NULL, /* lines= */ true);
	print_facts(section, json);
	print_account(section, json);
	print_notes(section, json);
	print_generated(section, json);
}
