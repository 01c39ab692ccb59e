/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

/* capabilities(7) of the calling thread, as sets of bits: 1 << CAP_BPF and so on. */

/* Those in effect; none when the kernel does not say. */
uint64_t capability_effective(void);

/* Those that can be put in effect; none when the kernel does not say. */
uint64_t capability_permitted(void);

/* Put SET in effect, out of what is permitted.  Returns 0 or -errno. */
int capability_set_effective(uint64_t set);

/* Lose all but KEEP for good, in effect or not.  Returns 0 or -errno. */
int capability_keep(uint64_t keep);
