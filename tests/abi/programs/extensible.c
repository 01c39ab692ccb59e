// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "profil.h"
#include "truth.h"

/* Callers that were compiled against an older header, whose structures are shorter, and against a
 * later one, whose are longer: what they do not have is 0 or is left alone, and what the library
 * does not know must be 0. */

#define PAGES 65536
#define CANARY 0x5a

static uint32_t cells[PAGES / 4] __attribute__((aligned(PAGES)));

static const struct profil_region *region(void)
{
	static struct profil_region region;

	region = (struct profil_region){(uintptr_t)spin_start, 4, cells, PAGES / 4, 32};
	return &region;
}

struct older_options {
	size_t size;
	uint64_t period_ns;
};

struct later_options {
	struct profil_options options;
	uint64_t more;
};

struct older_account {
	size_t size;
	uint64_t ticks, counted;
};

struct later_account {
	struct profil_account account;
	uint64_t more;
};

static void check_refused(const struct profil_options *options)
{
	errno = 0;
	check(!profil_open(options, region(), 1) && errno == EINVAL, "profil_open: EINVAL");
	check(*profil_why(NULL) != '\0', "profil_why");
	errno = 0;
	check(!profil_whole(options) && errno == EINVAL, "profil_whole: EINVAL");
}

static void check_options(void)
{
	struct later_options later = {.options = {.size = sizeof(later)}};
	size_t least = sizeof(size_t);
	size_t wrong[] = {0, sizeof(size_t) - 1, 4097, SIZE_MAX};
	struct profil_measurement *measurement;

	measurement = profil_open((const void *)&later, region(), 1);
	check(measurement != NULL, "a tail of zeros");
	profil_close(measurement);
	later.more = 1;
	check_refused(&later.options);
	measurement = profil_open((const void *)&least, region(), 1);
	check(measurement != NULL, "a size and nothing else");
	profil_close(measurement);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		check_refused((const void *)&wrong[i]);
}

/* What lies behind the older structure must not be looked at, or written to. */
static void check_accounts(struct profil_measurement *measurement)
{
	struct {
		struct older_account account;
		unsigned char behind[sizeof(struct profil_account)];
	} older = {.account = {.size = sizeof(older.account)}};
	struct later_account later = {.account = {.size = sizeof(later)}};
	struct profil_account wrong = {.size = sizeof(size_t) - 1};

	memset(older.behind, CANARY, sizeof(older.behind));
	check(profil_read(measurement, (void *)&older.account) == 0, "an older account");
	check(older.account.size == sizeof(older.account), "its size");
	for (size_t i = 0; i < sizeof(older.behind); i++)
		check(older.behind[i] == CANARY, "what lies behind it");
	check(profil_read(measurement, &later.account) == 0, "a later account");
	check(later.account.size == sizeof(struct profil_account),
	      "the size says what was filled in");
	check(later.account.ticks == older.account.ticks, "ticks");
	check(later.account.counted == older.account.counted, "counted");
	check(later.account.ticks == later.account.counted + later.account.outside +
					     later.account.saturated + later.account.lost,
	      "the account adds up");
	later.account.size = sizeof(later);
	later.more = 1;
	errno = 0;
	check(profil_read(measurement, &later.account) == -1 && errno == EINVAL, "a tail");
	errno = 0;
	check(profil_read(measurement, &wrong) == -1 && errno == EINVAL, "too small");
}

int main(void)
{
	const struct {
		struct older_options options;
		unsigned char behind[sizeof(struct profil_options)];
	} older = {{sizeof(struct older_options), 2000000}, {CANARY, CANARY, CANARY}};
	struct profil_account account = {.size = sizeof(account)};
	struct profil_measurement *measurement;

	check_options();
	measurement = profil_open((const void *)&older.options, region(), 1);
	check(measurement != NULL, "profil_open with older options");
	check(profil_start(measurement) == 0, "profil_start");
	(void)spin(0.1);
	check(profil_stop(measurement) == 0, "profil_stop");
	check(profil_read(measurement, &account) == 0, "profil_read");
	check(account.period_ns == 2000000, "the period that was asked for");
	check(account.ticks > 0, "ticks");
	check_accounts(measurement);
	profil_close(measurement);
	return 0;
}
