# SPDX-License-Identifier: BSD-2-Clause
"""A server under load that profil attaches to and lets go, over and over: it does not notice, and
nothing stays behind."""

import os

from command import PROFIL, Running, expect, need_counting, need_root, report, wait_until
from kernel_objects import KernelObjects, ticking_events
from limits import check_least
from measure import check_identity
from server import Server, check_same, state_of
from test_attach import counting

# So many at once, as they are short and have each a BPF program to load.
AT_ONCE = 8
SHORTEST = ("--for", "100ms")

# Requests after which the server's memory has the size that it keeps.
WARM = 20000


def served():
    """A server that has been under load, and what it looks like with nobody connected."""
    server = Server()
    server.start_load()
    wait_until("requests", lambda: server.asked() > WARM)
    server.end_load()
    wait_until("the end of all connections", server.is_alone)
    return server, state_of(server.pid)


def attach_all(server, count, *options):
    """COUNT whole attach commands, AT_ONCE of them at any time; all end well."""
    free, busy, started = list(range(AT_ONCE)), {}, 0
    while started < count or busy:
        while free and started < count:
            slot = free.pop()
            started += 1
            busy[slot] = Running([PROFIL, "attach", "-q", "--no-report", *SHORTEST, *options, "-o",
                                  f"{slot}.pb.gz", "-p", str(server.pid)])
        slot = next(iter(busy))  # the first that was started ends first
        done = busy.pop(slot).wait()
        expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
        free.append(slot)
    check_profiles()


def check_profiles():
    """The last ones; a server that gets no CPU for a moment has no tick in that one."""
    ticks = 0
    for slot in range(AT_ONCE):
        whole = report(f"{slot}.pb.gz")
        check_identity(whole)
        expect(whole["facts"]["tasks"] >= 5, f"{whole['facts']}")
        ticks += whole["total"]
    check_least("samples", ticks, 1)


def attach_under_load(*visits):
    need_root()
    need_counting()
    before = KernelObjects()
    server, state = served()
    server.start_load()
    for count, *options in visits:
        attach_all(server, count, *options)
    answered = server.end_load()
    expect(answered > 10 * sum(visit[0] for visit in visits), f"only {answered} requests in all that time")
    wait_until("the end of all connections", server.is_alone)
    check_same(state, state_of(server.pid))
    before.check_gone()


def case_a_thousand_times():
    """Attached to and let go 1,000 times, a server under load answers every request; its
    descriptors, mappings, threads, signals, limits and timers are as before, and no BPF object or
    clock is left.  Three of four times without call stacks, which take more to get ready for."""
    attach_under_load((250,), (750, "--flat"))


def case_perf_engine():
    """The same of perf events, 100 times."""
    attach_under_load((100, "--engine", "perf"))


def case_clocks_are_seen():
    """The measure of what is left sees a clock that is there."""
    need_root()
    need_counting()
    worker = Running(["sleep", "60"])
    attached = Running([PROFIL, "attach", "-q", "--no-report", "-p", str(worker.pid)])
    wait_until("the clock", lambda: counting(attached.pid))
    wait_until("all clocks", lambda: ticking_events() >= os.cpu_count())
    worker.process.kill()
    worker.wait()
    expect(attached.wait().status == 0, "profil failed")
