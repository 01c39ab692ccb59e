/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/kernel/object/extents.h"

/* The program's pages for the kernel's and back.  Every page is built aside and then moved over the
 * old one in one step, so that at no moment there is none, or one without its counts. */

/* Whether all of EXTENTS is private anonymous memory that may be read and written.  Returns 0, or
 * -errno and a sentence. */
int pages_check(const struct extents *extents, struct error *reterr);

/* Copy EXTENTS into AREA, which is the whole map of MAP_FD, and put the map's pages in their place.
 * Returns 0 or -errno, behind which pages_return() is due. */
int pages_lend(const struct extents *extents, int map_fd, void *area);

/* SIZE bytes, a multiple of COUNT_PAGE, from SOURCE to TARGET, where a page that holds them already
 * is not written: new memory stays without pages of its own where there are no counts. */
void pages_copy(char *target, const char *source, size_t size);

/* Make what is still the map's of EXTENTS ordinary memory again, with the contents of ASIDE and the
 * protection of now.  ASIDE is private anonymous memory, laid out as the area is, and is moved or
 * unmapped.  What has been unmapped or replaced meanwhile is not touched.  Returns 0, or -errno:
 * what could not be changed stays as it is, with its counts. */
int pages_return(const struct extents *extents, char *aside);
