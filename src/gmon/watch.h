/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A hidden thread that calls LOOK each time the process has had another 20 ms of CPU time, so that
 * libraries which are loaded later are sampled.  Without one (there may be no thread more) they are
 * not, and nothing else is amiss. */
void watch_start(void (*look)(void));
void watch_stop(void);

/* In the child of a fork, which has no such thread. */
void watch_forget(void);
