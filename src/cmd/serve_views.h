/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd/pages.h"
#include "cmd/shelf.h"

/* What profil serve has of profiles: each view is what a command prints. */

/* The view called NAME of FILE, the usual one where NAME is "".  Returns whether there is one. */
bool views_find(const char *name, const char *file, struct page *ret_page);

/* The comparison that PATH is, of those on SHELF that REQUEST names as "before" and as "after", 16
 * of each at most. Returns whether it can be made. */
bool views_compare(const char *path, const struct shelf *shelf, const struct http_request *request,
		   struct page *ret_page);
