// SPDX-License-Identifier: BSD-2-Clause
#include "view/metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SECONDS "profil_function_cpu_seconds_total"

/* What is printed of TEXTS, read one after the other, with TOP functions. */
static char *sum(const char *const *texts, size_t count, size_t top)
{
	struct metrics *metrics = metrics_new();
	char *printed;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	for (size_t i = 0; i < count; i++) {
		FILE *in = fmemopen((void *)texts[i], strlen(texts[i]), "r");

		assert_int_equal(metrics_read(metrics, in), 0);
		(void)fclose(in);
	}
	metrics_print(out, metrics, top);
	(void)fclose(out);
	metrics_free(metrics);
	return printed;
}

static void what_is_printed_adds_up(void **state)
{
	const char *one = "# HELP is not read\n"
			  "profil_elapsed_seconds_total 60.000000001\n"
			  "profil_samples_total{class=\"kernel\"} 18446744073709551000\n" SECONDS
			  "{function=\"a b\",object=\"x \\\" y\"} 0.000000007\n" SECONDS
			  "{function=\"c\",object=\"\"} 3.000000000\n";
	const char *other = "profil_elapsed_seconds_total 0.999999999\n"
			    "profil_samples_total{class=\"kernel\"} 615\n" SECONDS
			    "{function=\"a b\",object=\"x \\\" y\"} 9007199.254740993\n";
	char *both = sum((const char *[]){one, other}, 2, 10), *again, *least;

	assert_non_null(strstr(both, "\nprofil_elapsed_seconds_total 61.000000000\n"));
	assert_non_null(strstr(both, "{class=\"kernel\"} 18446744073709551615\n"));
	assert_non_null(strstr(both, "counter\n" SECONDS "{function=\"a b\",object=\"x \\\" y\"} "
				     "9007199.254741000\n" SECONDS "{function=\"c\","));
	again = sum((const char *[]){both}, 1, 10);
	assert_string_equal(again, both);
	least = sum((const char *[]){both}, 1, 1);
	assert_null(strstr(least, "{function=\"c\""));
	free(both);
	free(again);
	free(least);
}

/* More functions than are kept, each of which comes back now and then: those that were shown never
 * have less. */
static void what_is_shown_never_falls(void **state)
{
	enum { FUNCTIONS = METRICS_KEPT + 5000, SHOWN = 50, ROUNDS = 12 };
	static uint64_t shown[FUNCTIONS];
	char *kept = strdup("");

	for (unsigned round = 0; round < ROUNDS; round++) {
		char *text, *printed;
		size_t size, at = 0;
		FILE *out = open_memstream(&text, &size);

		for (unsigned i = 0; i < FUNCTIONS; i++)
			(void)fprintf(out, SECONDS "{function=\"f%u\",object=\"\"} 0.%09u\n", i,
				      (i * 7919 + round * 104729) % 10007 * (round % 3 ? 1 : 50));
		(void)fclose(out);
		printed = sum((const char *[]){text, kept}, *kept ? 2 : 1, SHOWN);
		for (char *line = strstr(printed, SECONDS "{"); line;
		     line = strstr(line + 1, SECONDS "{"), at++) {
			unsigned i, ns;

			assert_int_equal(sscanf(line, SECONDS "{function=\"f%u\",object=\"\"} 0.%u",
						&i, &ns),
					 2);
			assert_in_range(ns, shown[i], UINT32_MAX);
			shown[i] = ns;
		}
		assert_int_equal(at, SHOWN);
		free(printed);
		printed = sum((const char *[]){text, kept}, *kept ? 2 : 1, METRICS_KEPT);
		free(kept);
		free(text);
		kept = printed;
	}
	free(kept);
}

static void what_is_none_is_refused(void **state)
{
	const char *bad[] = {"profil_elapsed_seconds_total\n", "profil_nothing_total 1\n",
			     "elapsed_seconds_total 1\n",      "profil_samples_totals 1\n",
			     "profil_samples_total{} x\n",     "\n"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct metrics *metrics = metrics_new();
		FILE *in = fmemopen((void *)bad[i], strlen(bad[i]), "r");

		assert_int_equal(metrics_read(metrics, in), -EBADMSG);
		(void)fclose(in);
		metrics_free(metrics);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_printed_adds_up),
		cmocka_unit_test(what_is_shown_never_falls),
		cmocka_unit_test(what_is_none_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
