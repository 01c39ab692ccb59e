# SPDX-License-Identifier: BSD-2-Clause
"""Ticks: as many as are due, in each thread and each library, and gprof gives them to whom they are
due.

A tick's error: of a measured CPU time T at rate f, T * f ticks are due, with a random first one.
Counts are taken as binomial or Poisson, which is more than they scatter: five standard deviations
are passed once in 1.7 million times.  What the machine disturbs (two processors, others on them) is
allowed for by 3 % besides, and by what the host took (cli/stolen.py)."""

import json
import os
import struct
import subprocess

from gmon import Gmon, flat, gprof, symbols
from house import expect_ticks
from said import profil

LIMIT = 5


def check_ticks(house, what, have, seconds, hertz):
    due, stolen = seconds * hertz, house.stolen() * hertz
    expect_ticks(abs(have - due) <= LIMIT * due ** 0.5 + 0.03 * due + 2 + stolen, (what, have, due, stolen))


def engines(house):
    """Those that work here: the timer's does everywhere, the others say why not."""
    program = house.compile("calls.c", output="probe")
    works = []
    for engine in ("kernel", "perf", "timer"):
        house.run(program, PROFIL_ENGINE=engine)
        if house.stderr:
            assert house.stderr.startswith("profil: clock: "), house.stderr
            print(f"left out: {house.stderr}")
        else:
            works.append(engine)
    assert "timer" in works
    return works


def fair(house):
    """Four threads, each to the CPU time that its own clock had."""
    program = house.compile("fair.c")
    for engine in engines(house):
        seconds = list(map(float, house.run(program, PROFIL_ENGINE=engine).split()))
        ours, known = Gmon(house.path("gmon.out")), symbols(program)
        assert ours.histograms[0].hertz == 997
        for i, own in enumerate(seconds):
            low, size = known[f"work_{i}"]
            check_ticks(house, (engine, i), ours.ticks(low, low + size), own, 997)
        text = gprof(program, house.path("gmon.out"), options=("-p",))
        assert text.startswith("Flat profile:\n\nEach sample counts as 0.00100301 seconds."), text


def rate(house):
    program = house.compile("fair.c")
    seconds = sum(map(float, house.run(program, PROFIL_HZ="4999").split()))
    ours = Gmon(house.path("gmon.out"))
    assert ours.histograms[0].hertz == 4999
    check_ticks(house, "4999 Hz", ours.ticks(), seconds, 4999)


def library(house):
    """A library, linked and loaded later, has a file beside the program's, of its own addresses."""
    shared = house.compile("library.c", "-shared", "-fPIC", output="libspin.so")
    program = house.compile("loads.c", "-ldl")
    for environment, name in (({}, "gmon.libspin.so.out"), ({"GMON_OUT_PREFIX": "out.x"}, None)):
        seconds = float(house.run(program, shared, 0.8, **environment))
        name = name or next(name for name in house.files() if name.startswith("out.x-libspin.so."))
        ours, known = Gmon(house.path(name)), symbols(shared)
        # It is found when the process has had 20 ms of CPU time, seen at the kernel's next tick.
        due, stolen = seconds * 997, house.stolen() * 997
        expect_ticks(0.92 * due - LIMIT * due ** 0.5 - stolen < ours.ticks()
                     < 1.03 * due + LIMIT * due ** 0.5 + stolen, (ours.ticks(), seconds, stolen))
        own = flat(shared, house.path(name))["work_step"]
        assert own[1] == ours.calls(known["work_step"]) > 100, own
        assert own[0] > 0.6 * seconds, own


def closed(house):
    """One that is gone before the end, or before anybody has looked, still has its calls."""
    shared = house.compile("library.c", "-shared", "-fPIC", output="libspin.so")
    program = house.compile("loads.c", "-ldl")
    for seconds in (0.0001, 0.3):
        house.run(program, shared, seconds, "close")
        assert not house.stderr, house.stderr
        ours, known = Gmon(house.path("gmon.libspin.so.out")), symbols(shared)
        assert ours.calls(known["work_step"]) > 0 and ours.calls(known["spin_library"]) == 1
    assert ours.ticks() > 0.2 * 997


def closed_often(house):
    """A library that comes and goes, at other addresses each time and while forks have the runtime
    wait, loses no call; and profil reads its files, which are numbered."""
    shared = house.compile("library.c", "-shared", "-fPIC", output="libspin.so")
    program = house.compile("reloads.c", "-ldl")
    turns = 40
    house.run(program, turns, shared)
    assert not house.stderr, house.stderr
    files = [name for name in house.files() if name.startswith("gmon.libspin.so")]
    assert len(files) == turns and "gmon.libspin.so.2.out" in files, files
    shown = json.loads(profil(house, "gprof", "--json", shared, *files))
    called = sum(row["calls"] for row in shown["functions"] if row["name"] == "spin_library")
    assert called == turns, called


def accounted(house):
    """What the account says fired is in the files: no tick is anywhere else."""
    shared = house.compile("library.c", "-shared", "-fPIC", output="libspin.so")
    program = house.compile("loads.c", "-ldl")
    house.run(program, shared, 0.3, PROFIL_DEBUG="1")
    words = house.stderr.splitlines()[-1].split(";")[0].split()
    ticks, objects, outside = int(words[1]), int(words[7]), int(words[11])
    assert words[0] == "libprofil-gmon:" and ticks == objects + outside + int(words[-2]), words
    assert sum(Gmon(house.path(name)).ticks() for name in house.files()) == objects, words


def monitor(house):
    """The seventh edition's: header, calls, cells, as prof(1) reads them, at 100 ticks a second."""
    program = house.compile("monitor.c", "-no-pie", *house.link())
    seconds, calls, address = house.run(program).split()
    with open(house.path("mon.out"), "rb") as source:
        data = source.read()
    assert len(data) == 131072
    low, high, slots = struct.unpack_from("=QQi", data)
    assert slots == 100 and low < int(address) < high
    counted = dict(struct.unpack_from("=QQ", data, 24 + 16 * i) for i in range(slots))
    size = symbols(program)["work"][1]
    own = [count for self, count in counted.items() if 0 <= self - int(address) < size]
    assert own == [int(calls)], counted
    cells = struct.unpack_from(f"={(len(data) - 1624) // 2}H", data, 1624)
    check_ticks(house, "mon.out", sum(cells), float(seconds), 100)


def emulated(house):
    """On aarch64, cross-compiled whole and run by an emulator: calls are exact there too."""
    for tool, package in (("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"),
                          ("qemu-aarch64", "qemu-user")):
        house.need(tool, package)
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    subprocess.run([os.path.join(root, "tests/gmon/cross.sh"), root, house.scratch], check=True)
    for name, arguments, wanted in (("calls", (), {"leaf": 13000, "recursive": 1000}),
                                    ("threads", (4, 100000), {"one": 800000, "two": 400000})):
        program = house.compile(f"{name}.c", "-static", "-pthread", f"{house.scratch}/gcrt0.o",
                                compiler="aarch64-linux-gnu-gcc")
        house.run("/usr/bin/env", "qemu-aarch64", program, *arguments, preload=False,
                  PROFIL_ENGINE="timer")
        ours, known = Gmon(house.path("gmon.out")), symbols(program)
        for function, count in wanted.items():
            have = ours.calls(known[function])
            assert have == count or function == "recursive" and have == 11 * count, \
                (function, have)
