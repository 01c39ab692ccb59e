# SPDX-License-Identifier: BSD-2-Clause
"""What is special to the timer engine, an object in the program itself (test_truth.py has what
holds for all engines): most of it as nobody."""

import json
import os
import re
import resource
import shutil
import signal

from command import (AS_NOBODY, PROFIL, Running, Skip, check_error, cpu_ticks_below, expect,
                     long, need_program, need_root, profil, report, run, target, wait_until)
from engines import (AS_ONESELF, BPF, OBJECT, PERF_EVENT_OPEN, TIMER, Way, bring_profil, brought,
                     for_each, paranoid, refuse, ways_of)
from limits import check_between, check_least
from measure import FAST, check_identity, check_split, check_truth

LIBRARIES = os.environ.get("LIBRARIES", "lib/x86_64-linux-gnu")
WAYS = ways_of(TIMER)
ONESELF = Way(TIMER, AS_ONESELF)


PROCESS_VM_READV = {"x86_64": 310, "aarch64": 270, "riscv64": 270}


def refused():
    refuse(PERF_EVENT_OPEN, BPF)


def case_as_root():
    """Root's programs are measured like any other's."""
    need_root()
    for_each(lambda way: check_split(way.take(brought("split-fork"))), [ONESELF])


def case_kernel_and_vdso():
    """What the kernel did stands where the program called it, and the report says so; the vdso has
    its own name."""
    def check(way):
        measurement = way.take(brought("kernel-heavy"))
        expect(measurement.classes["kernel"] == 0, measurement.classes)
        measurement.check_sum(threads=1)
        text = run("./profil", "report", "profil.pb.gz").text
        expect("stands where the program called it" in text, text)
        measurement = way.take(brought("vdso-heavy"))
        check_least("ticks of the vdso", measurement.classes["vdso"], 1)
    for_each(check, WAYS)


def case_one_hertz():
    """At 1 Hz the sum is what is due."""
    def check(way):
        measurement = way.take(brought("split"), "1.5", options=("-F", "1"))
        check_between("samples", measurement.fired, 1, 2)
    for_each(check, WAYS)


def case_ways_out():
    """SIGKILL, _exit, abort and a crash lose nothing of what was counted; and no thread of ours keeps
    a process whose main() has left before its other threads."""
    def check(way):
        for how, status in (("exit", 0), ("kill", 137), ("_exit", 3), ("abort", 134),
                            ("crash", 139), ("thread", 0)):
            measurement = way.take(brought("ways-out"), how, status=status)
            check_truth(measurement)
            measurement.check_sum(threads=2 if how == "thread" else 1)
    for_each(check, WAYS)


def case_signals():
    """A program's own SIGPROF comes as often as it would; one that blocks all signals, sets all to
    their default or handles all sees none of ours, and goes on."""
    def check(way):
        for how in ("prof", "block", "default", "handle"):
            measurement = way.take(brought("own-signals"), how)
            own, others = measurement.done.text.split()[-3::2]
            seconds = measurement.truth.seconds["spin_work"]
            expect(others == "0", f"{how}: {others} signals that are not its own")
            if how == "prof":
                # The kernel counts for that timer whole ticks of its own, by chance more or less.
                check_between("its own ticks", int(own), 50 * seconds, 200 * seconds)
            check_truth(measurement)
            measurement.check_sum(threads=1)
    for_each(check, WAYS)


@long
def case_stack_reads_refused():
    """Where a filter refuses process_vm_readv(2), no stack is read by other means: each sample is
    counted where it fell, and its stack is cut as not readable."""
    def check(way):
        measurement = way.take(brought("split"), preexec_fn=lambda: refuse(PROCESS_VM_READV))
        check_split(measurement)
        tree = json.loads(run("./profil", "tree", "--json", "profil.pb.gz").text)
        expect(tree["stacks"] == {"whole": 0, "unreadable": measurement.fired}, tree["stacks"])
        callers = {row["function"] for row in tree["rows"] if row["depth"] == 0}
        expect(callers == {"[truncated]"}, f"callers that were not read: {callers}")
    for_each(check, WAYS)


def case_slow_calls():
    """Slow system calls: only those that SA_RESTART cannot restart may be interrupted, and the
    program can tell from nothing else."""
    def check(way):
        lines = way.take(brought("slow-calls")).done.text.splitlines()
        expect(len(lines) == 13, lines)
        for name, interrupted, calls in (line.split() for line in lines):
            expect(int(calls) > 20, f"{name}: {calls} calls")
            expect(interrupted == "0" or name in (*TIMER.interrupts, "recv_timeout"),
                   f"{name}: {interrupted} of {calls} interrupted")
    for_each(check, WAYS)


def case_own_descriptors():
    """The program finds no descriptor but its own."""
    def check(way):
        text = way.take(brought("signals")).done.text
        expect("descriptor 3" not in text, text)
    for_each(check, WAYS)


def case_doctor():
    """Where a filter refuses the better ones, doctor says that profil works by timers."""
    bring_profil()
    done = run(*AS_NOBODY, "./profil", "doctor", preexec_fn=refused)
    expect(done.status == 0, f"{done.status}: {done.text}")
    expect(re.search(r"^ok +timer engine +works$", done.text, re.M), done.text)
    expect(re.search(r"^bad +perf engine ", done.text, re.M), done.text)


@long
def case_cross_check():
    """Where the kernel engine is not to be had, --cross-check holds perf's ticks against timers'; two
    engines that agree are said to differ once in twenty, five times in a row with 3e-7."""
    need_root()
    if paranoid() > 2:
        raise Skip(f"perf_event_paranoid is {paranoid()}: nobody may open perf events")
    bring_profil()
    for _ in range(5):
        done = run(*AS_NOBODY, "./profil", "--cross-check", "-q", brought("split"), "2")
        engines = [report(path)["facts"]["engine"]
                   for path in ("profil.pb.gz", "profil.timer.pb.gz")]
        expect(engines == ["perf", "timer"], f"{engines}: {done.words}")
        if done.status == 0:
            break
    expect(done.status == 0 and "agree: 0 of" in done.words, done.words)


def case_installed():
    """Installed elsewhere, profil finds its object in the libraries' folder."""
    libraries = os.path.join("tree", LIBRARIES)
    os.makedirs("tree/bin")
    os.makedirs(libraries)
    shutil.copy(PROFIL, "tree/bin/profil")
    shutil.copy(os.path.join(os.path.dirname(PROFIL), OBJECT), libraries)
    done = run("tree/bin/profil", "-q", "--no-report", "--engine", "timer", target("split"), "0.2")
    expect(done.status == 0 and report("profil.pb.gz")["total"] > 0, done.words)


def case_programs_it_cannot_enter():
    """Static, 32-bit and set-user-ID programs are refused in a line that says what to do, and do
    not run; so is a script of a static interpreter."""
    bring_profil()
    for name in ("split-static", "split-32", "split-32-static"):
        if os.path.exists(os.path.join(os.path.dirname(target("split")), name)):
            check_error(run("./profil", "--engine", "timer", brought(name)), 125, "--engine kernel")
    if os.path.exists("split-static"):
        with open("script", "w") as script:
            script.write(f"#!{os.getcwd()}/split-static\n")
        os.chmod("script", 0o755)
        check_error(run("./profil", "--engine", "timer", "./script"), 125, "static")
    need_root()
    brought("setuid-child")
    os.chmod("setuid-child", 0o4755)
    check_error(run(*AS_NOBODY, "./profil", "--engine", "timer", "./setuid-child"), 125,
                "set-user-ID")
    expect(not os.path.exists("profil.pb.gz"), "a profile of nothing")


def case_what_was_not_entered():
    """The CPU time of children that it cannot enter is told: static and 32-bit ones, and those that begin with
    an empty environment.  None of their samples is somebody else's."""
    def check(way):
        for command in (("sh", "-c", brought("split-static") + "; exit 0"),
                        ("sh", "-c", brought("split-32") + "; exit 0"),
                        ("env", "-i", brought("split"))):
            measurement = way.take(*command)
            seconds = sum(measurement.truth.seconds.values())
            check_least(f"{command}: remainder", measurement.facts["remainder_ns"], 0.9e9 * seconds)
            # A shell's start and end are all that it saw: a few ticks of the kernel's own clock.
            check_between(f"{command}: samples", measurement.fired, 0, 0.1 * seconds / measurement.period)
            text = run("./profil", "report", "profil.pb.gz").text
            expect("timers cannot enter (static, 32-bit, set-user-ID)" in text, text)
    for_each(check, WAYS)


def case_what_it_cannot():
    """The machine's clock, --dither and processes that run already are refused by name."""
    for option in ("--dither", "--clock=machine"):
        check_error(profil("--engine", "timer", option, "true"), 125, option.split("=")[0])
    worker = Running(["sleep", "30"])
    check_error(profil("attach", "--engine", "timer", "-p", str(worker.pid)), 125, "timer engine")


def case_file_capabilities():
    """A profil whose file carries capabilities is closed to its user's programs, and says so."""
    need_root()
    need_program("setcap", "setpriv")
    bring_profil()
    given = run("setcap", "cap_bpf,cap_perfmon+ep", "profil")
    expect(given.status == 0, given.words)
    # What setpriv itself may do is gone with one exec more.
    for user in (AS_NOBODY, (*AS_NOBODY, "env")):
        check_error(run(*user, "./profil", "--engine", "timer", "true"), 125, "capabilities")


def case_gone_wrong_inside():
    """Where the engine cannot start in the program, for there is no timer or no memory for it, the
    program goes on and the report says what was not counted."""
    bring_profil()
    def no_timers():
        resource.setrlimit(resource.RLIMIT_SIGPENDING, (1, 1))
    # The limit is a user's, and this one has no timers elsewhere.
    measurement = Way(TIMER, AS_NOBODY).take(brought("split"), "0.5", preexec_fn=no_timers)
    expect(measurement.facts["not_followed"] == 1 and not measurement.fired, measurement.facts)
    expect("could not be followed" in run("./profil", "report").text, "not said")
    # 16,777,216 cells are more than the program may map.
    measurement = ONESELF.take("sh", "-c", "ulimit -v 400000; exec ./split 0.5",
                               options=(*FAST, "--cells", "16777216"))
    check_least("remainder", measurement.facts["remainder_ns"],
                0.9e9 * sum(measurement.truth.seconds.values()))


def case_large_table():
    """A table of 16,777,216 cells takes the memory of those that are used."""
    bring_profil()
    done = run("./profil", "-q", "--no-report", "--raw", "--engine", "timer", *FAST,
               "--cells", "16777216", brought("split"), "0.2")
    expect(done.status == 0 and report("profil.pb.gz")["facts"]["cells"] == 16777216, done.words)
    expect(done.memory < 64 << 20, f"{done.memory >> 20} MiB")


def case_environment():
    """What the user preloads stays, and comes first; the program gets what it would, and two
    variables more."""
    shutil.copy(target("libspin.so"), "mine.so")
    mine = os.path.abspath("mine.so")
    done = ONESELF.take("env", env={**os.environ, "LD_PRELOAD": mine}).done
    variables = dict(line.split("=", 1) for line in done.text.splitlines() if "=" in line)
    expect(variables["LD_PRELOAD"].split(":")[0] == mine, variables["LD_PRELOAD"])
    expect(variables["LD_PRELOAD"].endswith(OBJECT), variables["LD_PRELOAD"])
    added = set(variables) - set(os.environ) - {"LD_PRELOAD"}
    expect(added == {"PROFIL_HANDOFF"}, f"{added}")


def case_no_object():
    """Without the object beside it, profil says so, and auto does without."""
    shutil.copy(PROFIL, "profil")
    check_error(run("./profil", "--engine", "timer", "true"), 125, OBJECT)


def case_hostile():
    """A program that writes over all the memory that it is measured with gets a profile of nonsense,
    and harms nobody else."""
    need_program("python3")
    script = """
import mmap, os, random
path = os.environ["PROFIL_HANDOFF"]
with open(path, "r+b") as file:
    size = os.fstat(file.fileno()).st_size
    memory = mmap.mmap(file.fileno(), size)
    random.seed(%d)
    memory[64:size] = random.randbytes(size - 64)
    try:
        file.truncate(0)
    except OSError:
        print("sealed")
"""
    bring_profil()
    for seed in range(5):
        done = run("./profil", "-q", "--engine", "timer", "python3", "-c", script % seed)
        expect(done.status in (0, 125), f"{done.status}: {done.stderr[-300:]}")
        expect("sealed" in done.text, done.text)


def case_snapshot():
    """A profile of the program while it runs holds the identity."""
    bring_profil()
    worker = Running(["./profil", "-q", "--no-report", "--engine", "timer", *FAST,
                      brought("split"), "3"])
    wait_until("work", lambda: cpu_ticks_below(worker.pid) > 50)
    os.kill(worker.pid, signal.SIGUSR1)
    wait_until("a snapshot", lambda: os.path.exists("profil.pb.gz"))
    whole = report("profil.pb.gz")
    check_identity(whole)
    expect(whole["total"] > 0, whole["total"])
    expect(worker.wait().status == 0, "the worker failed")


@long
def case_real_programs():
    """Real programs, as nobody: xz, python3, sqlite3 and a compiler with the programs it starts."""
    def check(way):
        with open("data", "wb") as data:
            data.write(os.urandom(1 << 16) * 64)
        with open("program.c", "w") as program:
            program.write("#include <stdio.h>\n" + "".join(
                f"int f{i}(int x) {{ return x * {i} + f{i - 1}(x); }}\n" if i else
                "int f0(int x) { return x; }\n" for i in range(400)))
        commands = {
            "liblzma": ("xz", "-k", "-c", "-T2", "data"),
            "python3": ("python3", "-c", "sum(i * i for i in range(5000000))"),
            "libsqlite3": ("sqlite3", ":memory:", "with recursive n(i) as (select 1 union all select "
                           "i + 1 from n where i < 2000000) select sum(i * i) from n;"),
            "cc1": ("gcc", "-O2", "-c", "-o", "program.o", "program.c"),
        }
        for name, command in commands.items():
            need_program(command[0])
            measurement = way.take(*command)
            ticks = measurement.ticks("object")
            most = max(ticks, key=ticks.get)
            expect(name in most, f"{command[0]}: most ticks in {most}: {ticks}")
            facts = measurement.facts
            check_between(f"{command[0]}: ticks in seconds",
                          measurement.fired * facts["period_ns"], 0.75 * facts["cpu_ns"],
                          facts["cpu_ns"] + facts["period_ns"])
    for_each(check, WAYS)
