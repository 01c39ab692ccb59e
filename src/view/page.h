/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "view/section.h"

/* What is printed on a page knows nothing of lines that are too long for it. */

/* Call PRINT with CONTEXT and a copy of SECTION, and break what it writes to the copy's out to the
 * style's width.  Returns what PRINT does, or -ENOMEM. */
typedef int page_write(const struct section *section, const void *context);
int page_print(const struct section *section, page_write *print, const void *context);
