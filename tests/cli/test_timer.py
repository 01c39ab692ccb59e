# SPDX-License-Identifier: BSD-2-Clause
"""The timer engine for commands: the programs whose profile is known beforehand, by an object in the
program itself, most of them as nobody."""

import os
import re
import resource
import shutil
import signal
import time

from command import (PROFIL, Running, Skip, check_error, cpu_ticks_below, expect, need_program, need_root,
                     profil, report, run, target, wait_until)
from limits import check_between, check_share, ticks_between
from measure import FAST, Measurement, check_identity
from test_perf import BPF, PERF_EVENT_OPEN, paranoid, refuse
from test_privilege import AS_NOBODY
from test_truth import copy_library, object_rows, remove_map_of

OBJECT = "libprofil-preload.so.0"
LIBRARIES = os.environ.get("LIBRARIES", "lib/x86_64-linux-gnu")
TIMER = (*FAST, "--engine", "timer")
TRIES = 3

# Timers on CPU clocks are looked at when the kernel's own clock ticks: CONFIG_HZ times a second the
# place is seen, with all the ticks that are due since the last time.  So places are as exact as a
# profile at that rate, while the sum is exact to the period.
LOOK = time.clock_getres(6)  # CLOCK_MONOTONIC_COARSE


def bring_profil():
    """profil, and what it puts into programs beside it, where nobody may run them."""
    os.chmod(".", 0o777)
    shutil.copy(PROFIL, "profil")
    shutil.copy(os.path.join(os.path.dirname(PROFIL), OBJECT), OBJECT)


def brought(name):
    shutil.copy(target(name), name)
    return "./" + name


def take_as(user, *command, options=TIMER, status=0, again=True, **how):
    """Profile COMMAND as USER, a prefix of commands, and check what holds for every profile."""
    if user:
        need_root()
        need_program("setpriv")
    bring_profil()
    done = run(*user, "./profil", "-q", "--no-report", *options, "-o", "profil.pb.gz", "--",
               *command, **how)
    expect(done.status == status, f"{command}: status {done.status}: {done.words}")
    measurement = Measurement(done, "profil.pb.gz")
    check_identity(measurement.report)
    facts = measurement.facts
    expect(facts["engine"] == "timer" and facts["clock"] == "task", f"{facts}")
    # Each thread's own clock says what it is due: never more.
    check_between("ticks", measurement.fired, 0, facts["cpu_ns"] / facts["period_ns"] + 1)
    return measurement


def undisturbed(check, user=AS_NOBODY if os.geteuid() == 0 else ()):
    """CHECK(USER), nobody where root runs this, for the engine needs no right; taken again where a
    virtual machine disturbed it: a fault is there every time."""
    for left in reversed(range(TRIES)):
        for entry in os.listdir("."):
            shutil.rmtree(entry) if os.path.isdir(entry) else os.unlink(entry)
        try:
            check(user)
            break
        except AssertionError:
            if not left:
                raise


def looks(measurement, ticks):
    """How many times the kernel's tick has seen what has TICKS."""
    return ticks * measurement.period / LOOK


def check_truth(measurement, key="name", rows=None):
    """Each name that the target told got the CPU time that it says, as far as that can be seen at
    the kernel's ticks: limits.py with their period."""
    expect(measurement.truth.seconds, "the target told no truth")
    ticks = measurement.ticks(key, rows)
    for name, seconds in measurement.truth.seconds.items():
        least, most = ticks_between(seconds, LOOK, measurement.truth.runs[name] + 1)
        check_between(f"looks at {name}", looks(measurement, ticks.get(name, 0)), least, most + 1)


def check_split(measurement, three="spin_three", one="spin_one", key="name", rows=None):
    """3:1 as the binomial of the kernel's ticks allows."""
    check_truth(measurement, key, rows)
    ticks, seconds = measurement.ticks(key, rows), measurement.truth.seconds
    both = ticks[three] + ticks[one]
    check_share(three, round(looks(measurement, ticks[three])), round(looks(measurement, both)),
                seconds[three] / (seconds[three] + seconds[one]))


def check_sum(measurement, threads):
    """What is not in the ticks is what THREADS had since their last signal, a kernel's tick each and
    one to be found in, and the start of the program."""
    facts = measurement.facts
    least = facts["cpu_ns"] - (3 * threads * LOOK + 0.02) * 1e9
    check_between("CPU time in ticks", measurement.fired * facts["period_ns"], least,
                  facts["cpu_ns"] + facts["period_ns"])


def split_case(name, *arguments, threads=1):
    def check(user):
        measurement = take_as(user, brought(name), *arguments)
        check_split(measurement)
        check_sum(measurement, threads)
    undisturbed(check)


def case_one_thread():
    """Two functions that spin 3:1 in one thread get 3:1, and all ticks that are due."""
    split_case("split")


def case_as_root():
    """Root's programs are measured like any other's."""
    need_root()
    undisturbed(lambda user: check_split(take_as(user, brought("split-fork"))), user=())


def case_threads():
    """Three threads in one function and one in another, at the same time, get 3:1."""
    split_case("split-threads", threads=5)


def case_forked_children():
    """Forked children and a grandchild, at the same time, get 3:1; all are counted as tasks."""
    def check(user):
        measurement = take_as(user, brought("split-fork"))
        check_split(measurement)
        check_sum(measurement, 6)
        expect(measurement.facts["tasks"] == 6, measurement.facts["tasks"])
    undisturbed(check)


def case_apart():
    """--by-process and --by-thread have a row for each, called as it calls itself."""
    def check(user):
        measurement = take_as(user, brought("split-fork"), options=(*TIMER, "--by-process"))
        rows = [row for row in measurement.by("process")["rows"] if row["ticks"] > 100]
        expect(len({row["pid"] for row in rows}) == 5, f"not five busy processes: {rows}")
        measurement = take_as(user, brought("split-threads"), options=(*TIMER, "--by-thread"))
        rows = [row for row in measurement.by("thread")["rows"] if "three" in row["name"]]
        expect(len({row["tid"] for row in rows}) == 3, f"not three threads called three: {rows}")
        check_split(measurement)
    undisturbed(check)


def case_loaded_library():
    """A library that is loaded by hand and unloaded before the end keeps its functions' names."""
    undisturbed(lambda user: check_split(
        take_as(user, brought("split-dlopen"), *copy_library("loaded.so"))))


def case_two_copies():
    """Two copies of one library, loaded at once, are told apart by path."""
    def check(user):
        measurement = take_as(user, brought("two-copies"), *copy_library("three.so", "one.so"))
        check_split(measurement, "three.so", "one.so", "object", object_rows(measurement))
    undisturbed(check)


def case_made_at_run_time():
    """Code made at run time gets its names from /tmp/perf-PID.map."""
    def check(user):
        try:
            check_split(take_as(user, brought("jit")), "jit_three", "jit_one")
        finally:
            remove_map_of("jit")
    undisturbed(check)


def case_rebuilt():
    """Builds that ran at one path and were replaced there are different files: only the one that
    still stands there has names."""
    def check(user):
        builds = [brought(f"rebuilt-{build}_build") for build in ("first", "second", "third")]
        measurement = take_as(user, "sh", "-ec", """
            cp "$1" program; ./program
            cp "$2" other; mv other program; ./program
            cat "$3" >program; ./program""", "sh", *builds)
        ticks = measurement.ticks("name")
        least, most = ticks_between(measurement.truth.seconds["third_build"], LOOK,
                                    measurement.truth.runs["third_build"] + 1)
        check_between("looks at third_build", looks(measurement, ticks["third_build"]), least,
                      most + 1)
        expect("first_build" not in ticks and "second_build" not in ticks, "names of files gone")
    undisturbed(check)


def case_short_threads():
    """600 threads of 2 ms: most are gone when they are looked for; what is counted is theirs, and
    the rest is told."""
    def check(user):
        measurement = take_as(user, brought("short-threads"))
        facts = measurement.facts
        due = measurement.truth.seconds
        for name, ticks in measurement.ticks("name").items():
            if name in due:
                check_between(name, ticks, 1, due[name] / measurement.period + 1)
        check_between("ticks and remainder",
                      measurement.fired * facts["period_ns"] + facts["remainder_ns"],
                      0.999 * facts["cpu_ns"], 1.001 * facts["cpu_ns"])
    undisturbed(check)


def case_exec_chain():
    """A process that executes one program after the other keeps the ticks of each."""
    def check(user):
        measurement = take_as(user, brought("exec-chain"), brought("split"))
        check_truth(measurement)
        ticks = measurement.ticks("object", object_rows(measurement))
        expect(ticks["exec-chain"] and ticks["split"], f"objects: {ticks}")
        expect(measurement.classes["program"] > 0.9 * measurement.fired, f"{measurement.classes}")
    undisturbed(check)


def case_short_processes():
    """300 processes of 2 ms, started by vfork and posix_spawn: half are ended before the kernel's
    tick comes; what is counted is theirs, and the rest is told."""
    def check(user):
        measurement = take_as(user, brought("short-processes"))
        facts = measurement.facts
        expect(facts["tasks"] == 301, facts["tasks"])
        expect(facts["remainder_ns"] > 0, facts)
        check_between("ticks and remainder",
                      measurement.fired * facts["period_ns"] + facts["remainder_ns"],
                      0.999 * facts["cpu_ns"], 1.001 * facts["cpu_ns"])
        expect("timers cannot enter" in run("./profil", "report", "profil.pb.gz").text, "not said")
    undisturbed(check)


def case_all_descriptors_closed():
    """A child that closes every descriptor and leaves the session is still measured."""
    undisturbed(lambda user: check_truth(take_as(user, brought("closes-descriptors"))))


def case_kernel_and_vdso():
    """What the kernel did stands where the program called it, and the report says so; the vdso has
    its own name."""
    def check(user):
        measurement = take_as(user, brought("kernel-heavy"))
        expect(measurement.classes["kernel"] == 0, measurement.classes)
        check_sum(measurement, 1)
        text = run("./profil", "report", "profil.pb.gz").text
        expect("stands where the program called it" in text, text)
        measurement = take_as(user, brought("vdso-heavy"))
        expect(measurement.classes["vdso"] > 0, measurement.classes)
    undisturbed(check)


def case_full_table():
    """--cells 64 on 16,384 hot instructions: the rest is the file's overflow; nothing is lost."""
    def check(user):
        measurement = take_as(user, brought("many-addresses"), options=(*TIMER, "--cells", "64"))
        overflow = sum(row["ticks"] for row in measurement.report["rows"]
                       if "[overflow]" in row["name"])
        expect(overflow > 0.3 * measurement.fired, f"{overflow} of {measurement.fired}")
    undisturbed(check)


def case_rates():
    """At 1 Hz and at 100,000 Hz the sum is what is due."""
    def check(user):
        measurement = take_as(user, brought("split"), "0.5",
                              options=("-F", "100000", "--engine", "timer"))
        check_sum(measurement, 1)
        measurement = take_as(user, brought("split"), "1.5", options=("-F", "1", "--engine", "timer"))
        check_between("ticks", measurement.fired, 1, 2)
    undisturbed(check)


def case_ways_out():
    """SIGKILL, _exit, abort and a crash lose nothing of what was counted."""
    def check(user):
        for way, status in (("exit", 0), ("kill", 137), ("_exit", 3), ("abort", 134),
                            ("crash", 139)):
            measurement = take_as(user, brought("ways-out"), way, status=status)
            check_truth(measurement)
            check_sum(measurement, 1)
    undisturbed(check)


def case_signals():
    """A program's own SIGPROF comes as often as it would; one that blocks all signals, sets all to
    their default or handles all sees none of ours, and goes on."""
    def check(user):
        for how in ("prof", "block", "default", "handle"):
            measurement = take_as(user, brought("own-signals"), how)
            own, others = measurement.done.text.split()[-3::2]
            seconds = measurement.truth.seconds["spin_work"]
            expect(others == "0", f"{how}: {others} signals that are not its own")
            if how == "prof":
                # The kernel counts for that timer whole ticks of its own, by chance more or less.
                check_between("its own ticks", int(own), 50 * seconds, 200 * seconds)
            check_truth(measurement)
            check_sum(measurement, 1)
    undisturbed(check)


RESTARTED = {"read", "recv", "wait4", "flock"}


def case_slow_calls():
    """Slow system calls: only those that SA_RESTART cannot restart may be interrupted, and the
    program can tell from nothing else."""
    def check(user):
        lines = take_as(user, brought("slow-calls")).done.text.splitlines()
        expect(len(lines) == 13, lines)
        for name, interrupted, calls in (line.split() for line in lines):
            expect(int(calls) > 20, f"{name}: {calls} calls")
            expect(interrupted == "0" or name not in RESTARTED,
                   f"{name}: {interrupted} of {calls} interrupted")
    undisturbed(check)


def case_few_descriptors():
    """A limit of 64 descriptors is enough, and the program finds none but its own."""
    def limited():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    def check(user):
        check_split(take_as(user, brought("split-fork"), preexec_fn=limited))
        done = take_as(user, brought("signals")).done
        expect("descriptor " not in done.text or "descriptor 3" not in done.text, done.text)
    undisturbed(check)


THREADS = """
import hashlib, threading
def work():
    gate.wait()
    hashlib.sha256(data).digest()
data, gate = bytes(1 << 21), threading.Barrier(1000)
threads = [threading.Thread(target=work) for _ in range(1000)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
"""


def case_thousand_threads():
    """1,000 threads at once: what they do is counted, and what is not is told."""
    need_program("python3")
    def check(user):
        facts = take_as(user, "python3", "-c", THREADS).facts
        check_between("threads", facts["tasks"], 900, 1001)
    undisturbed(check)


def case_refused_by_seccomp():
    """Where a filter refuses perf_event_open and bpf, auto takes timers and says in one line why not
    the better ones, and how to get them."""
    def refused():
        refuse(PERF_EVENT_OPEN)
        refuse(BPF)

    def check(user):
        bring_profil()
        done = run(*user, "./profil", "--no-report", *FAST, brought("split"), preexec_fn=refused)
        lines = done.words.splitlines()
        expect(done.status == 0 and len(lines) == 1, f"{done.status}: {done.words}")
        for words in ("timer engine", "kernel engine", "perf engine", "seccomp"):
            expect(words in lines[0], f"does not say {words}: {lines[0]}")
        measurement = Measurement(done, "profil.pb.gz")
        expect(measurement.facts["engine"] == "timer", measurement.facts)
        check_identity(measurement.report)
        check_split(measurement)
    undisturbed(check)


def case_doctor():
    """Where a filter refuses the better ones, doctor says that profil works by timers."""
    bring_profil()
    def refused():
        refuse(PERF_EVENT_OPEN)
        refuse(BPF)
    done = run(*AS_NOBODY, "./profil", "doctor", preexec_fn=refused)
    expect(done.status == 0, f"{done.status}: {done.text}")
    expect(re.search(r"^ok +timer engine +works$", done.text, re.M), done.text)
    expect(re.search(r"^bad +perf engine ", done.text, re.M), done.text)


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
    """The CPU time of children that it cannot enter is told: static ones, and those that begin with
    an empty environment."""
    path = target("split-static")
    def check(user):
        for command in (("sh", "-c", brought("split-static") + "; exit 0"),
                        ("env", "-i", brought("split"))):
            measurement = take_as(user, *command)
            seconds = sum(measurement.truth.seconds.values())
            expect(measurement.facts["remainder_ns"] > 0.9e9 * seconds,
                   f"{path}: {seconds} s of {measurement.facts}")
    undisturbed(check)


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
    # The limit is a user's: this one has no timers elsewhere.
    somebody = ("setpriv", f"--reuid={100000 + os.getpid()}", "--regid=65534", "--clear-groups")
    measurement = take_as(somebody, brought("split"), "0.5", preexec_fn=no_timers)
    expect(measurement.facts["not_followed"] == 1 and not measurement.fired, measurement.facts)
    expect("could not be followed" in run("./profil", "report").text, "not said")
    # 16,777,216 cells are more than the program may map.
    measurement = take_as((), "sh", "-c", "ulimit -v 400000; exec ./split 0.5",
                          options=(*TIMER, "--cells", "16777216"))
    facts = measurement.facts
    expect(facts["remainder_ns"] > 0.9e9 * sum(measurement.truth.seconds.values()), facts)


def case_large_table():
    """A table of 16,777,216 cells takes the memory of those that are used."""
    bring_profil()
    done = run("./profil", "-q", "--no-report", "--raw", *TIMER, "--cells", "16777216",
               brought("split"), "0.2")
    expect(done.status == 0 and report("profil.pb.gz")["facts"]["cells"] == 16777216, done.words)
    expect(done.memory < 64 << 20, f"{done.memory >> 20} MiB")


def case_environment():
    """What the user preloads stays, and comes first; the program gets what it would, and two
    variables more."""
    shutil.copy(target("libspin.so"), "mine.so")
    mine = os.path.abspath("mine.so")
    done = take_as((), "env", env={**os.environ, "LD_PRELOAD": mine}).done
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
    worker = Running(["./profil", "-q", "--no-report", *TIMER, brought("split"), "5"])
    wait_until("work", lambda: cpu_ticks_below(worker.pid) > 50)
    os.kill(worker.pid, signal.SIGUSR1)
    wait_until("a snapshot", lambda: os.path.exists("profil.pb.gz"))
    whole = report("profil.pb.gz")
    check_identity(whole)
    expect(whole["total"] > 0, whole["total"])
    expect(worker.wait().status == 0, "the worker failed")


def case_namespaces():
    """A program that takes namespaces of its own, which only one with a single thread may, gets them.
    What it executes in another user namespace cannot reach profil's memory, and is told as CPU time."""
    need_program("unshare")
    def check(user):
        for kinds in ("-Ur", "-Urmpf"):
            measurement = take_as(user, "unshare", kinds, brought("split"), "0.3")
            seconds = sum(measurement.truth.seconds.values())
            expect(seconds > 0.1, "it did not run")
            expect(measurement.facts["remainder_ns"] > 0.9e9 * seconds, measurement.facts)
    undisturbed(check)


def case_real_programs():
    """Real programs, as nobody: xz, python3, sqlite3 and a compiler with the programs it starts."""
    def check(user):
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
            measurement = take_as(user, *command)
            ticks = measurement.ticks("object")
            most = max(ticks, key=ticks.get)
            expect(name in most, f"{command[0]}: most ticks in {most}: {ticks}")
            facts = measurement.facts
            check_between(f"{command[0]}: ticks in seconds",
                          measurement.fired * facts["period_ns"], 0.75 * facts["cpu_ns"],
                          facts["cpu_ns"] + facts["period_ns"])
    undisturbed(check)
