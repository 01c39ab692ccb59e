/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_CMD_MEASURING_H
#define PROFIL_CMD_MEASURING_H

#include "cmd/command.h"
#include "cmd/measure.h"

#define SECOND_NS 1000000000ull

/* Keys of the options that a command which measures has of its own, beside measuring_options. */
#define KEY_OWN (OPTION_LONG_ONLY + 100)

/* What is measured with, until an option says otherwise. */
void measuring_defaults(struct measure_options *options);

/* What an engine must be able to do for OPTIONS. */
struct engine_wish measuring_wish(const struct measure_options *options);

/* Take a shared option into OPTIONS; a key that is not one is ignored. */
void measuring_take(struct measure_options *options, int key, const struct option_value *value);

#endif
