# SPDX-License-Identifier: BSD-2-Clause
"""What depends on the kernel's version, on an emulated machine.  How fast that is changes while it
runs: what is judged is whose the samples are, and that those are there which the program's own clock
says are due."""

import contextlib
import glob
import os
import re
import shutil

import test_event
import test_stacks
from command import (AS_NOBODY, PROFIL, Running, check_error, cpu_ticks_of, expect, profil, report, run,
                     target, wait_until)
from engines import bring_profil, brought, lend
from limits import check_share
from measure import check_identity, take_once
from test_wall import check_sum
from wall import SECOND, Wall

SLOWLY = ("-F", "199")
WORKS = "2"  # seconds, nominally
# How many programs are loaded, and how many instructions the verifier follows in all at most: a third
# more than 6.18 does.  It took 17 ms for 12,000 of them.
VERIFIED = re.compile(r"^verified_insns:\s*(\d+)$", re.MULTILINE)
BUDGETS = {(): (7, 15500), ("--flat",): (5, 5500)}
PARANOID = "/proc/sys/kernel/perf_event_paranoid"


def write(path, words):
    with open(path, "w") as file:
        file.write(words)


def check_halves(measurement, ticks, three, one):
    """THREE and ONE have their shares of TICKS, and at least half of those that are due: the rest may
    be in the kernel, that mapped them."""
    seconds = measurement.truth.seconds
    spent = seconds[three] + seconds[one]
    both = ticks.get(three, 0) + ticks.get(one, 0)
    expect(both > 0.5 * spent / measurement.period > 20, f"few of those due in {spent} s: {ticks}")
    check_share(three, ticks.get(three, 0), both, seconds[three] / spent)


def case_functions():
    """Two functions that spin 3:1 get 3:1, by the kernel engine."""
    measurement = take_once(target("split"), WORKS, options=SLOWLY)
    expect(measurement.facts["engine"] == "kernel", measurement.facts)
    check_halves(measurement, measurement.ticks("name"), "spin_three", "spin_one")


def case_same_address():
    """Two libraries that take turns at one address are each charged their own ticks."""
    for name in ("three.so", "one.so"):
        shutil.copy(target("libspin.so"), name)
    measurement = take_once(target("remap"), os.path.abspath("three.so"),
                            os.path.abspath("one.so"), "1200", options=SLOWLY)
    rows = measurement.by("object")["rows"]
    check_halves(measurement, measurement.ticks("object", rows), "three.so", "one.so")
    paths = {row["path"] for row in rows if row["object"] == "three.so"}
    expect(paths == {os.path.abspath("three.so")}, paths)


def case_processes():
    """Each forked child is a row of its own, and has the control group that it is in."""
    measurement = take_once(target("split-fork"), options=(*SLOWLY, "--by-process"))
    rows = [row for row in measurement.by("process")["rows"] if row["pid"] and row["samples"]]
    expect(len(rows) >= 5, rows)
    os.mkdir("/sys/fs/cgroup/apart")
    program = ("import os, sys; open('/sys/fs/cgroup/apart/cgroup.procs', 'w').write('0'); "
               "os.execv(sys.argv[1], sys.argv[1:])")
    done = profil("-q", "--no-report", *SLOWLY, "--by", "cgroup", "/usr/bin/python3", "-c", program,
                  target("split"), WORKS)
    expect(done.status == 0, done.words)
    rows = report("profil.pb.gz", "--by", "cgroup")["rows"]
    expect(rows[0]["name"] == "/apart" and rows[0]["samples"] > 20, rows)


def case_kernel_functions():
    """The kernel's ticks are in its functions."""
    measurement = take_once(target("kernel-heavy"), options=SLOWLY)
    named = [row for row in measurement.report["rows"]
             if row["object"] == "[kernel]" and "+0x" not in row["name"]]
    expect(sum(row["samples"] for row in named) > 0.5 * measurement.fired, measurement.report["rows"])


def case_waits():
    """Each wait has its reason, the function that waited and its time, and the sum of all is that of the lives."""
    for options in (), ("--flat",), ("--wakers",):
        done = profil("--wall", "--engine", "kernel", "-q", "--no-report", *SLOWLY, *options, target("waits"), "kinds")
        expect(done.status == 0, done.words)
        wall = Wall("profil.pb.gz")
        check_sum(wall)
        for function, reason, due, *_ in (line.split() for line in done.text.splitlines()):
            within = {} if "--flat" in options else {"within": function}
            waited = wall.sum("blocked", reason, **within)
            expect(waited > 0.9 * int(due) - SECOND / 200, f"{function}: {reason}: {waited} ns, due {due}")


def case_events():
    """Each page fault has a sample, where it happened; and each call of a system call, by the perf engine."""
    what, said = test_event.measure("-e", "page-faults")
    test_event.check_touches(what, said)
    expect(what["facts"]["counted"] == what["identity"]["samples"] and what["facts"]["engine"] == "kernel",
           f"{what['facts']}, {what['identity']}")
    test_event.case_tracepoint()


def case_attached():
    """A program that runs already is measured from now on, by address and name."""
    worker = Running([target("split"), "30"])
    wait_until("work", lambda: cpu_ticks_of(worker.pid) > 5)
    done = profil("attach", "-q", "--no-report", *SLOWLY, "--for", "3s", "-p", str(worker.pid))
    worker.end()
    expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
    whole = report("profil.pb.gz")
    check_identity(whole)
    ticks = {row["name"]: row["samples"] for row in whole["rows"]}
    expect(ticks.get("spin_three", 0) + ticks.get("spin_one", 0) > 100, ticks)


def case_whole_machine():
    """The whole machine, most of which is idle."""
    done = profil("system", "-q", "--no-report", *SLOWLY, "--for", "2s")
    expect(done.status == 0, done.words)
    whole = report("profil.pb.gz")
    check_identity(whole)
    expect(whole["classes"]["idle"] > 0.3 * whole["total"], whole["classes"])


def case_lent():
    """The two capabilities are enough for nobody to count in the kernel; where a kernel asks for more
    (perf_event_paranoid above 2), it is said what to do."""
    bring_profil()
    lend("profil")
    write(PARANOID, "3")
    done = run(*AS_NOBODY, "./profil", "--engine", "kernel", "true")
    check_error(done, 125, "sysctl kernel.perf_event_paranoid=2")
    write(PARANOID, "2")
    measurement = take_once(brought("split"), WORKS, by=(*AS_NOBODY, "./profil"), options=SLOWLY)
    expect(measurement.facts["engine"] == "kernel", measurement.facts)
    check_halves(measurement, measurement.ticks("name"), "spin_three", "spin_one")


def case_other_engines():
    """perf's events and timers count for nobody."""
    bring_profil()
    write(PARANOID, "2")
    for engine in ("perf", "timer"):
        measurement = take_once(brought("split"), WORKS, by=(*AS_NOBODY, "./profil"),
                                options=("--engine", engine, *SLOWLY))
        check_halves(measurement, measurement.ticks("name"), "spin_three", "spin_one")


def case_call_stacks():
    """Call stacks are what they must be, or cut: compiled with frame pointers, and without."""
    for kind in ("O2", "O0"):
        test_stacks.check(kind, "--no-fold", "-F", "997")


def verified_in(pid):
    """The instructions that the verifier has followed in each BPF program that PID has open."""
    found = []
    for path in glob.glob(f"/proc/{pid}/fdinfo/*"):
        with contextlib.suppress(OSError), open(path) as info:
            found += map(int, VERIFIED.findall(info.read()))
    return found


def case_verifier():
    """The kernel takes what the options need, and no other program, within its budget."""
    for options, (programs, most) in BUDGETS.items():
        measured = Running([PROFIL, "run", "-q", "--no-report", *options, "sleep", "30"])
        wait_until("the programs", lambda: len(verified_in(measured.pid)) >= programs)
        counts = verified_in(measured.pid)
        measured.end()
        expect(len(counts) == programs and sum(counts) <= most, f"{options}: {counts}")
