# SPDX-License-Identifier: BSD-2-Clause
"""Surroundings that make it hard, for every engine: a user of no privilege, few descriptors, many
threads, namespaces, read-only disks, programs that leave nothing as it was.  What is known of a
program beforehand is seen all the same, and the program sees nothing."""

import os
import resource

from command import Running, Skip, check_error, expect, need_program, report, run, wait_until
from engines import bring, brought, for_each_engine, measure_by, promise
from limits import check_between
from measure import FAST, check_identity, check_split, check_truth
from test_attach import cpu_ticks_of
from test_perf import BPF, PERF_EVENT_OPEN, THREADS, refuse
from test_privilege import AS_NOBODY

INSIDE = ("unshare", "-Umpf", "--map-root-user", "--mount-proc")


def case_nobody():
    """A user of no privilege: the split of a program is its own, in threads and children too."""
    def check(engine):
        for name in ("split", "split-threads", "split-fork"):
            check_split(measure_by(engine, brought(name)))
    for_each_engine(check)


def case_few_descriptors():
    """A limit of 64 descriptors."""
    def limited():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    for_each_engine(lambda engine: check_split(measure_by(engine, brought("split-fork"),
                                                          preexec_fn=limited)))


def case_thousand_threads():
    """1,000 threads at once are 1,001 tasks, and what they do is counted."""
    need_program("python3")
    def check(engine):
        measurement = measure_by(engine, "python3", "-c", THREADS)
        facts = measurement.facts
        expect(facts["tasks"] == 1001, facts["tasks"])
        # A thread's own clock loses less than a period for each CPU that it ran on.
        due = facts["cpu_ns"] / facts["period_ns"]
        lost = 1001 * os.cpu_count() if facts["clock"] == "task" else 0.1 * due
        check_between("ticks", measurement.fired, due - lost, 1.01 * due + os.cpu_count())
    for_each_engine(check)


def case_closed_descriptors():
    """A program that closes every descriptor and leaves the session."""
    for_each_engine(lambda engine: check_truth(measure_by(engine, brought("closes-descriptors"))))


def case_blocked_signals():
    """A program that blocks all signals."""
    for_each_engine(lambda engine: check_truth(measure_by(engine, brought("blocks-signals"))))


def sigprof(done):
    line = next(line for line in done.text.splitlines() if line.startswith("sigprof "))
    return [int(word) for word in line.split()[1:]]


def case_own_sigprof():
    """A program with a SIGPROF clock of its own keeps it, handler and all, and gets no other's.

    ITIMER_PROF asks every 10 ms and comes at the scheduler's own ticks: every 10 to 20 ms of the
    half second, whatever CONFIG_HZ is from 100 on."""
    def check(engine):
        measurement = measure_by(engine, brought("own-sigprof"))
        check_truth(measurement)
        own, others = sigprof(measurement.done)
        promise(others == 0, f"{others} signals of others'")
        check_between("signals", own, 0.5 / 0.021, 0.5 / 0.009 + 2)
    for_each_engine(check)


def check_calls(done):
    calls = [line.split() for line in done.text.splitlines()]
    calls = {name: (int(made), int(interrupted)) for name, made, interrupted in calls
             if not name.startswith("spin")}
    expect(len(calls) == 16, f"{done.text}")
    idle = [name for name, (made, _) in calls.items() if made < 10]
    expect(not idle, f"not called: {idle}: {calls}")
    return {name: interrupted for name, (_, interrupted) in calls.items() if interrupted}


def case_slow_calls():
    """A program that makes every slow system call over and over sees not one EINTR."""
    def check(engine):
        measurement = measure_by(engine, brought("blocking-calls"), "0.7")
        interrupted = check_calls(measurement.done)
        promise(not interrupted, f"EINTR: {interrupted}")
        expect(measurement.fired > 1000, f"{measurement.fired} ticks")
    for_each_engine(check)


def case_slow_calls_attached():
    """Nor does one that is attached to, and let go, time and again."""
    def check(engine):
        bring(engine)
        worker = Running([*AS_NOBODY, brought("blocking-calls"), "3"])
        wait_until("work", lambda: cpu_ticks_of(worker.pid) > 5)
        for _ in range(3):
            done = run(*AS_NOBODY, "./profil", "attach", "-q", "--no-report", "--engine",
                       engine.name, *FAST, "-p", str(worker.pid), "--for", "100ms")
            expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
            whole = report("profil.pb.gz")
            check_identity(whole)
            expect(whole["facts"]["tasks"] > 16, f"{whole['facts']}")
        interrupted = check_calls(worker.wait())
        promise(not interrupted, f"EINTR: {interrupted}")
    for_each_engine(check)


def case_read_only():
    """Where nothing can be written, one line says so before the program runs; with an output
    elsewhere all goes well."""
    need_program("unshare", "mount")
    def check(engine):
        bring(engine)
        brought("split")
        os.mkdir("elsewhere")
        os.chmod("elsewhere", 0o777)
        where = os.getcwd()
        script = """
            mount --bind . . && mount --bind elsewhere elsewhere && cd "$0" &&
            mount -o remount,bind,ro . && exec "$@" """
        def read_only(*options):
            return run("unshare", "-m", "sh", "-c", script, where, *AS_NOBODY, "./profil", "-q",
                       "--no-report", "--engine", engine.name, *FAST, *options)
        check_error(read_only("sh", "-c", "echo ran >elsewhere/ran"), 125, "Read-only file system")
        promise(not os.path.exists("elsewhere/ran"), "the program ran")
        done = read_only("-o", "elsewhere/profil.pb.gz", "./split", "0.3")
        expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
        rows = report("elsewhere/profil.pb.gz")["rows"]
        ticks = {row["name"]: row["ticks"] for row in rows}
        expect(ticks["spin_three"] > 2 * ticks["spin_one"] > 0, f"{ticks}")
    for_each_engine(check)


def need_namespaces():
    need_program("unshare")
    if run(*AS_NOBODY, *INSIDE, "true").status:
        raise Skip("nobody may make a user namespace here")


def case_in_namespaces():
    """In a user, mount and pid namespace of one's own, as root there: what counts without
    capabilities counts; what needs those of the machine says so in one line."""
    need_namespaces()
    def check(engine):
        if engine.lent:
            bring(engine)
            done = run(*AS_NOBODY, *INSIDE, "./profil", "--engine", engine.name, "touch", "ran")
            check_error(done, 125, "kernel engine")
            expect(not os.path.exists("ran"), "the program ran")
            return
        for name in ("split", "split-fork"):
            check_split(measure_by(engine, brought(name), by=(*AS_NOBODY, *INSIDE)))
    for_each_engine(check)


def case_auto_in_namespaces():
    """There, too, the first engine that works is taken, whatever profil's file lends."""
    need_namespaces()
    def check(engine):
        bring(engine)
        brought("split")
        done = run(*AS_NOBODY, *INSIDE, "./profil", "--no-report", *FAST, "./split", "0.3")
        lines = done.words.splitlines()
        expect(done.status == 0 and len(lines) == 1 and "perf engine" in lines[0],
               f"{done.status}: {done.words}")
        expect(report("profil.pb.gz")["facts"]["engine"] == "perf", "another engine")
    for_each_engine(check)


def case_measures_namespaces():
    """From without: a program in namespaces of its own is measured like any other."""
    need_namespaces()
    for_each_engine(lambda engine: check_split(measure_by(engine, *INSIDE, brought("split-fork"))))


def case_refused_by_seccomp():
    """Where a filter refuses its system call, an engine that was asked for says so in one line, and
    the program does not run."""
    def check(engine):
        bring(engine)
        calls = (PERF_EVENT_OPEN, BPF) if engine.name == "kernel" else (PERF_EVENT_OPEN,)
        for call in calls:
            # A filter without privilege is for those who get none: capabilities are root's here.
            by = () if engine.lent else AS_NOBODY
            done = run(*by, "./profil", "--engine", engine.name, "touch", "ran",
                       preexec_fn=lambda call=call: refuse(call))
            check_error(done, 125, f"{engine.name} engine" if call is BPF or not engine.lent
                        else "clock")
            expect(not os.path.exists("ran"), "the program ran")
            expect(not os.path.exists("profil.pb.gz"), "a profile of nothing")
    for_each_engine(check)
