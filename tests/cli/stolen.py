# SPDX-License-Identifier: BSD-2-Clause
"""By how much ticks may rightly exceed CPU time.

A clock of samples goes by the time that passes, and so on while a virtual machine's host has the CPU.
The kernel takes what the host says it stole out of the CPU time of the task that stood on that CPU
(update_rq_clock_task(), CONFIG_PARAVIRT_TIME_ACCOUNTING): at most so many ticks are more than are due by
CPU time.  A kernel that does not take it out has as many too few at most: of all ticks that were due
meanwhile one comes."""

import os

# What /proc/stat tells is cut off at one of these, in seconds.
STEP = 1 / os.sysconf("SC_CLK_TCK")


def stolen_so_far():
    """Seconds that the host has taken from all CPUs so far; 0 where that is not told."""
    try:
        with open("/proc/stat") as stat:
            return int(stat.readline().split()[8]) * STEP
    except OSError:
        return 0


def stolen_since(before):
    """The most that it has taken since there were BEFORE; where nothing ever was stolen, nothing.  The
    kernel adds it at its own next tick: ask some time behind the end of what is measured."""
    now = stolen_so_far()
    return now - before + STEP if now else 0
