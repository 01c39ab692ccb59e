# SPDX-License-Identifier: BSD-2-Clause
"""Surroundings that make it hard, for every engine: few descriptors, many threads, namespaces,
read-only disks, programs that leave nothing as it was.  What is known of a program beforehand is
seen all the same, and the program sees nothing."""

import os
import resource

from command import (AS_NOBODY, Running, Skip, check_error, cpu_ticks_of, expect, need_program,
                     need_root, report, run, wait_until)
from engines import (BPF, EVERY, FOR_NOBODY, LENT, PERF, PERF_EVENT_OPEN, TIMER, brought, for_each,
                     outside, refuse)
from limits import check_between, check_least
from measure import FAST, check_identity, check_split, check_truth

INSIDE = ("unshare", "-Umpf", "--map-root-user", "--mount-proc")


def case_few_descriptors():
    """A limit of 64 descriptors is enough for a program of any number of threads and children."""
    def limited():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    for_each(lambda way: check_split(way.take(brought("split-fork"), preexec_fn=limited)), LENT)


THREADS = """
import hashlib, threading
def work():
    gate.wait()
    hashlib.sha256(data).digest()
data, gate = bytes(1 << 19), threading.Barrier(1000)
threads = [threading.Thread(target=work) for _ in range(1000)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""


def case_thousand_threads():
    """1,000 threads at once are 1,001 tasks, and what they do is counted, or told where their clocks
    end before the kernel looks at them."""
    need_program("python3")
    def check(way):
        # Copies of 1,000 stacks are more than the rings hold that are granted to nobody.
        measurement = way.take("python3", "-c", THREADS, options=("--flat", *FAST))
        facts = measurement.facts
        check_between("tasks", facts["tasks"], way.engine.threads, 1001)
        due = facts["cpu_ns"] / facts["period_ns"]
        # While a host brings memory that is touched for the first time, as new threads do, a virtual
        # machine stands still, unsaid, and has one of all the ticks that are due.  Seen: a tenth; no
        # more than 200 of 1,000 threads could be missed.
        measurement.check_between("samples", measurement.fired,
                                  0.8 * due - measurement.most_lost(1001), 1.01 * due + os.cpu_count())
        measurement.check_told()
    for_each(check, LENT)


def case_blocked_signals():
    """A program that blocks all signals."""
    for_each(lambda way: check_truth(way.take(brought("blocks-signals"))), FOR_NOBODY)


def sigprof(done):
    line = next(line for line in done.text.splitlines() if line.startswith("sigprof "))
    return [int(word) for word in line.split()[1:]]


def case_own_sigprof():
    """A program with a SIGPROF clock of its own keeps it, handler and all, and gets no other's.

    ITIMER_PROF asks every 10 ms and comes at the scheduler's own ticks: every 10 to 20 ms of
    what the program says that it ran, whatever CONFIG_HZ is from 100 on."""
    def check(way):
        measurement = way.take(brought("own-sigprof"))
        check_truth(measurement)
        own, others = sigprof(measurement.done)
        expect(others == 0, f"{others} signals of others'")
        ran = sum(measurement.truth.seconds.values())
        check_between("signals", own, ran / 0.021, ran / 0.009 + 2)
    for_each(check, FOR_NOBODY)


def check_calls(done, may_be_interrupted):
    calls = [line.split() for line in done.text.splitlines()]
    calls = {name: (int(made), int(interrupted)) for name, made, interrupted in calls
             if not name.startswith("spin")}
    expect(len(calls) == 16, f"{done.text}")
    idle = [name for name, (made, _) in calls.items() if made < 10]
    expect(not idle, f"not called: {idle}: {calls}")
    interrupted = {name: interrupted for name, (_, interrupted) in calls.items() if interrupted}
    expect(set(interrupted) <= may_be_interrupted, f"EINTR: {interrupted}")


def case_slow_calls():
    """A program that makes every slow system call over and over sees not one EINTR; by timers, only
    of those that nothing restarts."""
    def check(way):
        measurement = way.take(brought("blocking-calls"), "0.7")
        check_calls(measurement.done, way.engine.interrupts)
        check_least("samples", measurement.fired, 300)  # a tenth of those due on a CPU of its own
    for_each(check, LENT)


def case_slow_calls_attached():
    """Nor does one that is attached to, and let go, time and again."""
    def check(way):
        way.bring()
        worker = Running([*way.user, brought("blocking-calls"), "6"])
        wait_until("work", lambda: cpu_ticks_of(worker.pid) > 5)
        for _ in range(3):
            done = way.profil("attach", "-q", "--no-report", "--engine", way.engine.name, *FAST,
                              "-p", str(worker.pid), "--for", "100ms")
            expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
            whole = report("profil.pb.gz")
            check_identity(whole)
            expect(whole["facts"]["tasks"] > 16, f"{whole['facts']}")
        check_calls(worker.wait(), way.engine.interrupts)
    for_each(check, outside(FOR_NOBODY))


def case_read_only():
    """Where nothing can be written, one line says so before the program runs; with an output
    elsewhere all goes well."""
    need_program("unshare", "mount")
    def check(way):
        way.bring()
        brought("split")
        os.mkdir("elsewhere")
        os.chmod("elsewhere", 0o777)
        where = os.getcwd()
        script = """
            mount --bind . . && mount --bind elsewhere elsewhere && cd "$0" &&
            mount -o remount,bind,ro . && exec "$@" """
        def read_only(*options):
            return run("unshare", "-m", "sh", "-c", script, where, *way.user, "./profil", "-q",
                       "--no-report", "--engine", way.engine.name, *FAST, *options)
        check_error(read_only("sh", "-c", "echo ran >elsewhere/ran"), 125, "Read-only file system")
        expect(not os.path.exists("elsewhere/ran"), "the program ran")
        done = read_only("-o", "elsewhere/profil.pb.gz", "./split", "0.3")
        expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
        measurement = way.engine.kind(done, "elsewhere/profil.pb.gz")
        check_identity(measurement.report)
        check_split(measurement)
    for_each(check, FOR_NOBODY)


def need_namespaces():
    need_program("unshare")
    if run(*AS_NOBODY, *INSIDE, "true").status:
        raise Skip("nobody may make a user namespace here")


def case_in_namespaces():
    """In a user, mount and pid namespace of one's own, as root there: what counts without
    capabilities counts; what needs those of the machine says so in one line."""
    need_namespaces()
    def check(way):
        if way.lends:
            way.bring()
            done = run(*way.user, *INSIDE, "./profil", "--engine", way.engine.name, "touch", "ran")
            check_error(done, 125, "kernel engine")
            expect(not os.path.exists("ran"), "the program ran")
            return
        for name in ("split", "split-fork"):
            check_split(way.take(brought(name), inside=INSIDE))
    for_each(check, FOR_NOBODY)


def case_anothers_proc():
    """In a pid namespace that sees the /proc of the one outside, where its numbers are others': an
    engine that needs none of it counts, names and all; what asks there for processes says so."""
    need_namespaces()
    inside = tuple(word for word in INSIDE if word != "--mount-proc")
    says = "another pid namespace's"
    def check(way):
        way.bring()
        start = (*way.user, *inside, "./profil", "--engine", way.engine.name)
        if way.engine is TIMER:
            check_error(run(*start, "touch", "ran"), 125, says)
            expect(not os.path.exists("ran"), "the program ran")
            return
        # Number 1 is a process of one's own in there, and another's in that /proc.
        for who in (("-p", "1"), ("--comm", "unshare")):
            check_error(run(*start[:-2], "attach", *who), 125, says)
        # Any number has a meaning there; one that has none outside must do as well.
        later = (*inside, "sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do /bin/true; done; "
                 'exec "$@"', "sh")
        check_split(way.take(brought("split"), inside=later))
    for_each(check, [way for way in FOR_NOBODY if not way.lends])


def case_no_proc():
    """Where no /proc is mounted: what counts from outside counts, with names; timers, and who looks
    for processes, say what lacks."""
    need_root()
    inside = ("unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh")
    def check(way):
        if way.engine.outside:
            check_split(way.take(brought("split"), inside=inside))
            refused = ("attach", "-p", str(os.getpid())), ("attach", "--comm", "python3")
        else:
            way.bring()
            refused = (("--engine", way.engine.name, "touch", "ran"),)
        for arguments in refused:
            check_error(run(*inside, "./profil", *arguments), 125, "/proc: not mounted")
        expect(not os.path.exists("ran"), "the program ran")
    for_each(check, [way for way in EVERY if not way.user or not way.engine.outside])


def check_auto(way, inside, engine, says, **how):
    """By default ENGINE is taken, and one line SAYS so and why not a better one."""
    way.bring()
    done = run(*way.user, *inside, "./profil", "--no-report", *FAST, brought("split"), **how)
    lines = done.words.splitlines()
    expect(done.status == 0 and len(lines) == 1, f"{done.status}: {done.words}")
    for words in says:
        expect(words in lines[0], f"does not say {words}: {lines[0]}")
    measurement = engine.kind(done, "profil.pb.gz")
    expect(measurement.facts["engine"] == engine.name, measurement.facts)
    check_identity(measurement.report)
    check_split(measurement)


def case_auto_in_namespaces():
    """There, too, the first engine that works is taken, whatever profil's file lends."""
    need_namespaces()
    for_each(lambda way: check_auto(way, INSIDE, PERF, ["perf engine"]), outside(FOR_NOBODY))


def case_auto_where_all_is_refused():
    """Where a filter refuses perf_event_open and bpf, in namespaces and without, timers are taken;
    the line says why not the better ones, and how to get them.  What profil's file would lend is
    kept from it by no_new_privs, which such a filter takes, and is in nobody's way."""
    need_namespaces()
    def check(way):
        # What setpriv itself may do is gone with one exec more.
        for inside in (("env",), INSIDE):
            check_auto(way, inside, TIMER, ["timer engine", "kernel engine", "perf engine",
                                            "seccomp"],
                       preexec_fn=lambda: refuse(PERF_EVENT_OPEN, BPF))
    for_each(check, [way for way in FOR_NOBODY if way.lends or way.engine is TIMER])


def case_measures_namespaces():
    """From without: a program in namespaces of its own is measured like any other.  For timers,
    what is executed in another user namespace cannot reach profil's memory, and is told as CPU
    time; but the program gets its namespaces, which only one with a single thread may have."""
    need_namespaces()
    def check(way):
        if way.engine.outside:
            check_split(way.take(*INSIDE, brought("split-fork")))
            return
        for inside in (("unshare", "-Ur"), ("unshare", "-Urmpf"), INSIDE):
            measurement = way.take(*inside, brought("split"), "0.3")
            seconds = sum(measurement.truth.seconds.values())
            expect(seconds > 0.1, "it did not run")
            check_least("remainder", measurement.facts["remainder_ns"], 0.9e9 * seconds)
    for_each(check, FOR_NOBODY)


def case_refused_by_seccomp():
    """Where a filter refuses its system call, an engine that was asked for says so in one line, and
    the program does not run."""
    def check(way):
        way.bring()
        for call in way.engine.needs:
            # A filter without privilege is for those who get none: capabilities are root's here.
            by = () if way.lends else way.user
            done = run(*by, "./profil", "--engine", way.engine.name, "touch", "ran",
                       preexec_fn=lambda call=call: refuse(call))
            check_error(done, 125, f"{way.engine.name} engine")
            for word in ("bpf" if call is BPF else "perf_event_open", "seccomp"):
                expect(word in done.words, done.words)
            expect(not os.path.exists("ran"), "the program ran")
            expect(not os.path.exists("profil.pb.gz"), "a profile of nothing")
    for_each(check, outside(FOR_NOBODY))
