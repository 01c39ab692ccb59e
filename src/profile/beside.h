/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The path of another file of the same kind beside PATH: WORD goes before the ending, so that
 * "a.pb.gz" and "old" are "a.old.pb.gz"; behind all where there is no ending.  A name that would be
 * too long for a folder loses as much before WORD.  Heap; NULL when memory is short. */
char *beside(const char *path, const char *word);
