/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <stdbool.h>

/* Where a file that is to be written stands, behind the symbolic links at the end of its path.
 *
 * A link, a pipe or a device that somebody else has put into a folder that everybody may write to
 * would send what is written to a place of his choice: it is refused, unless it is the folder's
 * owner's.  That is the rule of fs.protected_symlinks (proc(5)), here whatever that is set to, and
 * for folders without the sticky bit, too. */
struct followed {
	char *path; /* heap; its last part is no symbolic link, but in /proc */
	bool is_there;
	bool is_special; /* neither a regular file nor a folder: to be written in place */
	bool is_folder;
	bool is_magic; /* a link of /proc to something that is in no folder */
};

/* Returns 0, also where nothing is there yet; the caller frees the path.  Or -errno with a
 * sentence. What stands there may be another thing a moment later: open what is special with
 * O_NOFOLLOW, and replace what is not with rename(2), which follows nothing. */
int follow(const char *path, struct followed *ret_followed, struct error *reterr);

/* The folder that PATH is in, "." for none; heap, or NULL. */
char *folder_of(const char *path);
