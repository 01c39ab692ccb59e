// SPDX-License-Identifier: BSD-2-Clause
#include "view/hist.h"

#include "analysis/interval.h"
#include "view/hist_section.h"
#include "view/layout.h"
#include "view/page.h"

#include <inttypes.h>
#include <stdlib.h>

static int name_fold(const struct hist_row *row, char **ret_text)
{
	uint64_t bytes = row->end - row->start;
	size_t size;
	FILE *text = open_memstream(ret_text, &size);
	const char *gap = "";

	if (!text)
		return -1;
	if (row->folded) {
		(void)fprintf(text, "%s more", text_count(row->folded).text);
		gap = " in ";
	}
	if (row->begins)
		(void)fprintf(text, "%s%s", gap, text_many(row->begins, "function").text);
	if (bytes)
		(void)fprintf(text, "%s%s", *gap ? ", " : "", text_size(bytes).text);
	return fclose(text) == 0 && *ret_text ? 0 : -1;
}

char *hist_row_name(const struct hist_row *row)
{
	char *text = NULL;
	int ret;

	if (row->is_fold)
		ret = name_fold(row, &text);
	else if (row->into)
		ret = asprintf(&text, "%s+0x%" PRIx64, row->name, row->into);
	else if (row->begins > 1 && !row->into)
		ret = asprintf(&text, "%s and %zu more", row->name, row->begins - 1);
	else
		ret = asprintf(&text, "%s", row->name);
	return ret < 0 ? NULL : text;
}

char *hist_object_text(const struct hist_object *object, bool all)
{
	char *text = NULL;
	int ret;

	if (!object->bytes)
		ret = asprintf(&text, "%s", all ? object->why_no_code : "text not known");
	else if (!all)
		ret = asprintf(&text, "%s, %s of %s", text_size(object->bytes).text,
			       text_count(object->pages_hit).text,
			       text_many(object->pages, "page").text);
	else
		ret = asprintf(&text,
			       "%s of text, %s of %s hit, 90 %% of the samples in %s; %zu of %zu "
			       "huge page%s",
			       text_size(object->bytes).text, text_count(object->pages_hit).text,
			       text_many(object->pages, "page").text,
			       text_count(object->pages_hot).text, object->huge_hit,
			       object->huge_pages, text_plural(object->huge_pages));
	return ret < 0 ? NULL : text;
}

/* ---- the page ---- */

static void print_sums(const struct hist_section *part)
{
	const struct hist *hist = part->hist;
	FILE *out = part->section->out;

	(void)fprintf(out, "%s = %s above", text_many(hist->total, "sample").text,
		      text_count(hist->shown).text);
	(void)fprintf(out, " + %s without an address", text_count(hist->nowhere).text);
	if (hist->options.object)
		(void)fprintf(out, " + %s in other objects", text_count(hist->filtered).text);
	(void)fputc('\n', out);
	account_print(part->section, /* intervals= */ true);
}

static void print_missing(const struct hist_section *part)
{
	const char *ink = part->section->style->color ? INK_WARN : INK_NONE;

	for (size_t i = 0; i < part->hist->object_count; i++) {
		const struct hist_object *object = &part->hist->objects[i];

		if (object->bytes)
			continue;
		(void)fputs(ink, part->section->out);
		text_print(part->section->out, object->object);
		(void)fprintf(part->section->out, ": only what has samples is shown: %s%s\n",
			      object->why_no_code, *ink ? INK_END : "");
	}
}

static int print_form(const struct section *section, const void *context)
{
	struct hist_section part = *(const struct hist_section *)context;
	int ret;

	part.section = section;
	if (section->style->form == REPORT_JSON)
		return hist_json(&part);
	if (section->style->form == REPORT_MARKDOWN)
		return hist_markdown(&part);
	ret = head_print(section);
	if (!ret)
		ret = part.style->strip ? hist_strips_print(&part) : hist_rows_print(&part);
	if (ret)
		return ret;
	print_sums(&part);
	print_missing(&part);
	return notes_print(section);
}

int hist_print(FILE *out, const struct hist *hist, const struct hist_style *style)
{
	struct section section = section_of(out, hist->profile, &style->page);
	const struct hist_section part = {&section, hist, style};

	section.ranks = hist->total >= EVIDENCE_FLOOR;
	return page_print(&section, print_form, &part);
}
