# SPDX-License-Identifier: BSD-2-Clause
"""The perf engine: the programs whose profile is known beforehand, as root and as nobody, who is
granted no more than perf_event_paranoid 2 grants to everybody."""

import os
import platform
import resource
import shutil
import struct
from ctypes import CDLL, byref, c_ushort, c_void_p, Structure, cast, create_string_buffer

from command import (PROFIL, Running, Skip, check_error, expect, need_program, need_root, report,
                     run, target, wait_until)
from limits import check_between
from measure import FAST, Measurement, check_identity, check_split, check_truth
from test_attach import cpu_ticks_of
from test_privilege import AS_NOBODY
from test_truth import copy_library, object_rows, remove_map_of

PERF = (*FAST, "--engine", "perf")
TRIES = 3


class Seen(Measurement):
    """What the kernel hides from the user is the kernel's, as far as a target can know."""

    @property
    def classes(self):
        classes = dict(self.report["classes"])
        hidden = sum(row["ticks"] for row in self.report["rows"] if "paranoid" in row["name"])
        classes["kernel"] += hidden
        classes["unresolved"] -= hidden
        return classes


def paranoid():
    with open("/proc/sys/kernel/perf_event_paranoid") as file:
        return int(file.read())


def take_as(user, *command, options=PERF, status=0, **how):
    """Profile COMMAND as USER, a prefix of commands, and check what holds for every profile."""
    if user:
        need_root()
        need_program("setpriv")
        if paranoid() > 2:
            raise Skip(f"perf_event_paranoid is {paranoid()}: nobody may open perf events")
    elif os.geteuid() != 0:
        raise Skip("needs root")
    os.chmod(".", 0o777)
    # The build directory may be closed to others: what runs is brought along.
    shutil.copy(PROFIL, "profil")
    done = run(*user, "./profil", "-q", "--no-report", *options, "-o", "profil.pb.gz", "--",
               *command, **how)
    expect(done.status == status, f"{command}: status {done.status}: {done.words}")
    measurement = Seen(done, "profil.pb.gz")
    check_identity(measurement.report)
    facts = measurement.facts
    expect(facts["engine"] == "perf" and facts["clock"] == "task", f"{facts}")
    # A tick is never counted twice: no more of them than CPU time (and one a CPU that is due).
    check_between("ticks", measurement.fired, 0,
                  1.001 * facts["cpu_ns"] / facts["period_ns"] + os.cpu_count())
    return measurement


def for_each_user(check):
    """CHECK(user) as root and as nobody; taken again where a virtual machine disturbed it: a fault
    is there every time."""
    for user in ((), AS_NOBODY):
        for left in reversed(range(TRIES)):
            for entry in os.listdir("."):
                os.unlink(entry)
            try:
                check(user)
                break
            except AssertionError:
                if not left:
                    raise


def brought(name):
    shutil.copy(target(name), name)
    return "./" + name


def split_case(name, *arguments):
    for_each_user(lambda user: check_split(take_as(user, brought(name), *arguments)))


def case_one_thread():
    """Two functions that spin 3:1 in one thread get 3:1."""
    split_case("split")


def case_threads():
    """Three threads in one function and one in another, at the same time, get 3:1."""
    split_case("split-threads")


def case_forked_children():
    """Forked children and a grandchild, at the same time, get 3:1; all are counted as tasks."""
    def check(user):
        measurement = take_as(user, brought("split-fork"))
        check_split(measurement)
        expect(measurement.facts["tasks"] == 6, measurement.facts["tasks"])
        expect(measurement.facts["not_followed"] == 0, "a child was not followed")
    for_each_user(check)


def case_apart():
    """--by-process and --by-thread have a row for each, called as it calls itself."""
    def check(user):
        measurement = take_as(user, brought("split-fork"), options=(*PERF, "--by-process"))
        rows = [row for row in measurement.by("process")["rows"] if row["ticks"] > 100]
        expect(len({row["pid"] for row in rows}) == 5, f"not five busy processes: {rows}")
        measurement = take_as(user, brought("split-threads"), options=(*PERF, "--by-thread"))
        rows = [row for row in measurement.by("thread")["rows"] if "three" in row["name"]]
        expect(len({row["tid"] for row in rows}) == 3, f"not three threads called three: {rows}")
        check_split(measurement)
    for_each_user(check)


def case_loaded_library():
    """A library that is loaded by hand and unloaded before the end keeps its functions' names."""
    for_each_user(lambda user: check_split(
        take_as(user, brought("split-dlopen"), *copy_library("loaded.so"))))


def case_two_copies():
    """Two copies of one library, loaded at once, are told apart by path."""
    def check(user):
        measurement = take_as(user, brought("two-copies"), *copy_library("three.so", "one.so"))
        check_split(measurement, "three.so", "one.so", "object", object_rows(measurement))
    for_each_user(check)


def case_same_address():
    """Two libraries that take turns at one address are each charged their own ticks."""
    def check(user):
        measurement = take_as(user, brought("remap"), *copy_library("three.so", "one.so"))
        check_split(measurement, "three.so", "one.so", "object", object_rows(measurement))
    for_each_user(check)


def case_static_and_32_bits():
    """Static and 32-bit programs are profiled like any other."""
    for name in ("split-static", "split-32", "split-32-static"):
        split_case(name)


def case_made_at_run_time():
    """Code made at run time gets its names from /tmp/perf-PID.map."""
    def check(user):
        try:
            measurement = take_as(user, brought("jit"))
            check_split(measurement, "jit_three", "jit_one")
        finally:
            remove_map_of("jit")
    for_each_user(check)


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
        due = measurement.truth.seconds["third_build"] / measurement.period
        kernel = measurement.classes["kernel"]
        check_between("ticks of third_build", ticks["third_build"], 0.97 * due - kernel, 1.03 * due)
        expect("first_build" not in ticks and "second_build" not in ticks, "names of files gone")
    for_each_user(check)


def case_exec_chain():
    """A process that executes one program after the other keeps the ticks of each."""
    def check(user):
        measurement = take_as(user, brought("exec-chain"), brought("split"))
        check_truth(measurement)
        ticks = measurement.ticks("object", object_rows(measurement))
        expect(ticks["exec-chain"] and ticks["split"], f"objects: {ticks}")
        ours = measurement.classes["program"]
        expect(ours > 0.9 * measurement.in_user_mode, f"{measurement.classes}")
    for_each_user(check)


def case_short_threads():
    """600 threads of 2 ms: each has a clock of its own, whose remainder is lost with it and is told;
    ticks and remainder are the CPU time."""
    def check(user):
        measurement = take_as(user, brought("short-threads"), options=("--engine", "perf"))
        facts = measurement.facts
        seen, lost = measurement.fired * facts["period_ns"], facts["remainder_ns"]
        expect(facts["tasks"] == 601, facts["tasks"])
        expect(lost > 0.1 * facts["cpu_ns"], f"remainder {lost} of {facts['cpu_ns']} ns")
        check_between("ticks and remainder", seen + lost, 0.999 * facts["cpu_ns"],
                      1.001 * facts["cpu_ns"] + facts["period_ns"])
        # Whatever happens, no thread's clock counts what is another's.
        due = measurement.truth.seconds
        for name, ticks in measurement.ticks("name").items():
            if name in due:
                check_between(name, ticks, 1, due[name] / measurement.period)
        notes = run("./profil", "report", "profil.pb.gz").text
        expect("behind the last ticks of their threads" in notes, notes)
    for_each_user(check)


def case_ten_thousand_forks():
    """10,000 forks are all followed, and the identity holds."""
    def check(user):
        measurement = take_as(user, brought("many-forks"), options=("--engine", "perf"))
        expect(measurement.facts["not_followed"] == 0, "a child was not followed")
        expect(measurement.facts["tasks"] == 10001, f"tasks: {measurement.facts['tasks']}")
    for_each_user(check)


def case_all_descriptors_closed():
    """A child that closes every descriptor and leaves the session is still measured."""
    for_each_user(lambda user: check_truth(take_as(user, brought("closes-descriptors"))))


def case_kernel():
    """A program that only reads zeros is the kernel's time: by its functions for root, as ticks that
    the kernel keeps to itself for nobody."""
    def check(user):
        measurement = take_as(user, brought("kernel-heavy"))
        due = measurement.truth.seconds["kernel"] / measurement.period
        check_between("ticks in the kernel", measurement.classes["kernel"], 0.9 * due, 1.1 * due)
        shown = measurement.report["classes"]["kernel"]
        if user and paranoid() == 2:
            expect(shown == 0, f"{shown} ticks of the kernel's shown to nobody")
        elif not user:
            expect(shown > 0.9 * due, f"{shown} ticks of the kernel's")
    for_each_user(check)


def case_full_table():
    """--cells 64 on 16,384 hot instructions: the rest is the file's overflow; nothing is lost."""
    def check(user):
        measurement = take_as(user, brought("many-addresses"), options=(*PERF, "--cells", "64"))
        overflow = sum(row["ticks"] for row in measurement.report["rows"]
                       if "[overflow]" in row["name"])
        expect(overflow > 0.5 * measurement.in_user_mode, f"{overflow} of {measurement.fired}")
    for_each_user(check)


def case_highest_rate():
    """At 100,000 Hz, where rings fill and the kernel slows clocks down, each tick has a reason."""
    for_each_user(lambda user: take_as(user, brought("split"), "0.3",
                                       options=("-F", "100000", "--engine", "perf")))


def case_setuid_child():
    """The kernel takes the clocks from a program that gets other rights; the report says so."""
    need_root()
    need_program("setpriv")
    os.chmod(".", 0o777)
    shutil.copy(target("setuid-child"), "child")
    os.chmod("child", 0o4755)
    measurement = take_as((), "sh", "-c", "setpriv --reuid=65534 --regid=65534 --clear-groups "
                          "./child; exit $?")
    expect("uid 65534 euid 0\n" in measurement.done.text, measurement.done.text)
    expect(measurement.facts["not_followed"] == 1, measurement.facts["not_followed"])
    expect("could not be followed" in run("./profil", "report").text, "not said")


def case_few_descriptors():
    """A limit of 64 descriptors is enough for a program of any number of threads and children."""
    def limited():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    for_each_user(lambda user: check_split(take_as(user, brought("split-fork"),
                                                   preexec_fn=limited)))


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
    """1,000 threads at once are 1,001 tasks, and what they do is counted."""
    need_program("python3")
    def check(user):
        measurement = take_as(user, "python3", "-c", THREADS)
        facts = measurement.facts
        expect(facts["tasks"] == 1001, facts["tasks"])
        # Less than a period is lost for each thread and CPU that it ran on.
        least = facts["cpu_ns"] / facts["period_ns"] - 1001 * os.cpu_count()
        check_between("ticks", measurement.fired, least, facts["cpu_ns"] / facts["period_ns"] + 2)
    for_each_user(check)


INTERRUPTED = """
import ctypes, errno, signal, sys, time
libc = ctypes.CDLL(None, use_errno=True)
end, interrupted, calls = time.monotonic() + 1, 0, 0
while time.monotonic() < end:
    interrupted += libc.poll(None, 0, 1) != 0 and ctypes.get_errno() == errno.EINTR
    interrupted += libc.usleep(500) != 0
    calls += 1
print(interrupted, calls)
"""


def case_no_interrupted_call():
    """A program that makes slow system calls sees no EINTR."""
    need_program("python3")
    def check(user):
        interrupted, calls = take_as(user, "python3", "-c", INTERRUPTED).done.text.split()
        expect(interrupted == "0" and int(calls) > 50, f"{interrupted} of {calls} calls")
    for_each_user(check)


def case_auto_for_nobody():
    """As nobody the perf engine is taken, and one line says so and how to get the better one; with
    -q there is no line."""
    measurement = take_as(AS_NOBODY, brought("split"), "0.2", options=())
    expect(not measurement.done.words, f"words with -q: {measurement.done.words}")
    done = run(*AS_NOBODY, "./profil", "--no-report", "./split", "0.2")
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
    take_as(AS_NOBODY, brought("split"), "0.1")
    check_error(run(*AS_NOBODY, "./profil", "--clock", "machine", "true"), 125, "CAP_BPF")


class Filter(Structure):
    _fields_ = [("length", c_ushort), ("program", c_void_p)]


PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241, "riscv64": 241}
BPF = {"x86_64": 321, "aarch64": 280, "riscv64": 280}


def refuse(numbers):
    """In the child: the system call is EPERM from here on, as containers have it."""
    number = numbers[platform.machine()]
    # Load the call's number; if it is this one, EPERM; else allow.
    program = (struct.pack("HBBI", 0x20, 0, 0, 0) + struct.pack("HBBI", 0x15, 0, 1, number)
               + struct.pack("HBBI", 0x06, 0, 0, 0x00050001)
               + struct.pack("HBBI", 0x06, 0, 0, 0x7fff0000))
    buffer = create_string_buffer(program, len(program))
    libc = CDLL(None)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, byref(Filter(4, cast(buffer, c_void_p)))):
        os._exit(99)


def case_refused_by_seccomp():
    """Where a filter refuses perf_event_open, one line says so, and the program does not run."""
    take_as(AS_NOBODY, brought("split"), "0.1")
    os.unlink("profil.pb.gz")
    done = run(*AS_NOBODY, "./profil", "--engine", "perf", "touch", "ran",
               preexec_fn=lambda: refuse(PERF_EVENT_OPEN))
    check_error(done, 125, "perf_event_open")
    expect("seccomp" in done.words and not os.path.exists("ran"), done.words)
    expect(not os.path.exists("profil.pb.gz"), "a profile of nothing")


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
    def check(user):
        take_as(user, brought("split"), "0.1")
        worker = Running([*user, brought("split-threads")])
        wait_until("work", lambda: cpu_ticks_of(worker.pid) > 5)
        done = run(*user, "./profil", "attach", "-q", "--no-report", *PERF, "-p", str(worker.pid))
        expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
        expect(worker.wait().status == 0, "the worker failed")
        whole = report("profil.pb.gz")
        check_identity(whole)
        ticks = {row["name"]: row["ticks"] for row in whole["rows"]}
        expect(ticks["spin_three"] > 2 * ticks["spin_one"] > 0, f"{ticks}")
        expect(whole["facts"]["tasks"] == 5, whole["facts"]["tasks"])
    for_each_user(check)


def case_attached_to_others():
    """Nobody may attach to another user's process."""
    take_as(AS_NOBODY, brought("split"), "0.1")
    worker = Running(["sleep", "30"])
    done = run(*AS_NOBODY, "./profil", "attach", "-q", "--engine", "perf", "-p", str(worker.pid))
    check_error(done, 125, "sleep")


def case_cross_check():
    """--cross-check runs the program by two engines and says that they agree: two that do are said
    to differ once in twenty, five times in a row with a chance of 3e-7."""
    need_root()
    for _ in range(5):
        done = run(PROFIL, "--cross-check", *FAST, "-q", target("split"), "0.3")
        lines = done.words.splitlines()
        expect(all(line.startswith("profil: cross-check: ") for line in lines), done.words)
        expect(done.text.count("spin_three") == 2, f"not run twice: {done.text}")
        engines = [report(path)["facts"]["engine"]
                   for path in ("profil.pb.gz", "profil.perf.pb.gz")]
        expect(engines == ["kernel", "perf"], f"{engines}")
        if done.status == 0:
            break
    expect(done.status == 0 and "agree: 0 of" in lines[0] and len(lines) == 1, done.words)


def case_cross_check_finds():
    """A program that does something else the second time is a disagreement, by name."""
    need_root()
    script = f"if [ -e twice ]; then {target('kernel-heavy')}; else touch twice; {target('split')}; fi"
    done = run(PROFIL, "--cross-check", *FAST, "-q", "sh", "-c", script)
    expect(done.status == 125 and "disagree" in done.words, f"{done.status}: {done.words}")
    expect("spin_three in split" in done.words, done.words)


def case_cross_check_cannot():
    """With one engine only, with one named, or a program that ends otherwise: a line and 125."""
    check_error(run(PROFIL, "--cross-check", "--engine", "perf", "true"), 125, "--engine perf")
    check_error(run(PROFIL, "--cross-check", "-q", "sh", "-c", "mkdir once 2>&-"), 125, "ended with 0")
    take_as(AS_NOBODY, brought("split"), "0.1")
    check_error(run(*AS_NOBODY, "./profil", "--cross-check", "touch", "ran"), 125, "CAP_BPF")
    expect(not os.path.exists("ran"), "it ran")
