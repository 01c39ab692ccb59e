// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff_gate.h"

#include "analysis/diff_private.h"

#include <math.h>

/* One run a side: how wild chance is taken for.  These are bounds and no estimates, of 14 runs each
 * of xz, gzip, sort, awk, perl, python3, node, sqlite3, gcc and find, and 8 of java, at 2 kHz (250
 * to 8,000 samples a run), compared two by two, on a virtual machine of two CPUs that had a
 * multiple to do of what it could.
 *
 * Samples come in bursts: the variance of a count is at most so many times Poisson's ... */
#define BURST 1.5
/* ... and beyond that a row's share is another in each run (where memory is laid out, what a
 * compiler or a garbage collector of the program's own does), by at most this factor between two;
 * seen: 1.6 ... */
#define SPREAD 2.0
/* ... but for the kernel's rows, whose work depends on the machine's state (pages to clear, files
 * that are in memory or not); seen: 21 ... */
#define KERNEL_SPREAD 50.0
/* ... and the CPU time of a whole run is another (CPUs that share a core, caches, a host);
 * seen: 4.5. */
#define WHOLE_SPREAD 6.0

/* The probability of a change where chance is that wild.  Where runs differ by sampling alone, the
 * one of a false alarm is below 10^-6 (test-diff_gate.c computes it). */
#define CHANCE 1e-3

/* What a single run differs by in the usual case, as a part of the value: only to say how many
 * repeats it would take. */
#define USUAL 0.05

struct judge {
	const struct diff *diff;
	double most;  /* the limit, as a value */
	bool is_pair; /* nobody knows by how much runs differ */
	double moved; /* by how much all rows that changed for certain grew */
	double open;  /* the most that one may have grown by */
	double need;  /* by how much runs differ, beside what is to be told: the worst of all */
	struct gate_verdict *verdict;
};

static bool is_of_shares(const struct judge *judge)
{
	return judge->diff->per == DIFF_PER_TICKS;
}

/* ---- one run a side ---- */

/* By what factor two runs may differ in ROW. */
static double spread_of(const struct judge *judge, const struct diff_row *row)
{
	double spread = row->class == CLASS_KERNEL ? KERNEL_SPREAD : SPREAD;

	return is_of_shares(judge) ? spread : spread * WHOLE_SPREAD;
}

/* As many independent witnesses as samples that come in bursts are worth. */
static struct proportion thin(struct proportion from, bool up)
{
	double ticks = (double)from.ticks / BURST;

	from.total = (uint64_t)fmax(1, round((double)from.total / BURST));
	from.ticks = (uint64_t)fmin((double)from.total, up ? ceil(ticks) : floor(ticks));
	return from;
}

static double value_of(struct proportion of)
{
	return of.scale * (double)of.ticks / (double)of.total;
}

/* Whether no chance could make the change from LESS to MORE, each thinned in favour of chance. */
static bool is_beyond(struct proportion less, struct proportion more, double spread)
{
	less = thin(less, true);
	more = thin(more, false);
	less.scale *= spread;
	return value_of(more) > value_of(less) && significance_of_counts(&less, &more) <= CHANCE;
}

/* The most that MORE may be above LESS. */
static double most_above(struct proportion less, struct proportion more, double spread)
{
	struct interval low = interval_of_share(thin(less, false).ticks, thin(less, false).total);
	struct interval high = interval_of_share(thin(more, true).ticks, thin(more, true).total);

	return more.scale * fmin(1, high.high * spread) - less.scale * low.low / spread;
}

/* ---- what is known of a row, or (NULL) of the whole ---- */

struct known {
	double change;
	bool is_certain;
	double low, high; /* of the change */
	double deviation; /* of the value of one run */
};

static struct known of_pair(const struct judge *judge, const struct diff_row *row)
{
	struct proportion before = diff_proportion(judge->diff, row, DIFF_BEFORE);
	struct proportion after = diff_proportion(judge->diff, row, DIFF_AFTER);
	struct interval alone = significance_interval(&before, &after);
	double spread = spread_of(judge, row);

	return (struct known){
		.change = row->change,
		.is_certain = row->change > 0 ? is_beyond(before, after, spread)
					      : is_beyond(after, before, spread),
		.low = -most_above(after, before, spread),
		.high = most_above(before, after, spread),
		.deviation = hypot((alone.high - alone.low) / (2 * 1.96 * M_SQRT2),
				   USUAL * (value_of(before) + value_of(after)) / 2),
	};
}

/* The CPU time of two runs. */
static struct known whole_of_pair(const struct judge *judge)
{
	double before = judge->diff->totals[DIFF_BEFORE].value;
	double after = judge->diff->totals[DIFF_AFTER].value;

	return (struct known){
		.change = after - before,
		.is_certain = after > WHOLE_SPREAD * before,
		.low = after / WHOLE_SPREAD - before * WHOLE_SPREAD,
		.high = after * WHOLE_SPREAD - before / WHOLE_SPREAD,
		.deviation = USUAL * (before + after) / 2,
	};
}

static struct known of_runs(const struct judge *judge, const struct interval *interval)
{
	double before = (double)judge->diff->totals[DIFF_BEFORE].runs;
	double after = (double)judge->diff->totals[DIFF_AFTER].runs;

	return (struct known){
		.low = interval->low,
		.high = interval->high,
		.deviation =
			(interval->high - interval->low) / 2 /
			(significance_quantile(before + after - 2) * sqrt(1 / before + 1 / after)),
	};
}

static struct known know_row(const struct judge *judge, const struct diff_row *row)
{
	struct known known;

	if (judge->is_pair)
		return of_pair(judge, row);
	known = of_runs(judge, &row->interval);
	known.change = row->change;
	known.is_certain = row->significant;
	return known;
}

static struct known know_whole(const struct judge *judge)
{
	const struct diff *diff = judge->diff;
	struct known known;

	if (judge->is_pair)
		return whole_of_pair(judge);
	known = of_runs(judge, &diff->total_interval);
	known.change = diff->total_change;
	known.is_certain = diff->total_probability <= SIGNIFICANCE_LEVEL;
	return known;
}

/* ---- the verdict ---- */

/* How far runs differ beside what is to be told from the limit. */
static double need_of(const struct judge *judge, const struct known *known)
{
	double grown = is_of_shares(judge) ? fabs(known->change) : known->change;
	double margin = grown > judge->most ? grown : fmax(judge->most - grown, judge->most / 4);

	return known->deviation / margin;
}

/* So many runs a side that half the interval is as wide as that, or 0 for more than can be. */
static size_t repeats_for(const struct judge *judge)
{
	size_t before = judge->diff->totals[DIFF_BEFORE].runs;
	size_t after = judge->diff->totals[DIFF_AFTER].runs;
	size_t low = (before < after ? before : after) + 1, high = GATE_REPEATS_MAX + 1;

	while (low < high) {
		size_t runs = (low + high) / 2;
		double half = significance_quantile(2.0 * (double)runs - 2) *
			      sqrt(2 / (double)runs) * judge->need;

		if (half > 1)
			low = runs + 1;
		else
			high = runs;
	}
	return low > GATE_REPEATS_MAX ? 0 : low;
}

static void take_certain(struct judge *judge, const struct diff_row *row, double change)
{
	struct gate_verdict *verdict = judge->verdict;
	/* What grew is said before what fell. */
	bool is_worse =
		verdict->gate != GATE_EXCEEDS || (change > 0) > (verdict->change > 0) ||
		((change > 0) == (verdict->change > 0) && fabs(change) > fabs(verdict->change));

	if (!is_worse)
		return;
	*verdict = (struct gate_verdict){.gate = GATE_EXCEEDS, .row = row, .change = change};
}

static void take_open(struct judge *judge, const struct diff_row *row, const struct known *known,
		      double may)
{
	judge->need = fmax(judge->need, need_of(judge, known));
	if (judge->verdict->gate != GATE_PASSES && may <= judge->open)
		return;
	judge->open = may;
	if (judge->verdict->gate != GATE_EXCEEDS)
		*judge->verdict =
			(struct gate_verdict){.gate = GATE_OPEN, .row = row, .change = may};
}

static void take(struct judge *judge, const struct diff_row *row, const struct known *known)
{
	double may = known->high;

	if (is_of_shares(judge))
		may = fmax(may, -known->low);
	if (known->is_certain && known->change > 0)
		judge->moved += known->change;
	if (known->is_certain &&
	    (known->change > judge->most || (is_of_shares(judge) && -known->change > judge->most)))
		take_certain(judge, row, known->change);
	else if (may > judge->most)
		take_open(judge, row, known, may);
}

void diff_gate(const struct diff *diff, double limit, struct gate_verdict *ret_verdict)
{
	struct judge judge = {
		.diff = diff,
		.most = limit * diff->totals[DIFF_BEFORE].value,
		.is_pair = diff->totals[DIFF_BEFORE].runs + diff->totals[DIFF_AFTER].runs < 3,
		.verdict = ret_verdict,
	};

	*ret_verdict = (struct gate_verdict){.gate = GATE_PASSES};
	for (size_t i = 0; i < diff->row_count; i++) {
		struct known known = know_row(&judge, &diff->rows[i]);

		take(&judge, &diff->rows[i], &known);
	}
	if (!is_of_shares(&judge)) {
		struct known known = know_whole(&judge);

		take(&judge, NULL, &known);
	} else if (judge.moved > judge.most && ret_verdict->gate != GATE_EXCEEDS) {
		take_certain(&judge, NULL, judge.moved);
	}
	ret_verdict->change /= diff->totals[DIFF_BEFORE].value;
	if (ret_verdict->gate == GATE_OPEN)
		ret_verdict->repeats = repeats_for(&judge);
}
