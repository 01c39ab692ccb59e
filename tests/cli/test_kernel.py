# SPDX-License-Identifier: BSD-2-Clause
"""What the kernel engine sees beyond what all engines see (test_truth.py), and what its profiles
say of places: lines, addresses, files that are gone."""

import contextlib
import os
import re
import shutil
import signal
import time

from command import (PROFIL, Running, Skip, expect, long, need_program, need_root, report, run,
                     target, wait_until)
from limits import check_between, check_least, check_share
from measure import FAST, Measurement, check_split, check_ticks, check_truth, expect_class, take

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "targets")


@long
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


def set_online(cpu, online):
    with open(f"/sys/devices/system/cpu/cpu{cpu}/online", "w") as file:
        file.write("1" if online else "0")


def has_clock(pid):
    """Whether PID has opened perf events."""
    folder = f"/proc/{pid}/fd"
    with contextlib.suppress(OSError):
        return any(os.readlink(f"{folder}/{name}") == "anon_inode:[perf_event]" for name in os.listdir(folder))
    return False


def with_cpu_away(*options, stopped=0):
    """Two programs that run for 3 s, while a CPU is offline for 0.8 s of them; what the report says.

    STOPPED: for so many seconds profil itself stands still when the CPU comes back.  Returned too are
    the fewest and most seconds for which the CPU can have been online without profil knowing."""
    need_root()
    cpu = max(os.sched_getaffinity(0))
    if not os.path.exists(f"/sys/devices/system/cpu/cpu{cpu}/online"):
        raise Skip(f"CPU {cpu} cannot be taken offline here")
    both = f"{target('split')} 3 & {target('split')} 3; wait"
    running = Running([PROFIL, "-q", "--no-report", *FAST, *options, "-o", "away.pb.gz", "--", "sh", "-c", both])
    wait_until("the clock", lambda: has_clock(running.pid))
    time.sleep(0.3)
    set_online(cpu, False)
    try:
        time.sleep(0.8)
        if stopped:
            os.kill(running.pid, signal.SIGSTOP)
    finally:
        began = time.monotonic()
        set_online(cpu, True)
        came = time.monotonic()
    time.sleep(stopped)
    least = time.monotonic() - came if stopped else 0
    os.kill(running.pid, signal.SIGCONT)
    done = running.wait()
    most = time.monotonic() - began
    expect(done.status == 0, f"status {done.status}: {done.words}")
    return Measurement(done, "away.pb.gz"), run(PROFIL, "report", "away.pb.gz").text, least, most


def check_came_back(measurement, lacking=0):
    """What came, and LACKING seconds, are held to 0.85 of what the CPU time makes due.

    Without a clock, two programs that run for 3 s on two CPUs lack the ticks of 1.5 of 5.2 s; 0.85 is
    ten times the square root of all ticks below them, which a Poisson process would pass once in 10^23."""
    used = measurement.facts["cpu_ns"] * 1e-9 - measurement.stolen
    check_least("samples", measurement.fired, (0.85 * used - lacking) / measurement.period)


def check_without_clock(stopped):
    """A CPU that comes back gets a clock again, and the report tells for how long it had none."""
    measurement, said, least, most = with_cpu_away(stopped=stopped)
    facts = measurement.facts
    expect(facts["cpus_joined"] == 1, f"{facts}")
    lacking = facts["unclocked_ns"] * 1e-9
    check_between("seconds without a clock", lacking, max(least, 1e-9), most)
    check_came_back(measurement, lacking)
    expect(f"before its clock was started, within {lacking:.4f} s, was not sampled" in said, said)


@long
def case_cpu_comes_back():
    """The clock is there at once."""
    check_without_clock(stopped=0)


@long
def case_cpu_comes_back_unseen():
    """While profil stands still it gives no clock, and it tells how long that was."""
    check_without_clock(stopped=0.5)


@long
def case_cpu_comes_back_to_perf():
    """The perf engine's events outlive it that their CPU is offline: nothing is missing, or said to be."""
    measurement, said, _, _ = with_cpu_away("--engine", "perf")
    check_came_back(measurement)
    expect("came online" not in said, said)


def case_stripped():
    """Stripped of all symbols, code is object+0xoffset and no other function's."""
    need_program("strip")
    shutil.copy(target("split"), "stripped")
    os.system("strip --strip-all stripped")
    measurement = take("./stripped")
    rows = [row for row in measurement.report["rows"] if row["object"] == "stripped"]
    check_least("samples", sum(row["samples"] for row in rows), 0.95 * measurement.in_user_mode)
    # What the dynamic linker needs is there still: a stub's name is that of what it calls.
    rightly = r"stripped\+0x[0-9a-f]+|\w+@plt"
    odd = [row["name"] for row in rows if not re.fullmatch(rightly, row["name"])]
    expect(not odd, f"names out of nowhere: {odd}")


def case_deleted():
    """A program that deletes its own file is counted; its addresses stand as they are, and the
    report says why."""
    shutil.copy(target("deleted"), "gone")
    measurement = take("./gone", again=False)
    rows = [row for row in measurement.report["rows"] if row["object"].startswith("gone")]
    check_ticks(measurement, "spin_deleted", sum(row["samples"] for row in rows))
    expect(all("+0x" in row["name"] for row in rows), f"guessed names: {rows}")


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
    check_least("ticks of the kernel's", measurement.classes["kernel"], 0.95 * measurement.fired)


def case_vdso():
    """A program that only asks for the time is the vdso's time, where the vdso knows it."""
    with open("/sys/devices/system/clocksource/clocksource0/current_clocksource") as source:
        name = source.read().strip()
    if name not in ("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"):
        raise Skip(f"the vdso asks the kernel for the time: clock source {name}")
    expect_class(take(target("vdso-heavy")), "vdso", 0.5)


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
