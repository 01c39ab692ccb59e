// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/interval.h"
#include "analysis/table_inlines.h"
#include "view/section.h"

#include <inttypes.h>
#include <string.h>

/* RFC 4180: lines end in CR LF, fields with a comma, quote or line end are quoted. */

void csv_print_field(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		(void)fputs(text, out);
		return;
	}
	(void)fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			(void)fputc('"', out);
		(void)fputc(*text, out);
	}
	(void)fputc('"', out);
}

static void print_row(const struct section *section, const struct table_row *row)
{
	bool code = section->table->by < TABLE_BY_PROCESS;
	const char *const texts[] = {row->name,
				     row->function,
				     row->object,
				     row->path,
				     code ? profile_class_name(row->class) : "",
				     row->file};
	uint64_t total = section->table->total;
	struct interval interval = interval_of_share(row->ticks, total);
	FILE *out = section->out;

	(void)fprintf(out, "%" PRIu64 ",%.9g,%.9g,%.9g", row->ticks,
		      (double)row->ticks / (double)total, interval.low, interval.high);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		(void)fputc(',', out);
		csv_print_field(out, texts[i]);
	}
	(void)fprintf(out, ",%" PRIu32 ",0x%" PRIx64 ",%" PRIu32 ",%" PRIu32 ",", row->line,
		      row->address, row->pid, row->tid);
	csv_print_field(out, row->inlined);
	(void)fputs("\r\n", out);
}

void csv_print(const struct section *section)
{
	(void)fputs("ticks,share,low,high,name,function,object,path,class,file,line,address,pid,"
		    "tid,inlined\r\n",
		    section->out);
	for (size_t i = 0; i < section_rows(section); i++) {
		const struct table_row *row = &section->table->rows[i];

		print_row(section, row);
		for (uint32_t j = 0; j < row->part_count; j++) {
			struct table_row part = table_inlines_row(section->table, row, j);

			print_row(section, &part);
		}
	}
}
