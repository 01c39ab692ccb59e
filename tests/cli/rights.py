# SPDX-License-Identifier: BSD-2-Clause
"""Who takes part in the cases of who may see what."""

import os

from command import NOBODY
from engines import FOR_NOBODY, outside
from test_attach import counting

# Those that need no right in the program itself, which is its user's.
WAYS = outside(FOR_NOBODY)
KERNEL = next(way for way in WAYS if way.lends)

QUIET = ("-q", "--no-report")
SOMEBODY = 65533
AS_SOMEBODY = ("setpriv", f"--reuid={SOMEBODY}", f"--regid={SOMEBODY}", "--clear-groups")


def is_measuring(pid):
    """Whether PID has its clocks: perf events, of which the perf engine has two a CPU and
    no BPF program."""
    try:
        links = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
    except OSError:
        return False
    clocks = sum("perf_event" in link for link in links)
    return counting(pid) or (clocks >= 2 * os.cpu_count() and not any("bpf" in link for link in links))
