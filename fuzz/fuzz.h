/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_FUZZ_H
#define PROFIL_FUZZ_H

#include "profile/profile.h"
#include "symbol/symbol.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libFuzzer's entry, by its own name; returns 0.  A harness aborts when what it was given is not
 * what every command relies on. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The path of a file that is called NAME and holds BYTES, in a folder that is removed at the end;
 * valid until the next call. */
const char *fuzz_file(const char *name, const uint8_t *bytes, size_t size);

/* The folder itself. */
const char *fuzz_folder(void);

/* What CODE, a reader's, and its result must be: an error with a sentence, or a profile in which
 * all that points elsewhere points to what is there, which can be written, and which is read again
 * with the same ticks.  BALANCED: what fired is the sum of the cells, too.  PROFILE is freed. */
void fuzz_check(int code, struct profile *profile, const struct error *error, bool balanced);

/* Ask SYMBOLS what some addresses of OBJECT are called; each must be called something.  Closes
 * SYMBOLS. */
void fuzz_names(struct symbols *symbols, const struct symbol_object *object);

#endif
