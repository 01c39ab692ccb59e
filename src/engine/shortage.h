/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* What another engine may have enough of: file descriptors, memory, and memory for rings of events,
 * which is -ENOBUFS here. */

/* Whether CODE, a negative errno, says that one of them is short. */
bool shortage_is(int code);

/* Whether COUNT more descriptors can be had: 0, or -EMFILE or -ENFILE. */
int shortage_of_descriptors(size_t count);

/* Where CODE is such a shortage, say so of WHO ("kernel engine") in *RETERR; else leave it as it
 * is. Returns CODE. */
int shortage_error(struct error *reterr, int code, const char *who);
