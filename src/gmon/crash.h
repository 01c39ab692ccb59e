/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* With PROFIL_ON_CRASH=1: call LAST, which is signal-safe, when a signal is about to end the
 * process by its default action, then let it.  A signal that the program has a handler for, or
 * ignores, is its own. */
void crash_watch(void (*last)(void));
