/* SPDX-License-Identifier: BSD-2-Clause */
#include "dos/prohst/header.h"

int prf_word(const struct prohst_input *input, unsigned *ret_word)
{
	int low, high;

	low = (*input->next)(input->context);
	high = (*input->next)(input->context);
	if (low < 0 || high < 0)
		return 0;
	*ret_word = (unsigned)low | (unsigned)high << 8;
	return 1;
}

int prf_header(const struct prohst_input *input, struct prf_header *ret_header)
{
	return prf_word(input, &ret_header->clock_grain) &&
	       prf_word(input, &ret_header->bucket_num) &&
	       prf_word(input, &ret_header->bucket_siz) &&
	       prf_word(input, &ret_header->prog_low_pa) &&
	       prf_word(input, &ret_header->prog_high_pa) && prf_word(input, &ret_header->dos_pa) &&
	       prf_word(input, &ret_header->hit_io) && prf_word(input, &ret_header->hit_dos) &&
	       prf_word(input, &ret_header->hit_high);
}

int prf_sums(const struct prohst_input *input, struct prf_header *ret_header,
	     struct prf_sums *ret_sums)
{
	struct wide count;
	struct single real;
	unsigned i, bucket;

	wide_set(&ret_sums->total, 0);
	single_set(&ret_sums->reals, 0);
	ret_sums->greatest = 0;
	if (!prf_header(input, ret_header))
		return 0;
	for (i = 0; i < ret_header->bucket_num; i++) {
		if (!prf_word(input, &bucket))
			return 0;
		wide_set(&count, bucket);
		wide_add(&ret_sums->total, &count);
		single_set(&real, bucket);
		single_add(&ret_sums->reals, &real);
		if (bucket > ret_sums->greatest)
			ret_sums->greatest = bucket;
	}
	return 1;
}
