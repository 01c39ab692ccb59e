// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/generated.h"
#include "analysis/interval.h"
#include "view/section.h"

#include <inttypes.h>
#include <stdlib.h>

/* One JSON object; man/profil-report.1.scd has its fields. */

void json_print_text(FILE *out, const char *name, const char *text)
{
	(void)fprintf(out, "\"%s\": ", name);
	json_print_string(out, text);
	(void)fputs(", ", out);
}

void json_print_count(FILE *out, const char *name, uint64_t count)
{
	(void)fprintf(out, "\"%s\": %" PRIu64 ", ", name, count);
}

void json_print_bool(FILE *out, const char *name, bool value)
{
	(void)fprintf(out, "\"%s\": %s, ", name, value ? "true" : "false");
}

static void print_facts(const struct section *section)
{
	const struct profile *profile = section->profile;
	const struct profile_facts *facts = &profile->facts;
	FILE *out = section->out;

	(void)fputs("  \"facts\": {", out);
	json_print_text(out, "producer", profile_text(profile, facts->producer));
	json_print_text(out, "command", profile_text(profile, facts->command));
	json_print_text(out, "engine", profile_text(profile, facts->engine));
	json_print_text(out, "event", profile_text(profile, facts->event));
	json_print_text(out, "clock", profile_text(profile, facts->clock));
	json_print_text(out, "system", profile_text(profile, facts->system));
	(void)fprintf(out, "\"time_ns\": %" PRId64 ", ", facts->time_ns);
	json_print_count(out, "duration_ns", facts->duration_ns);
	json_print_count(out, "period_ns", facts->period_ns);
	json_print_count(out, "cpu_ns", facts->cpu_ns);
	json_print_count(out, "remainder_ns", facts->remainder_ns);
	json_print_count(out, "stolen_ns", facts->stolen_ns);
	json_print_count(out, "machine_ns", facts->machine_ns);
	json_print_count(out, "idle_ns", facts->idle_ns);
	json_print_count(out, "tasks", facts->task_total);
	json_print_count(out, "not_followed", facts->not_followed);
	json_print_count(out, "untold", facts->untold);
	json_print_count(out, "cpus_joined", facts->cpus_joined);
	json_print_count(out, "cells", facts->cell_limit);
	json_print_count(out, "cell_size", facts->cell_size);
	json_print_bool(out, "foreign", facts->foreign);
	(void)fprintf(out, "\"partial\": %s},\n", facts->partial ? "true" : "false");
}

static void print_classes(const struct section *section)
{
	FILE *out = section->out;
	const char *comma = "";

	(void)fputs("  \"classes\": {", out);
	for (int i = 0; i < PROFILE_CLASSES; i++) {
		if (!section->account.listed[i])
			continue;
		(void)fprintf(out, "%s\"%s\": %" PRIu64, comma,
			      profile_class_name((enum profile_class)i), section->account.ticks[i]);
		comma = ", ";
	}
	(void)fputs("},\n  \"unresolved\": {", out);
	for (int i = 0; i < UNRESOLVED_REASONS; i++) {
		(void)fputs(i ? ", " : "", out);
		json_print_string(out, unresolved_reason_text((enum unresolved_reason)i));
		(void)fprintf(out, ": %" PRIu64, section->account.unresolved[i]);
	}
	(void)fprintf(out, "},\n  \"overflow\": %" PRIu64 ",\n", section->account.overflow);
}

static void print_identity(const struct section *section)
{
	uint64_t fired = section->profile->facts.fired, charged = section->account.total;

	(void)fprintf(section->out,
		      "  \"identity\": {\"fired\": %" PRIu64 ", \"charged\": %" PRIu64
		      ", \"holds\": %s},\n",
		      fired, charged, fired == charged ? "true" : "false");
}

/* What is known of an object's names, for each that has something said of it. */
static void print_notes(const struct section *section)
{
	const struct profile *profile = section->profile;
	const char *gap = "";

	(void)fputs("  \"notes\": [", section->out);
	for (size_t i = 0; i < profile->mapping_count; i++) {
		const struct profile_mapping *mapping = &profile->mappings[i];

		if (!mapping->note)
			continue;
		(void)fprintf(section->out, "%s{", gap);
		json_print_text(section->out, "path", profile_text(profile, mapping->path));
		(void)fputs("\"note\": ", section->out);
		json_print_string(section->out, profile_text(profile, mapping->note));
		(void)fputc('}', section->out);
		gap = ", ";
	}
	(void)fputs("],\n", section->out);
}

/* Which runtimes made code that has no names, and what makes them name it. */
static void print_generated(const struct section *section)
{
	struct generated found[RUNTIMES];
	size_t count = generated_find(section->profile, found);

	(void)fputs("  \"generated\": [", section->out);
	for (size_t i = 0; i < count; i++) {
		(void)fputs(i ? ", {" : "{", section->out);
		json_print_text(section->out, "runtime", found[i].runtime->name);
		json_print_count(section->out, "ticks", found[i].ticks);
		(void)fputs("\"flag\": ", section->out);
		json_print_string(section->out, found[i].runtime->flag);
		(void)fputc('}', section->out);
	}
	(void)fputs("],\n", section->out);
}

void json_print_share(FILE *out, uint64_t ticks, uint64_t total)
{
	struct interval interval = interval_of_share(ticks, total);

	json_print_count(out, "ticks", ticks);
	(void)fprintf(out, "\"share\": %.9g, \"low\": %.9g, \"high\": %.9g, ",
		      total ? (double)ticks / (double)total : 0, interval.low, interval.high);
}

static void print_parts(const struct section *section, const struct table_row *row)
{
	const struct table *table = section->table;
	FILE *out = section->out;

	if (!row->part_count)
		return;
	(void)fputs(", \"inlines\": [", out);
	for (uint32_t i = 0; i < row->part_count; i++) {
		const struct table_part *part = &table->parts[row->first_part + i];

		(void)fputs(i ? ", {" : "{", out);
		json_print_share(out, part->ticks, table->total);
		(void)fputs("\"name\": ", out);
		json_print_string(out, part->name);
		(void)fputc('}', out);
	}
	(void)fputc(']', out);
}

static void print_row(const struct section *section, const struct table_row *row)
{
	FILE *out = section->out;

	(void)fputs("    {", out);
	json_print_share(out, row->ticks, section->table->total);
	json_print_text(out, "name", row->name);
	json_print_text(out, "function", row->function);
	json_print_text(out, "object", row->object);
	json_print_text(out, "path", row->path);
	json_print_text(out, "file", row->file);
	json_print_count(out, "line", row->line);
	json_print_count(out, "address", row->address);
	json_print_count(out, "pid", row->pid);
	json_print_count(out, "tid", row->tid);
	if (row->cpu)
		json_print_count(out, "cpu", row->cpu - 1);
	if (*row->cgroup)
		json_print_text(out, "cgroup", row->cgroup);
	if (section->table->by < TABLE_BY_PROCESS)
		json_print_text(out, "class", profile_class_name(row->class));
	(void)fputs("\"inlined\": ", out);
	json_print_string(out, row->inlined);
	print_parts(section, row);
	(void)fputc('}', out);
}

void json_print_head(const struct section *section)
{
	(void)fputs("{\n", section->out);
	print_facts(section);
	print_classes(section);
	print_identity(section);
	print_notes(section);
	print_generated(section);
}

void json_print(const struct section *section)
{
	const struct table *table = section->table;
	size_t count = section_rows(section);
	FILE *out = section->out;

	json_print_head(section);
	(void)fprintf(out,
		      "  \"by\": \"%s\",\n  \"total\": %" PRIu64 ",\n  \"shown\": %" PRIu64
		      ",\n  \"enough\": %s,\n  \"row_count\": %zu,\n  \"rows\": [",
		      table_by_name(table->by), table->total, table->shown,
		      section->ranks ? "true" : "false", table->row_count);
	for (size_t i = 0; i < count; i++) {
		(void)fputs(i ? ",\n" : "\n", out);
		print_row(section, &table->rows[i]);
	}
	(void)fputs(count ? "\n  ]\n}\n" : "]\n}\n", out);
}
