// SPDX-License-Identifier: BSD-2-Clause
#include "view/merged.h"

#include "view/section.h"
#include "view/text.h"

#include <inttypes.h>

static void print_json(FILE *out, const struct merged *merged,
		       const struct profile_account *account)
{
	uint64_t fired = merged->sum->facts.fired;

	(void)fputs("{\n  \"output\": ", out);
	json_print_string(out, merged->path);
	(void)fprintf(out,
		      ",\n  \"files\": %zu,\n  \"cells\": %zu,\n"
		      "  \"identity\": {\"fired\": %" PRIu64 ", \"charged\": %" PRIu64
		      ", \"holds\": %s},\n  \"full\": %s,\n  \"sha256\": \"%s\"\n}\n",
		      merged->files, merged->sum->cell_count, fired, account->total,
		      fired == account->total ? "true" : "false",
		      account->total == TICKS_MAX ? "true" : "false", merged->digest);
}

static void print_text(FILE *out, const struct merged *merged,
		       const struct profile_account *account)
{
	uint64_t fired = merged->sum->facts.fired;

	text_print(out, merged->path);
	(void)fprintf(out, ": %s profile%s, %s tick%s in %s cell%s\n",
		      text_count(merged->files).text, text_plural(merged->files),
		      text_count(account->total).text, text_plural(account->total),
		      text_count(merged->sum->cell_count).text,
		      text_plural(merged->sum->cell_count));
	if (account->total == TICKS_MAX)
		(void)fputs("more ticks than can be counted: they are held at the most there can "
			    "be\n",
			    out);
	if (fired != account->total)
		(void)fprintf(out,
			      "THE ACCOUNTS DO NOT BALANCE: %s ticks fired, %s are charged: one "
			      "of the files was so already, see each with profil report\n",
			      text_count(fired).text, text_count(account->total).text);
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
