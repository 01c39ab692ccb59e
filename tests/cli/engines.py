# SPDX-License-Identifier: BSD-2-Clause
"""The engines, each with the least that it needs and with what it may deviate by: what a case does
with one it does with all, for each user that makes a difference.

A new engine is one more row of ENGINES."""

import os
import platform
import shutil
import struct
import time
from ctypes import CDLL, byref, c_ushort, c_void_p, Structure, cast, create_string_buffer

from command import (AS_NOBODY, IS_LONG, PROFIL, Skip, expect, need_counting, need_program, need_root, run,
                     target)
from limits import OffLimits, check_between, check_least, repeated, ticks_between
from measure import FAST, Measurement, check_cpu, check_truth, take, take_once

AS_ONESELF = ()

LENDS = "cap_bpf,cap_perfmon+ep"
OBJECT = "libprofil-preload.so.0"


# ---- what a machine must grant

def lend(file, what=LENDS):
    """Give FILE capabilities that take effect, or skip."""
    need_root()
    need_program("setcap", "setpriv")
    done = run("setcap", what, file)
    if done.status:
        raise Skip(f"setcap: {done.words.strip()}: this file system keeps no capabilities")
    if os.statvfs(file).f_flag & os.ST_NOSUID:
        raise Skip("this file system is mounted nosuid: capabilities of files take no effect")
    with open("/proc/self/status") as status:
        if "NoNewPrivs:\t1\n" in status.read():
            raise Skip("no_new_privs is set: capabilities of files take no effect")


def paranoid():
    with open("/proc/sys/kernel/perf_event_paranoid") as file:
        return int(file.read())


# ---- what a machine may refuse

class Filter(Structure):
    _fields_ = [("length", c_ushort), ("program", c_void_p)]


PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241, "riscv64": 241}
BPF = {"x86_64": 321, "aarch64": 280, "riscv64": 280}


def refuse(*calls):
    """In the child: these system calls are EPERM from here on, as containers have it."""
    for numbers in calls:
        number = numbers[platform.machine()]
        # Load the call's number; if it is this one, EPERM; else allow.
        program = (struct.pack("HBBI", 0x20, 0, 0, 0) + struct.pack("HBBI", 0x15, 0, 1, number)
                   + struct.pack("HBBI", 0x06, 0, 0, 0x00050001)
                   + struct.pack("HBBI", 0x06, 0, 0, 0x7fff0000))
        buffer = create_string_buffer(program, len(program))
        libc = CDLL(None)
        if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2,
                                                    byref(Filter(4, cast(buffer, c_void_p)))):
            os._exit(99)


# ---- what became of a run by each

class ByKernel(Measurement):
    """One clock a CPU: nothing is lost, and ticks are the CPU time."""

    def check_sum(self, threads):
        check_cpu(self)

    def check_told(self):
        """One clock for all: no remainder is lost with a thread."""
        expect(self.facts["remainder_ns"] == 0, f"{self.facts}")

    def most_lost(self, threads):
        """Nothing is lost with a thread."""
        return 0

    def check_short_lives(self, late):
        check_truth(self)


class ByTaskClock(Measurement):
    """Each thread has a clock of its own, whose remainder is lost with it and told."""
    lost = "after the last samples of their threads"
    most_beyond = 0  # ticks that a name may have beyond what is due to it

    def check_sum(self, threads):
        """All but the remainders of THREADS is in the ticks."""
        due = self.facts["cpu_ns"] / self.facts["period_ns"]
        self.check_between("samples", self.fired, 0.999 * due - self.most_lost(threads), 1.001 * due)
        self.check_told()

    def check_told(self):
        """The remainder is what the CPU time is beyond the ticks: where the host took time there may be
        more ticks than that, and never less than CPU time in both."""
        facts = self.facts
        check_between("ticks and remainder",
                      self.fired * facts["period_ns"] + facts["remainder_ns"],
                      0.999 * facts["cpu_ns"], 1.001 * facts["cpu_ns"] + 1e9 * self.stolen)

    def most_lost(self, threads):
        """Less than a period for each thread and CPU that it ran on."""
        return threads * os.cpu_count()

    def check_short_lives(self, late):
        """Few ticks of many short lives: whatever happens, no thread's clock counts what is
        another's; much is lost, and told.  Where work begins LATE in each life, the clock's phase is
        not a matter of chance, and each run may have a tick more than is due."""
        facts, due = self.facts, self.truth.seconds
        self.check_told()
        check_least("remainder", facts["remainder_ns"], 0.1 * facts["cpu_ns"] - 1e9 * self.stolen)
        expect(due, "the target told no truth")
        for name, ticks in self.ticks("name").items():
            if name in due:
                check_between(name, ticks, 1, due[name] / self.period + self.stolen_ticks
                              + (self.truth.runs[name] if late else self.most_beyond))
        words = run("./profil", "report", self.path).text
        expect(self.lost in words, words)


class ByPerf(ByTaskClock):
    """What the kernel hides from the user is the kernel's, as far as a target can know."""

    @property
    def classes(self):
        classes = dict(self.report["classes"])
        hidden = sum(row["samples"] for row in self.report["rows"] if "paranoid" in row["name"])
        classes["kernel"] += hidden
        classes["unresolved"] -= hidden
        return classes


# Timers on CPU clocks are looked at when the kernel's own clock ticks: CONFIG_HZ times a second the
# place is seen, with all the ticks that are due since the last time.  So places are as exact as a
# profile at that rate, while the sum is exact to the period.
LOOK = time.clock_getres(6)  # CLOCK_MONOTONIC_COARSE


class ByTimer(ByTaskClock):
    """limits.py with the kernel's period; what the kernel did stands where it was called."""
    lost = "timers cannot enter"
    most_beyond = 1

    def between(self, seconds, runs):
        least, most = ticks_between(seconds, LOOK, runs + 1)
        return (least * LOOK / self.period - self.stolen_ticks,
                (most + 1) * LOOK / self.period + self.stolen_ticks)

    def sightings(self, ticks):
        return round(ticks * self.period / LOOK)

    def most_lost(self, threads):
        """What each has used since the kernel's tick that found it last: where more threads than CPUs
        want to run, the ticks between may have found others (measured: three on average)."""
        return 8 * threads * LOOK / self.period

    def check_sum(self, threads):
        """What is not in the ticks is what THREADS had since their last signal, a kernel's tick each
        and one to be found in, and the start of the program."""
        facts = self.facts
        due = facts["cpu_ns"] / facts["period_ns"]
        check_between("samples", self.fired, due - self.most_lost(threads) - 0.02 / self.period
                      - self.stolen_ticks, due + 1)


# ---- the engines

class Engine:
    """What the cases go by; the defaults are an engine's that counts from outside the program, by a
    clock for each thread."""
    lends = False  # counts for nobody where profil's file has capabilities
    outside = True  # attaches, and measures whatever is executed, wherever that is
    users = (AS_ONESELF, AS_NOBODY)  # those for whom it counts in another way
    needs = ()  # the system calls that it cannot do without
    interrupts = frozenset()  # slow system calls that may return EINTR
    overflow = 0.5  # of the ticks on 16,384 instructions: those that 64 cells do not hold, at least
    turns = (300,)  # of two libraries at one address, in a second
    threads = 1001  # of 1,001 that there are, it knows at least

    def unseen_in(self, period):
        """Seconds of a life that its clocks do not see, at most, on all CPUs: less than a period on
        each."""
        return os.cpu_count() * period

    def need(self, user):
        if user:
            need_root()
            need_program("setpriv")
        elif os.geteuid() != 0:
            raise Skip("needs root")

    def take(self, user, *command, **how):
        measurement = take_once(*command, kind=self.kind, **how)
        facts = measurement.facts
        expect(facts["clock"] == "task", f"{facts}")
        # A tick is never counted twice.
        check_between("samples", measurement.fired, 0, self.most_ticks(measurement))
        return measurement


class Kernel(Engine):
    name, kind = "kernel", ByKernel
    lends = True
    needs = (PERF_EVENT_OPEN, BPF)

    def need(self, user):
        super().need(user) if user else need_counting()

    def take(self, user, *command, **how):
        return (take_once if user else take)(*command, kind=self.kind, **how)


class Perf(Engine):
    name, kind = "perf", ByPerf
    needs = (PERF_EVENT_OPEN,)

    def unseen_in(self, period):
        """And what the kernel does for a process before its events count, and when they do not any
        more: 0.1 ms seen."""
        return super().unseen_in(period) + 0.001

    def need(self, user):
        super().need(user)
        if user and paranoid() > 2:
            raise Skip(f"perf_event_paranoid is {paranoid()}: nobody may open perf events")

    def most_ticks(self, measurement):
        facts = measurement.facts
        return 1.001 * facts["cpu_ns"] / facts["period_ns"] + os.cpu_count() + measurement.stolen_ticks


class Timer(Engine):
    name, kind = "timer", ByTimer
    outside = False
    # It needs no right, so that root makes no difference (one case in test_timer.py).
    users = (AS_NOBODY if os.geteuid() == 0 else AS_ONESELF,)
    # What no SA_RESTART restarts (signal(7), profil(1)).
    interrupts = frozenset(("nanosleep", "clock_nanosleep", "poll", "select", "epoll_wait",
                            "sigtimedwait", "futex", "semop", "msgrcv"))
    overflow = 0.3  # of fewer sightings than ticks
    turns = (300, 4)  # a few are sharper: of 300 most fall between two sightings
    threads = 900  # a thread is found when it runs, if it still does

    def unseen_in(self, period):
        """The kernel looks at timers when its own clock ticks."""
        return 3 * LOOK

    def need(self, user):
        if user:
            super().need(user)

    def most_ticks(self, measurement):
        """Each thread's own CPU clock says what it is due: never more, whatever the host takes."""
        facts = measurement.facts
        return facts["cpu_ns"] / facts["period_ns"] + 1


ENGINES = (Kernel(), Perf(), Timer())
KERNEL, PERF, TIMER = ENGINES


class Way:
    """An engine and the user it counts for, with what it needs for that and no more."""

    def __init__(self, engine, user):
        self.engine = engine
        self.user = user
        self.lends = engine.lends and user != AS_ONESELF

    def __str__(self):
        return f"{self.engine.name} for {'nobody' if self.user else 'whoever runs this'}"

    def bring(self):
        """A profil in the case's directory, with which the user can count: the build directory may be
        closed to him."""
        self.engine.need(self.user)
        bring_profil()
        if self.lends:
            lend("profil")

    def profil(self, *arguments, **how):
        """What is brought, as the user runs it."""
        return run(*self.user, "./profil", *arguments, **how)

    def take(self, *command, options=FAST, inside=(), **how):
        """Measure COMMAND, profil itself being run by the command INSIDE, and check what holds for
        every profile."""
        self.bring()
        measurement = self.engine.take(self.user, *command, by=(*self.user, *inside, "./profil"),
                                       options=("--engine", self.engine.name, *options), **how)
        expect(measurement.facts["engine"] == self.engine.name, f"{measurement.facts}")
        return measurement


EVERY = tuple(Way(engine, user) for engine in ENGINES for user in engine.users)
# A profil with capabilities counts as root's does, which need not be seen of both.
PLAIN = tuple(way for way in EVERY if not way.lends)
LENT = tuple(way for way in EVERY if way.user or not way.engine.lends)
FOR_NOBODY = tuple(way for way in EVERY if way.user or not way.engine.outside)


def is_usual(way):
    """Root counts by the kernel engine, nobody by others."""
    return way.user == way.engine.users[0 if way.engine.lends else -1]


def now(ways):
    """Those of WAYS that are usual; with --long, the others."""
    return tuple(way for way in ways if is_usual(way) != IS_LONG)


def ways_of(engine):
    return tuple(way for way in EVERY if way.engine is engine)


def outside(ways):
    return tuple(way for way in ways if way.engine.outside)


def bring_profil():
    """profil, and what it puts into programs beside it, where every user may run them."""
    os.chmod(".", 0o777)
    for path in (PROFIL, os.path.join(os.path.dirname(PROFIL), OBJECT)):
        name = os.path.basename(path)
        if os.path.exists(name):
            os.unlink(name)  # it may be running
        shutil.copy(path, name)


def brought(name):
    if not os.path.exists(name):
        shutil.copy(target(name), name)
    return "./" + name


def empty_directory():
    for entry in os.listdir("."):
        shutil.rmtree(entry) if os.path.isdir(entry) else os.unlink(entry)


def check_one(check, way):
    empty_directory()
    try:
        check(way)
    except OffLimits as fault:
        raise OffLimits(f"{way}: {fault}") from fault
    except AssertionError as fault:
        raise AssertionError(f"{way}: {fault}") from fault


def for_each(check, ways=PLAIN):
    """CHECK(way) for all that can run here.  Those that cannot are skipped together, at the end."""
    cannot = []
    for way in ways:
        try:
            repeated(check_one, check, way)
        except Skip as reason:
            cannot.append(f"{way}: {reason}")
    if cannot:
        raise Skip("; ".join(cannot))
