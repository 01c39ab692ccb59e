/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Every measurement that is on stays on in both after fork(2), as on every system that had
 * profil(): the child counts into its own copy of the cells, with what they held.  vfork(2) and
 * posix_spawn(3) are not forks in this sense, and execve(2) ends everything by itself. */

/* Watch for forks from now on; once is enough.  Returns 0 or -ENOMEM. */
int fork_watch(void);
