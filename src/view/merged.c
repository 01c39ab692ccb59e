// SPDX-License-Identifier: BSD-2-Clause
#include "view/merged.h"

#include "view/section.h"
#include "view/text.h"

static void print_json(FILE *out, const struct merged *merged,
		       const struct profile_account *account)
{
	uint64_t threads = merged->sum->facts.wall[WALL_THREADS];
	struct json json = {.out = out};

	json_open_object(&json, NULL, /* lines= */ true);
	json_add_string(&json, "output", merged->path);
	json_add_count(&json, "files", merged->files);
	json_add_count(&json, "cells", merged->sum->cell_count);
	if (threads)
		json_add_count(&json, "threads", threads);
	json_identity(&json, merged->sum, account);
	json_add_bool(&json, "full", account->total == TICKS_MAX);
	json_add_string(&json, "sha256", merged->digest);
	json_close(&json);
}

static void print_text(FILE *out, const struct merged *merged,
		       const struct profile_account *account)
{
	uint64_t taken = merged->sum->facts.samples;
	uint64_t threads = merged->sum->facts.wall[WALL_THREADS];

	text_print(out, merged->path);
	(void)fprintf(out, ": %s, %s in %s", text_many(merged->files, "profile").text,
		      text_many(account->total, "sample").text,
		      text_many(merged->sum->cell_count, "cell").text);
	if (threads)
		(void)fprintf(out, ", all of the time of %s", text_many(threads, "thread").text);
	(void)fputc('\n', out);
	if (account->total == TICKS_MAX)
		(void)fputs("more samples than can be counted: they are held at the most there can "
			    "be\n",
			    out);
	if (taken != account->total)
		(void)fprintf(
			out,
			"THE ACCOUNTS DO NOT BALANCE: %s samples were taken, %s are counted: one "
			"of the files was so already, see each with profil report\n",
			text_count(taken).text, text_count(account->total).text);
	(void)fprintf(out, "sha256 %s (unpacked: zcat ", merged->digest);
	text_print(out, merged->path);
	(void)fputs(" | sha256sum)\n", out);
}

void merged_print(FILE *out, const struct merged *merged, bool json)
{
	struct profile_account account;

	profile_account(merged->sum, &account);
	if (json)
		print_json(out, merged, &account);
	else
		print_text(out, merged, &account);
}
