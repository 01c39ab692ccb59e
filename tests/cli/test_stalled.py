# SPDX-License-Identifier: BSD-2-Clause
"""A collector that does not come to it, as on a machine with too much to do: stopped by SIGSTOP while
the program runs on.  What is counted and what is said to be lost are the ticks that were due, by the
CPU time of the same run as getrusage(2) has it; each of them has its call stack, or why not."""

import os
import signal
import subprocess
import time

from command import Running, Skip, expect, wait_until
from engines import KERNEL, PERF, TIMER, brought, ways_of
from limits import check_between
from measure import Measurement, check_identity, check_stacks, highest_rate

# Seconds of CPU time that the program has while the collector stands: more than the rings hold of the
# rates below; and how long that is waited for, where others have the machine.
STALL, STALL_MOST = 2.4, 3

ROOT, NOBODY = ways_of(PERF)

# 997 Hz is held by the rings, the perf engine's others are lost in part: who may lock no memory has
# smaller ones.
FAST = 19997  # or what the machine can
RUNS = ((NOBODY, 997), (NOBODY, 4999), (ROOT, FAST), (ways_of(KERNEL)[0], 4999),
        (ways_of(TIMER)[0], 4999))


def cpu_of_program(running):
    """The program is profil's child."""
    with open(f"/proc/{running.pid}/task/{running.pid}/children") as children:
        return sum(cpu_of_tree(pid) for pid in children.read().split())


def stall(running):
    """Stop the collector alone, until the program has had its time."""
    began, end = cpu_of_program(running), time.monotonic() + STALL_MOST
    most = os.cpu_count() * STALL / 2
    os.kill(running.pid, signal.SIGSTOP)
    while cpu_of_program(running) < began + min(STALL, most) and time.monotonic() < end:
        time.sleep(0.05)
    os.kill(running.pid, signal.SIGCONT)


def cpu_of_tree(pid):
    """Seconds that PID, what it has waited for, and its children that live have used."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        with open(f"/proc/{pid}/task/{pid}/children") as children:
            below = children.read().split()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    own = sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")
    return own + sum(cpu_of_tree(child) for child in below)


def has_ended(running):
    """The program, and nobody has waited for it: the kernel keeps its CPU time, but no memory of it."""
    with open(f"/proc/{running.pid}/task/{running.pid}/children") as children:
        for pid in children.read().split():
            with open(f"/proc/{pid}/stat") as stat:
                if stat.read().rsplit(")", 1)[1].split()[0] != "Z":
                    return False
    return True


def leave_behind(running):
    """Stop the collector, until the program has had its time and has ended."""
    began = cpu_of_program(running)
    os.kill(running.pid, signal.SIGSTOP)
    wait_until("more than the rings hold", lambda: cpu_of_program(running) >= began + STALL)
    running.process.stdin.close()
    wait_until("the program's end", lambda: has_ended(running))
    os.kill(running.pid, signal.SIGCONT)


def take_stalled(way, rate, kind, behind=False):
    way.bring()
    running = Running([*way.user, "./profil", "-q", "--no-report", "--engine", way.engine.name, "-F",
                       str(rate), "--", brought("till-eof"), kind], stdin=subprocess.PIPE)
    wait_until("work", lambda: running.process.poll() is not None or cpu_of_program(running) > 0.1)
    if running.process.returncode is not None:
        raise AssertionError(f"{way}, {rate} Hz: {os.pread(running.err.fileno(), 1000, 0).decode()}")
    if behind:
        leave_behind(running)
    else:
        stall(running)
        time.sleep(0.2)
        running.process.stdin.close()
    done = running.wait()
    expect(done.status == 0, f"{way}: {done.status}: {done.words}")
    measurement = Measurement(done, "profil.pb.gz")
    check_identity(measurement.report)
    check_stacks(measurement)
    return measurement


def check_sum(way, rate, kind, behind=False):
    """Within 1 %, and beside that: on a virtual machine the two clocks part by what the host took and
    what interrupts took, of which the host may not tell (5 % upwards: 40 % too few and 69 % too many
    were seen where this failed); downwards, the timers' and the events' last period of each thread and
    CPU, and what the kernel does for a process before its events count and after (engines.py)."""
    if rate == FAST:
        rate = min(FAST, int(highest_rate()))
    measurement = take_stalled(way, rate, kind, behind)
    used, lives = measurement.truth.seconds["cpu"], measurement.truth.runs["cpu"] + 7
    counted = measurement.fired * measurement.period
    whole = measurement.facts["cpu_ns"] * 1e-9
    what = f"{measurement.facts}: {way}, {rate} Hz, {kind}: seconds"
    check_between(f"{what} of CPU", whole, 0.97 * used - 0.02, 1.05 * used + measurement.stolen + 0.05)
    # Nothing excuses ticks that are counted twice: a run that has many is not repeated.
    most = 1.01 * max(used, whole) + measurement.stolen + 4 * measurement.period
    expect(counted <= 1.04 * most + 0.05, f"{what} in ticks: {counted}, at most {most}")
    unseen = lives * way.engine.unseen_in(measurement.period) + measurement.stolen
    check_between(f"{what} in ticks", counted, 0.95 * used - unseen - 0.05, most)


def check_all(kind):
    for way, rate in RUNS:
        check_sum(way, rate, kind)


def case_one_thread():
    """One thread: what is counted and what is lost are its CPU time."""
    check_all("one")


def case_threads():
    """Six threads on all CPUs: none is charged for what others' rings lost."""
    check_all("threads")


def case_children():
    """Two processes that have children all the time, whose beginnings and ends may be lost."""
    check_all("children")


def case_left_behind():
    """What a full ring lost up to the program's end, behind which no record comes that could tell."""
    release = tuple(int(number) for number in os.uname().release.split(".")[:2])
    if release < (6, 0):
        raise Skip("before Linux 6.0 the kernel does not tell")
    check_sum(ROOT, FAST, "one", behind=True)
    check_sum(NOBODY, 4999, "one", behind=True)
