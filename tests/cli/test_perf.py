# SPDX-License-Identifier: BSD-2-Clause
"""What is special to the perf engine (test_truth.py has what holds for all): as root and as nobody,
who is granted no more than perf_event_paranoid 2 grants to everybody."""

import os
import resource
import shutil

from command import (PROFIL, TARGETS, Running, Skip, check_error, check_files, cpu_ticks_of, expect,
                     need_program, need_root, report, run, target, wait_until)
from engines import BPF, OBJECT, PERF, brought, for_each, paranoid, refuse, ways_of
from limits import check_least
from measure import FAST, check_identity
from rights import KERNEL

WAYS = ways_of(PERF)
ROOT, NOBODY = WAYS


def case_kernel():
    """A program that only reads zeros is the kernel's time: by its functions for root, as ticks that
    the kernel keeps to itself for nobody."""
    def check(way):
        measurement = way.take(brought("kernel-heavy"))
        due = measurement.truth.seconds["kernel"] / measurement.period
        measurement.check_between("ticks in the kernel", measurement.classes["kernel"], 0.9 * due,
                                  1.1 * due)
        shown = measurement.report["classes"]["kernel"]
        if way is NOBODY and paranoid() == 2:
            expect(shown == 0, f"{shown} ticks of the kernel's shown to nobody")
        elif way is ROOT:
            check_least("ticks of the kernel's", shown, 0.9 * due - measurement.stolen_ticks)
    for_each(check, WAYS)


def lock_nothing():
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))


def case_little_memory_to_lock():
    """Nobody, who may lock nothing (ulimit -l 0) but what is granted to every user, and whose other measurements
    take that: stacks are counted, and what rings do not hold is told; until there is none left for a ring.
    Then that is said, and auto takes an engine that needs none."""
    NOBODY.bring()
    brought("stacks-O2")
    held, refused = [], None
    while not refused:
        expect(len(held) < 20, "no limit is met")
        path = f"{len(held)}.pb.gz"
        running = Running([*NOBODY.user, "./profil", "run", "-g", "--engine", "perf", "-q", "--no-report", "-o", path,
                           "sh", "-c", "echo here; cat"], stdin=-1, preexec_fn=lock_nothing)
        wait_until("an end or a beginning", lambda: running.so_far() or running.process.poll() is not None)
        if running.so_far():
            held.append(running)
        else:
            refused = os.pread(running.err.fileno(), 1000, 0).decode()
    expect(held and "may lock no more memory" in refused and "ulimit -l" in refused, f"{len(held)}: {refused}")
    done = NOBODY.profil("-g", "--no-report", "./stacks-O2", preexec_fn=lock_nothing)
    expect(done.status == 0 and "timer engine: perf engine: ring of CPU 0: this user may lock no more" in done.words
           and "no call stacks" not in done.words, done.words)
    expect(report("profil.pb.gz")["facts"]["engine"] == "timer", "another engine")
    for running in held:
        running.process.stdin.close()
        expect(running.wait().status == 0, "held")
    for rate in (997, 4999):
        measurement = NOBODY.take("./stacks-O2", options=("-g", "-F", str(rate)), preexec_fn=lock_nothing)
        measurement.check_sum(threads=8)
        stacks = measurement.report["stacks"]
        expect(sum(stacks.values()) == measurement.fired and stacks["whole"], f"{rate}: {stacks}")


def case_setuid_child():
    """The kernel takes the clocks from a program that gets other rights; the report says so."""
    ROOT.bring()
    need_program("setpriv")
    shutil.copy(target("setuid-child"), "child")
    os.chmod("child", 0o4755)
    measurement = ROOT.take("sh", "-c", "setpriv --reuid=65534 --regid=65534 --clear-groups "
                            "./child; exit $?")
    expect("uid 65534 euid 0\n" in measurement.done.text, measurement.done.text)
    expect(measurement.facts["not_followed"] == 1, measurement.facts["not_followed"])
    expect("could not be followed" in run("./profil", "report").text, "not said")


def case_auto_for_nobody():
    """As nobody the perf engine is taken, and one line says so and how to get the better one; with
    -q there is no line."""
    NOBODY.bring()
    brought("split")
    done = NOBODY.profil("-q", "--no-report", "./split", "0.2")
    expect(done.status == 0 and not done.words, f"words with -q: {done.words}")
    whole = report("profil.pb.gz")
    check_identity(whole)
    facts = whole["facts"]
    expect(facts["engine"] == "perf" and facts["clock"] == "task", f"{facts}")
    done = NOBODY.profil("--no-report", "./split", "0.2")
    lines = [line for line in done.words.splitlines() if line.startswith("profil: ")]
    expect(done.status == 0 and len(lines) == 1, f"{done.status}: {done.words}")
    for word in ("perf engine", "kernel engine", "CAP_BPF", "setcap"):
        expect(word in lines[0], f"does not say {word}: {lines[0]}")


def case_auto_for_root():
    """With the privilege for it the kernel engine is taken, and there is nothing to say."""
    need_root()
    done = run(PROFIL, "--no-report", target("split"), "0.2")
    expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
    expect(report("profil.pb.gz")["facts"]["engine"] == "kernel", "another engine")


def case_what_it_cannot():
    """The machine's clock and --dither are refused by name, and for nobody by auto, too."""
    check_error(run(PROFIL, "--engine", "perf", "--clock", "machine", "true"), 125, "--clock machine")
    check_error(run(PROFIL, "--engine", "perf", "--dither", "true"), 125, "--dither")
    NOBODY.bring()
    check_error(NOBODY.profil("--clock", "machine", "true"), 125, "CAP_BPF")


def case_bpf_refused_by_seccomp():
    """Where a filter refuses bpf(2) to root, the perf engine counts, and one line says why."""
    need_root()
    done = run(PROFIL, "--no-report", target("split"), "0.2", preexec_fn=lambda: refuse(BPF))
    lines = done.words.splitlines()
    expect(done.status == 0 and len(lines) == 1, f"{done.status}: {done.words}")
    expect("perf engine" in lines[0] and "kernel engine" in lines[0], lines[0])
    expect(report("profil.pb.gz")["facts"]["engine"] == "perf", "another engine")
    done = run(PROFIL, "--engine", "kernel", "true", preexec_fn=lambda: refuse(BPF))
    check_error(done, 125, "kernel engine")


def case_attached():
    """A process of nobody's that runs already, with all its threads: measured by nobody, until it
    ends."""
    def check(way):
        way.bring()
        # Long enough for all threads to be there yet, however busy the machine is.
        worker = Running([*way.user, brought("split-threads"), "1"])
        wait_until("work", lambda: cpu_ticks_of(worker.pid) > 5)
        done = way.profil("attach", "-q", "--no-report", "--engine", "perf", *FAST, "-p",
                          str(worker.pid))
        expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
        expect(worker.wait().status == 0, "the worker failed")
        whole = report("profil.pb.gz")
        check_identity(whole)
        ticks = {row["name"]: row["samples"] for row in whole["rows"]}
        check_least("samples", ticks["spin_three"], 2 * ticks["spin_one"])
        expect(whole["facts"]["tasks"] == 5, whole["facts"]["tasks"])
    for_each(check, WAYS)


def case_attached_when_the_first_thread_has_ended():
    """What is mapped there is found by a thread that is left, and which of it is the program."""
    NOBODY.bring()
    worker = Running([*NOBODY.user, brought("first-thread-ends"), "5"])
    wait_until("work", lambda: cpu_ticks_of(worker.pid) > 5)
    done = NOBODY.profil("attach", "-q", "--no-report", "--engine", "perf", *FAST, "--for", "500ms",
                         "-p", str(worker.pid))
    expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
    whole = report("profil.pb.gz")
    check_identity(whole)
    names = {row["name"] for row in whole["rows"]}
    expect("spin_three" in names, f"{names}")
    check_least("ticks of the program", whole["classes"]["program"], 0.8 * whole["total"])


def case_attached_to_others():
    """Nobody may attach to another user's process."""
    NOBODY.bring()
    worker = Running(["sleep", "30"])
    done = NOBODY.profil("attach", "-q", "--engine", "perf", "-p", str(worker.pid))
    check_error(done, 125, "sleep")


def case_cross_check_finds():
    """A program that does something else the second time is a disagreement, by name."""
    need_root()
    script = f"if [ -e twice ]; then {target('kernel-heavy')}; else touch twice; {target('split')}; fi"
    done = run(PROFIL, "--cross-check", *FAST, "-q", "sh", "-c", script)
    expect(done.status == 125 and "disagree" in done.words, f"{done.status}: {done.words}")
    expect("spin_three in split" in done.words, done.words)


def case_cross_check_of_nothing():
    """A program that cannot be run is not compared by the profiles of an earlier one."""
    need_root()
    run(PROFIL, "--cross-check", *FAST, "-q", target("split"), "0.3")
    check_files("profil.pb.gz", "profil.perf.pb.gz")
    check_error(run(PROFIL, "--cross-check", *FAST, "-q", "./no-such"), 127, "./no-such")
    with open("text", "w") as file:
        file.write("no program\n")
    check_error(run(PROFIL, "--cross-check", *FAST, "-q", "./text"), 126, "./text")


def case_cross_check_cannot():
    """With one engine only, with one named, or a program that ends otherwise: a line and 125."""
    check_error(run(PROFIL, "--cross-check", "--engine", "perf", "true"), 125, "--engine perf")
    check_error(run(PROFIL, "--cross-check", "-q", "sh", "-c", "mkdir once 2>&-"), 125, "ended with 0")
    check_error(run(PROFIL, "--cross-check", "-o", "/dev/null", "touch", "ran"), 125, "/dev/null")
    NOBODY.bring()
    if os.path.exists(os.path.join(TARGETS, "split-static")):
        check_error(NOBODY.profil("--cross-check", brought("split-static")), 125, "needs two engines")
    os.unlink(OBJECT)
    check_error(NOBODY.profil("--cross-check", "touch", "ran"), 125, "CAP_BPF")
    expect(not os.path.exists("ran"), "it ran")
