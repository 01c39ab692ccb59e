# SPDX-License-Identifier: BSD-2-Clause
"""Programs whose profile is known beforehand, because they measure themselves (tests/targets)."""

import os
import re
import shutil

from command import PROFIL, Skip, expect, need_program, need_root, report, run, target
from limits import check_between, check_share
from measure import FAST, check_split, check_ticks, check_truth, take

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "targets")


def expect_class(measurement, name, least):
    """At least the share LEAST of the ticks outside the kernel is in the class NAME."""
    ticks, all_ticks = measurement.classes[name], measurement.in_user_mode
    expect(ticks >= least * all_ticks, f"{name}: {ticks} of {all_ticks} ticks")


def copy_library(*names):
    for name in names:
        shutil.copy(target("libspin.so"), name)
    return [os.path.abspath(name) for name in names]


def object_rows(measurement):
    return measurement.by("object")["rows"]


def case_one_thread():
    """Two functions that spin 3:1 in one thread get 3:1, in a position-independent program."""
    measurement = take(target("split"))
    check_split(measurement)
    expect_class(measurement, "program", 0.95)


def case_many_runs_agree():
    """Ten short measurements at the default rate each show 3:1: no phase is preferred."""
    three = both = 0
    share = []
    for _ in range(10):
        measurement = take(target("split"), "0.3", options=())
        check_split(measurement)
        ticks, seconds = measurement.ticks("name"), measurement.truth.seconds
        three += ticks["spin_three"]
        both += ticks["spin_three"] + ticks["spin_one"]
        share.append(seconds["spin_three"] / (seconds["spin_three"] + seconds["spin_one"]))
    check_share("spin_three of ten", three, both, sum(share) / len(share))


def case_lines_and_file():
    """The report by line puts a function's ticks on lines of its own source file."""
    measurement = take(target("split"))
    by_line = measurement.by("line")["rows"]
    rows = [row for row in by_line if row["function"] == "spin_three"]
    expect(rows, "no line of spin_three")
    line = source_line("split.c", "SPIN(static, spin_three)")
    expect(all(row["file"].endswith("split.c") and row["line"] == line for row in rows),
           f"not split.c:{line}, where the macro stands: {rows}")
    check_split(measurement, key="function", rows=by_line)


def source_line(name, text):
    """The number of the line of a target's source that holds TEXT."""
    with open(os.path.join(SOURCES, name)) as lines:
        return next(number for number, line in enumerate(lines, 1) if text in line)


def case_threads():
    """Three threads in one function and one in another, at the same time, get 3:1."""
    check_split(take(target("split-threads")))


def case_threads_apart():
    """With --by-thread each thread is a row of its own, called as it calls itself."""
    measurement = take(target("split-threads"), options=(*FAST, "--by-thread"))
    rows = [row for row in measurement.by("thread")["rows"] if "three" in row["name"]]
    expect(len(rows) == 3, f"not three threads called three: {rows}")
    expect(len({row["tid"] for row in rows}) == 3, f"threads with one number: {rows}")
    check_split(measurement)


def case_forked_children():
    """Forked children and a grandchild, at the same time, get 3:1."""
    measurement = take(target("split-fork"))
    check_split(measurement)
    expect(measurement.facts["not_followed"] == 0, "a child was not followed")
    expect(measurement.facts["tasks"] == 6, f"tasks: {measurement.facts['tasks']}")


def case_children_apart():
    """With --by-process each forked child is a row of its own."""
    measurement = take(target("split-fork"), options=(*FAST, "--by-process"))
    rows = [row for row in measurement.by("process")["rows"] if row["ticks"] > 100]
    expect(len({row["pid"] for row in rows}) == 5, f"not five busy processes: {rows}")
    check_split(measurement)


def case_loaded_library():
    """A library that is loaded by hand and unloaded before the end keeps its functions' names."""
    measurement = take(target("split-dlopen"), *copy_library("loaded.so"))
    check_split(measurement)
    expect_class(measurement, "libraries", 0.95)


def case_two_copies():
    """Two copies of one library, alike to the build-id, loaded at once, are told apart by path."""
    measurement = take(target("two-copies"), *copy_library("three.so", "one.so"))
    check_split(measurement, "three.so", "one.so", "object", object_rows(measurement))


def case_same_address():
    """Two libraries that take turns at one address are each charged their own ticks."""
    measurement = take(target("remap"), *copy_library("three.so", "one.so"))
    check_split(measurement, "three.so", "one.so", "object", object_rows(measurement))


def case_static():
    """A static program is profiled like any other."""
    check_split(take(target("split-static")))


def case_32_bits():
    """A 32-bit program is profiled like any other."""
    check_split(take(target("split-32")))


def case_32_bits_static():
    """A static 32-bit program is profiled like any other."""
    check_split(take(target("split-32-static")))


def case_stripped():
    """Stripped of all symbols, code is object+0xoffset and no other function's."""
    need_program("strip")
    shutil.copy(target("split"), "stripped")
    os.system("strip --strip-all stripped")
    measurement = take("./stripped")
    rows = [row for row in measurement.report["rows"] if row["object"] == "stripped"]
    expect(sum(row["ticks"] for row in rows) >= 0.95 * measurement.in_user_mode, "ticks elsewhere")
    # What the dynamic linker needs is there still: a stub's name is that of what it calls.
    rightly = r"stripped\+0x[0-9a-f]+|\w+@plt"
    odd = [row["name"] for row in rows if not re.fullmatch(rightly, row["name"])]
    expect(not odd, f"names out of nowhere: {odd}")


def case_made_at_run_time():
    """Code made at run time gets its names from /tmp/perf-PID.map."""
    try:
        measurement = take(target("jit"))
        check_split(measurement, "jit_three", "jit_one")
        expect_class(measurement, "anonymous", 0.95)
    finally:
        remove_map_of("jit")


def remove_map_of(name):
    """Remove the maps that the target NAME wrote: those that name its functions."""
    for entry in os.listdir("/tmp"):
        path = os.path.join("/tmp", entry)
        if re.fullmatch(r"perf-\d+\.map", entry):
            with open(path) as lines:
                ours = f"{name}_three" in lines.read()
            if ours:
                os.unlink(path)


def case_rebuilt():
    """Three builds that ran at one path, renamed over it and written in place, are three files:
    only the one that still stands there has names, and no tick gets another build's."""
    builds = [target(f"rebuilt-{build}_build") for build in ("first", "second", "third")]
    measurement = take("sh", "-ec", """
        cp "$1" program; ./program
        cp "$2" other; mv other program; ./program
        cat "$3" >program; ./program""", "sh", *builds)
    ticks, seconds = measurement.ticks("name"), measurement.truth.seconds
    expect(len(seconds) == 3, f"not three builds: {seconds}")
    check_ticks(measurement, "third_build", ticks.get("third_build", 0))
    expect("first_build" not in ticks and "second_build" not in ticks, "names of files long gone")
    gone = [row["ticks"] for row in measurement.report["rows"]
            if row["name"].startswith("program+0x")]
    # As check_ticks() would have it for each: 0.3 s is some 1,500 ticks in a few runs.
    due = (seconds["first_build"] + seconds["second_build"]) / measurement.period
    check_between("ticks of builds long gone", sum(gone), 0.97 * due, 1.03 * due)


def case_deleted():
    """A program that deletes its own file is counted; its addresses stand as they are, and the
    report says why."""
    shutil.copy(target("deleted"), "gone")
    measurement = take("./gone", again=False)
    rows = [row for row in measurement.report["rows"] if row["object"].startswith("gone")]
    check_ticks(measurement, "spin_deleted", sum(row["ticks"] for row in rows))
    expect(all("+0x" in row["name"] for row in rows), f"guessed names: {rows}")


def case_short_threads():
    """600 threads of 2 ms lose nothing, though most are shorter than two periods."""
    check_truth(take(target("short-threads"), options=()))


def case_short_processes():
    """300 processes of 2 ms, started by vfork and posix_spawn in turn, lose nothing."""
    measurement = take(target("short-processes"), options=())
    check_truth(measurement)
    expect(measurement.facts["tasks"] == 301, f"tasks: {measurement.facts['tasks']}")


def case_ten_thousand_forks():
    """10,000 forks are all followed, and the identity holds."""
    measurement = take(target("many-forks"), options=())
    expect(measurement.facts["not_followed"] == 0, "a child was not followed")
    expect(measurement.facts["tasks"] == 10001, f"tasks: {measurement.facts['tasks']}")


def case_exec_chain():
    """A process that executes one program after the other, with a thread running, keeps all of
    their ticks, each under its own name."""
    measurement = take(target("exec-chain"), target("split"))
    check_truth(measurement)
    ticks = measurement.ticks("object", object_rows(measurement))
    expect(ticks["exec-chain"] and ticks["split"], f"objects: {ticks}")
    expect_class(measurement, "program", 0.9)  # what was executed later is a program too


def case_setuid_child():
    """A setuid child of an unprivileged process is counted, and stays setuid."""
    need_root()
    need_program("setpriv")
    shutil.copy(target("setuid-child"), "child")
    os.chmod("child", 0o4755)
    measurement = take("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "./child")
    expect("uid 65534 euid 0\n" in measurement.done.text, measurement.done.text)
    check_truth(measurement)


def case_kernel():
    """A program that only reads zeros is the kernel's time."""
    measurement = take(target("kernel-heavy"))
    expect(measurement.in_user_mode < 0.05 * measurement.fired, f"classes: {measurement.classes}")


def case_vdso():
    """A program that only asks for the time is the vdso's time, where the vdso knows it."""
    with open("/sys/devices/system/clocksource/clocksource0/current_clocksource") as source:
        name = source.read().strip()
    if name not in ("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"):
        raise Skip(f"the vdso asks the kernel for the time: clock source {name}")
    expect_class(take(target("vdso-heavy")), "vdso", 0.5)


def case_orphan():
    """A child that closes every descriptor and leaves the session is still measured."""
    check_truth(take(target("closes-descriptors")))


def case_byte_for_byte_address():
    """The report by address stays within the function, at the addresses the file itself has."""
    need_program("nm")
    path = target("split")
    start, size = symbol_of(path, "spin_three")
    rows = [row for row in take(path).by("address")["rows"] if row["function"] == "spin_three"]
    expect(rows, "no address of spin_three")
    for row in rows:
        address = int(str(row["address"]), 0)
        expect(start <= address < start + size, f"{address:#x} outside {start:#x}+{size:#x}")


def symbol_of(path, name):
    """Address and size of NAME in the 64-bit little-endian ELF file PATH."""
    with os.popen(f"nm -S '{path}'") as lines:
        fields = next(line.split() for line in lines if line.split()[-1] == name)
    return int(fields[0], 16), int(fields[1], 16)


def case_chroot():
    """Inside a chroot, files are found by the paths they have there."""
    need_root()
    need_program("unshare", "chroot")
    os.mkdir("root")
    inside = ("unshare", "-m", "sh", "-c",
              'mount --rbind / root && exec chroot root sh -c \'cd "$1" && shift && "$@"\' sh "$@"',
              "sh", os.getcwd())
    done = run(*inside, PROFIL, "-q", "--no-report", *FAST, target("split"), "0.3")
    expect(done.status == 0, f"{done.status}: {done.words}")
    whole = report("profil.pb.gz")
    paths = {row["path"] for row in whole["rows"] if row["name"].startswith("spin_")}
    expect(paths == {target("split")}, f"{paths} {whole['notes']}")
