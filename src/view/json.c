// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/interval.h"
#include "view/section.h"

#include <inttypes.h>
#include <stdlib.h>

/* One JSON object; man/profil-report.1.scd has its fields. */

static void print_text(FILE *out, const char *name, const char *text)
{
	(void)fprintf(out, "\"%s\": ", name);
	json_print_string(out, text);
	(void)fputs(", ", out);
}

static void print_count(FILE *out, const char *name, uint64_t count)
{
	(void)fprintf(out, "\"%s\": %" PRIu64 ", ", name, count);
}

static void print_bool(FILE *out, const char *name, bool value)
{
	(void)fprintf(out, "\"%s\": %s, ", name, value ? "true" : "false");
}

static void print_facts(const struct section *section)
{
	const struct profile *profile = section->profile;
	const struct profile_facts *facts = &profile->facts;
	FILE *out = section->out;

	(void)fputs("  \"facts\": {", out);
	print_text(out, "producer", profile_text(profile, facts->producer));
	print_text(out, "command", profile_text(profile, facts->command));
	print_text(out, "engine", profile_text(profile, facts->engine));
	print_text(out, "event", profile_text(profile, facts->event));
	print_text(out, "clock", profile_text(profile, facts->clock));
	print_text(out, "system", profile_text(profile, facts->system));
	(void)fprintf(out, "\"time_ns\": %" PRId64 ", ", facts->time_ns);
	print_count(out, "duration_ns", facts->duration_ns);
	print_count(out, "period_ns", facts->period_ns);
	print_count(out, "cpu_ns", facts->cpu_ns);
	print_count(out, "remainder_ns", facts->remainder_ns);
	print_count(out, "stolen_ns", facts->stolen_ns);
	print_count(out, "tasks", facts->task_total);
	print_count(out, "not_followed", facts->not_followed);
	print_count(out, "cells", facts->cell_limit);
	print_bool(out, "foreign", facts->foreign);
	(void)fprintf(out, "\"partial\": %s},\n", facts->partial ? "true" : "false");
}

static void print_classes(const struct section *section)
{
	FILE *out = section->out;

	(void)fputs("  \"classes\": {", out);
	for (int i = 0; i < PROFILE_CLASSES; i++)
		(void)fprintf(out, "%s\"%s\": %" PRIu64, i ? ", " : "",
			      profile_class_name((enum profile_class)i), section->account.ticks[i]);
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
		print_text(section->out, "path", profile_text(profile, mapping->path));
		(void)fputs("\"note\": ", section->out);
		json_print_string(section->out, profile_text(profile, mapping->note));
		(void)fputc('}', section->out);
		gap = ", ";
	}
	(void)fputs("],\n", section->out);
}

static void print_row(const struct section *section, const struct table_row *row)
{
	uint64_t total = section->table->total;
	struct interval interval = interval_of_share(row->ticks, total);
	FILE *out = section->out;

	(void)fputs("    {", out);
	print_count(out, "ticks", row->ticks);
	(void)fprintf(out, "\"share\": %.9g, \"low\": %.9g, \"high\": %.9g, ",
		      (double)row->ticks / (double)total, interval.low, interval.high);
	print_text(out, "name", row->name);
	print_text(out, "function", row->function);
	print_text(out, "object", row->object);
	print_text(out, "path", row->path);
	print_text(out, "file", row->file);
	print_count(out, "line", row->line);
	print_count(out, "address", row->address);
	print_count(out, "pid", row->pid);
	print_count(out, "tid", row->tid);
	if (section->table->by < TABLE_BY_PROCESS)
		print_text(out, "class", profile_class_name(row->class));
	(void)fprintf(out, "\"inlined\": %s}", row->inlined ? "true" : "false");
}

void json_print(const struct section *section)
{
	const struct table *table = section->table;
	size_t count = section_rows(section);
	FILE *out = section->out;

	(void)fputs("{\n", out);
	print_facts(section);
	print_classes(section);
	print_identity(section);
	print_notes(section);
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
