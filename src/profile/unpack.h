/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define UNPACK_MAX ((size_t)1 << 30)

/* All of the file at PATH ("-": standard input), unpacked when it is gzipped (of one member or
 * many). *RET_BYTES is the caller's, free().  Returns 0; -errno when it cannot be read, -EBADMSG
 * when the packing is broken, -EFBIG when there is more than UNPACK_MAX, each with a sentence. */
int unpack_file(const char *path, uint8_t **ret_bytes, size_t *ret_size, struct error *reterr);
