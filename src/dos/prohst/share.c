/* SPDX-License-Identifier: BSD-2-Clause */
#include "dos/prohst/share.h"

#define COLUMNS 45

static void add_word(struct wide *sum, unsigned word)
{
	struct wide term;

	wide_set(&term, word);
	wide_add(sum, &term);
}

/* 100 / total and 45 / greatest, rounded when they are stored: PROHST 1.0 multiplies by them. */
static void make_norms(struct share *share, const struct prf_sums *sums)
{
	struct single greatest;

	if (!share_is_known(share))
		return;
	single_set(&share->norm, 100);
	single_divide(&share->norm, &sums->reals);
	single_set(&greatest, share->greatest);
	single_set(&share->norm_bucket, COLUMNS);
	single_divide(&share->norm_bucket, &greatest);
}

void share_begin(struct share *share, const struct prf_header *header, const struct prf_sums *sums,
		 int original)
{
	share->original = original;
	share->greatest = sums->greatest;
	share->buckets = share->all = sums->total;
	add_word(&share->all, header->hit_io);
	add_word(&share->all, header->hit_dos);
	add_word(&share->all, header->hit_high);
	wide_set(&share->passed, 0);
	single_set(&share->norm, 0);
	single_set(&share->norm_bucket, 0);
	single_set(&share->cumulated, 0);
	make_norms(share, sums);
}

int share_is_known(const struct share *share)
{
	return share->greatest != 0;
}

/* PART of WHOLE in tenths of a percent. */
static void exact(const struct wide *part, const struct wide *whole, struct wide *ret_tenths)
{
	struct wide rest;

	*ret_tenths = *part;
	wide_times(ret_tenths, 2000);
	if (!wide_bits(whole)) {
		wide_set(ret_tenths, 0);
		return;
	}
	wide_divide(ret_tenths, whole, &rest);
	add_word(ret_tenths, 1);
	wide_right(ret_tenths, 1);
}

static void product(const struct share *share, unsigned hits, struct single *ret_product)
{
	single_set(ret_product, hits);
	single_multiply(ret_product, &share->norm);
}

void share_of_hits(const struct share *share, unsigned hits, struct wide *ret_tenths)
{
	struct single percent;
	struct wide part;

	if (share->original) {
		product(share, hits, &percent);
		single_tenths_of_7(&percent, ret_tenths);
		return;
	}
	wide_set(&part, hits);
	exact(&part, &share->all, ret_tenths);
}

/* The end of the axis is where the greatest bucket's star stands.  PROHST 1.0 labels it with the
 * hundredth part of all hits. */
void share_of_axis(const struct share *share, struct wide *ret_tenths)
{
	struct wide part;

	if (share->original && share_is_known(share)) {
		single_tenths_of_inverse(&share->norm, ret_tenths);
		return;
	}
	wide_set(&part, share->greatest);
	exact(&part, &share->buckets, ret_tenths);
}

void share_row(struct share *share, unsigned bucket, struct wide *ret_tenths,
	       struct wide *ret_cumulated)
{
	struct single percent;
	struct wide part;

	if (share->original) {
		product(share, bucket, &percent);
		single_add(&share->cumulated, &percent);
		single_tenths(&percent, ret_tenths);
		single_tenths(&share->cumulated, ret_cumulated);
		return;
	}
	add_word(&share->passed, bucket);
	exact(&share->passed, &share->buckets, ret_cumulated);
	wide_set(&part, bucket);
	exact(&part, &share->buckets, ret_tenths);
}

/* To the nearest column, halves to the even one; mended, of the exact quotient. */
unsigned share_column(const struct share *share, unsigned bucket)
{
	struct single count;
	struct wide part, whole, rest;
	unsigned column;

	if (!share_is_known(share))
		return 0;
	if (share->original) {
		single_set(&count, bucket);
		single_multiply(&count, &share->norm_bucket);
		return single_round(&count);
	}
	wide_set(&part, bucket);
	wide_times(&part, 2 * COLUMNS);
	wide_set(&whole, share->greatest);
	wide_divide(&part, &whole, &rest);
	column = wide_word(&part);
	if ((column & 1) && !wide_bits(&rest) && !((column >> 1) & 1))
		return column >> 1;
	return (column + 1) >> 1;
}
