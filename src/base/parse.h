/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

/* Every reader takes the whole of TEXT or nothing: no sign, no blanks, nothing behind the unit.
 * Returns 0, -EINVAL (not of the form) or -ERANGE (outside MIN..MAX); *RET_VALUE only on 0.
 * Signal-safe: no.  Thread-safe: yes. */

/* A decimal number. */
int parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *ret_value);

/* A rate in hertz: "997", "997Hz", "10kHz". */
int parse_rate(const char *text, uint64_t min, uint64_t max, uint64_t *ret_hertz);

/* A time in nanoseconds: "10ms", "1.5s", "250us", "100ns", "2m", "1h", "7d"; a bare number is
 * seconds. */
int parse_duration(const char *text, uint64_t min, uint64_t max, uint64_t *ret_ns);

/* Bytes: "1048576", "500MB", "1GiB". */
int parse_size(const char *text, uint64_t min, uint64_t max, uint64_t *ret_bytes);

/* A part in millionths: "5%", "0.25%". */
int parse_percent(const char *text, uint64_t min, uint64_t max, uint64_t *ret_millionths);
