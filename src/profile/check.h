/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* A sum over the mappings, locations and cells of PROFILE in their order.  It stands in a file
 * among profil's facts, which speak of mappings and locations by number: where another program
 * has renumbered or filtered them, the sum differs, and the facts are not believed. */
uint32_t check_sum(const struct profile *profile);
