/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "dos/dosbox.h"

/* The folder that DOSBox has as D:, with PROFIL.COM and a batch file on it, made for one job. */

#define SESSION_CONFIGURATION "DOSBOX.CNF"
#define SESSION_OUTPUT "OUT.TXT"
#define SESSION_STATUS "STATUS.TXT"
#define SESSION_LOG "LOG.TXT"

/* Make it.  Returns 0 and its path, heap, or -errno with a sentence and nothing left. */
int session_make(const struct dosbox_job *job, char **ret_folder, struct error *reterr);

/* Remove FOLDER, with what is in it, and free the path; takes NULL. */
void session_remove(char *folder);

/* What is in the file NAME of FOLDER: heap, ended by a NUL that *RET_SIZE does not count.  Returns
 * 0 or -errno. */
int session_read(const char *folder, const char *name, char **ret_text, size_t *ret_size);
