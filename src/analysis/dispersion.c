// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/dispersion.h"

#include "base/array.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Below so many samples in both together, sampling alone hides what runs do. */
#define TICKS_LEAST 20

/* What is new or gone says something of the code, not of the runs. */
#define SIDE_LEAST 5

/* Scales that are tried, from SCALE_LEAST to 1 in equal steps of the logarithm, and 0. */
#define SCALES 25
#define SCALE_LEAST 0.002

/* Half of the prior is below it.  With 0.03, more than one in twenty pairs of repeats that differ
 * by 0.1 showed a change. */
#define SCALE_USUAL 0.1

/* Fewer rows say nothing of each other. */
#define ROWS_LEAST 6

/* Student's t with four degrees of freedom is a normal of variance 4 / chi-squared: so many parts
 * of equal probability stand for it. */
#define PARTS 16
#define FREEDOM 4.0

struct model {
	double scales[SCALES], prior[SCALES]; /* prior: the logarithm */
	double variances[PARTS];	      /* of the t, for a scale of 1 */
	double evidence[SCALES];	      /* the logarithm, of all rows */
};

struct deviation dispersion_measure(const struct proportion *before, const struct proportion *after)
{
	double ticks = (double)before->ticks + (double)after->ticks;
	double total = (double)before->total + (double)after->total;
	double weight = (double)after->total * before->scale / after->scale;
	double part = weight / ((double)before->total + weight);
	double expected = ticks * part * (1 - part);

	if (ticks < TICKS_LEAST || ticks >= total)
		return (struct deviation){0};
	return (struct deviation){
		.change = ((double)after->ticks - ticks * part) / expected,
		.variance = (1 - ticks / total) / expected,
		.speaks = before->ticks >= SIDE_LEAST && after->ticks >= SIDE_LEAST,
	};
}

static int compare_changes(const void *left, const void *right)
{
	const struct deviation *a = left, *b = right;

	return (a->change > b->change) - (a->change < b->change);
}

/* Weights are not those of the most exact mean, of which one row may have most. */
static double weight_of(const struct deviation *deviation)
{
	return deviation->speaks ? 1 / sqrt(deviation->variance) : 0;
}

int dispersion_centre(struct deviation *deviations, size_t count)
{
	struct deviation *sorted = calloc(count + 1, sizeof(*sorted));
	double half = 0, middle = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		sorted[i] = deviations[i];
		half += weight_of(&deviations[i]) / 2;
	}
	ARRAY_SORT(sorted, count, compare_changes);
	for (size_t i = 0; i < count && half > 0; i++) {
		half -= weight_of(&sorted[i]);
		if (half <= 0)
			middle = sorted[i].change;
	}
	for (size_t i = 0; i < count; i++)
		deviations[i].change -= middle;
	free(sorted);
	return 0;
}

/* Where chi-squared with four degrees of freedom has the probability PART below it. */
static double chi_squared(double part)
{
	double low = 0, high = 100;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (1 - exp(-middle / 2) * (1 + middle / 2) < part)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void set_up(struct model *model)
{
	double step = pow(SCALE_LEAST, -1.0 / (SCALES - 2));

	for (int part = 0; part < PARTS; part++)
		model->variances[part] = FREEDOM / chi_squared((part + 0.5) / PARTS);
	model->scales[0] = 0;
	model->prior[0] = log(SCALE_LEAST);
	for (int i = 1; i < SCALES; i++) {
		model->scales[i] = SCALE_LEAST * pow(step, i - 1);
		/* A step of the logarithm is as wide as the scale is large. */
		model->prior[i] = log(model->scales[i] * (step - 1)) -
				  log1p(pow(model->scales[i] / SCALE_USUAL, 2));
	}
}

/* The logarithm of the density of DEVIATION where the scale is SCALE, but for a constant. */
static double density(const struct model *model, const struct deviation *deviation, double scale)
{
	double sum = 0, square = deviation->change * deviation->change;

	for (int part = 0; part < PARTS; part++) {
		double variance = deviation->variance + model->variances[part] * scale * scale;

		sum += exp(-square / (2 * variance)) / sqrt(variance);
	}
	return log(fmax(sum, 1e-300));
}

/* The probability of a deviation as large, where the scale is SCALE. */
static double tail(const struct model *model, const struct deviation *deviation, double scale)
{
	double sum = 0;

	for (int part = 0; part < PARTS; part++) {
		double variance = deviation->variance + model->variances[part] * scale * scale;

		sum += erfc(fabs(deviation->change) / sqrt(2 * variance));
	}
	return sum / PARTS;
}

/* What the other rows say of the scale, and what follows for DEVIATION. */
static void judge(const struct model *model, struct deviation *deviation)
{
	double others[SCALES], most = -INFINITY, sum = 0;

	for (int i = 0; i < SCALES; i++) {
		others[i] = model->prior[i] + model->evidence[i];
		if (deviation->speaks)
			others[i] -= density(model, deviation, model->scales[i]);
		most = fmax(most, others[i]);
	}
	deviation->probability = deviation->spread = 0;
	for (int i = 0; i < SCALES; i++) {
		double weight = exp(others[i] - most);

		/* Many rows agree on one scale or two: what they rule out is most of the work. */
		if (weight <= 0)
			continue;
		sum += weight;
		deviation->probability += weight * tail(model, deviation, model->scales[i]);
		deviation->spread += weight * model->scales[i];
	}
	deviation->probability /= sum;
	deviation->spread /= sum;
}

void dispersion_judge(struct deviation *deviations, size_t count)
{
	struct model model = {0};
	size_t speaking = 0;

	set_up(&model);
	for (size_t i = 0; i < count; i++)
		speaking += deviations[i].speaks;
	for (size_t i = 0; i < count; i++)
		for (int scale = 0; scale < SCALES && deviations[i].speaks; scale++)
			model.evidence[scale] +=
				density(&model, &deviations[i], model.scales[scale]);
	for (size_t i = 0; i < count; i++) {
		deviations[i].probability = 1;
		deviations[i].spread = 0;
		if (deviations[i].variance > 0)
			judge(&model, &deviations[i]);
		if (speaking < ROWS_LEAST)
			deviations[i].probability = 1;
	}
}

double dispersion_half_width(const struct deviation *deviation)
{
	/* The 97.5 % points of the normal and of Student's t with four degrees of freedom. */
	return hypot(1.960 * sqrt(deviation->variance), 2.776 * deviation->spread);
}
