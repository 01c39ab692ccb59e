# SPDX-License-Identifier: BSD-2-Clause
"""What a function compiled with -pg costs more, with libprofil-gmon and with glibc's own runtime,
and how many of the calls they count."""

import glob
import os
import statistics
import struct
import subprocess

from rows import leave_out, row

CALLS = 20_000_000


def counted(path):
    """Calls in a gmon.out: 21 bytes each arc, behind the histograms."""
    with open(path, "rb") as source:
        data = source.read()
    at, calls = 20, 0
    while at < len(data):
        if data[at]:
            calls += struct.unpack_from("=I", data, at + 17)[0]
            at += 21
        else:
            at += 41 + 2 * struct.unpack_from("=I", data, at + 17)[0]
    return calls


def run(bench, threads, arcs, library):
    """Nanoseconds a call, and the part of the calls that was counted."""
    rounds = max(CALLS // arcs // threads, 5)
    prefix = bench.path("gmon")
    environment = {**os.environ, "GMON_OUT_PREFIX": prefix}
    if library:
        environment["LD_PRELOAD"] = library
    done = subprocess.run([f"{bench.build}/bench/mcount", str(threads), str(arcs), str(rounds)],
                          env=environment, capture_output=True, text=True, check=True)
    path, = glob.glob(f"{prefix}.*")
    share = counted(path) / (threads * (rounds + 1) * arcs)
    for name in glob.glob(f"{prefix}[.-]*"):
        os.unlink(name)
    return float(done.stdout), share


def calls(bench, quick):
    """(m) A thread that finds another one in glibc's mcount leaves at once, and its call is lost:
    that is cheap, so what is compared is the cost of a call that is counted."""
    if not os.path.exists(f"{bench.build}/bench/mcount"):
        leave_out("calls of mcount", "only measured on x86-64")
        return
    for threads in (1, 8):
        for arcs in (10, 1000, 99999, 100000):
            pairs = [(run(bench, threads, arcs, f"{bench.build}/libprofil-gmon.so"),
                      run(bench, threads, arcs, None)) for _ in range(3 if quick else 9)]
            ours, theirs = (statistics.median(pair[i][0] for pair in pairs) for i in (0, 1))
            kept, theirs_kept = (min(pair[i][1] for pair in pairs) for i in (0, 1))
            what = f"call of mcount, {threads} thread{'s' * (threads > 1)}, {arcs} arcs"
            # One call after the other are more than glibc tells apart, so that is only told.
            limit = None if arcs == 99999 else 0.8 if threads == 1 else 0.2
            row(f"{what}: one that is counted / glibc's",
                statistics.median(one[0] / one[1] / (other[0] / other[1]) for one, other in pairs),
                "×", limit,
                f"{ours:.1f} ns a call; glibc {theirs:.1f}, {theirs_kept:.0%} of them counted")
            row(f"{what}: not counted", 1 - kept, "of 1", 0)


def ticks(path):
    """Ticks in a gmon.out."""
    with open(path, "rb") as source:
        data = source.read()
    at, found = 20, 0
    while at < len(data):
        if data[at]:
            at += 21
            continue
        count, = struct.unpack_from("=I", data, at + 17)
        found += sum(struct.unpack_from(f"={count}H", data, at + 41))
        at += 41 + 2 * count
    return found


def spin(bench, name, millions, **environment):
    """(CPU time, ticks in the program) of the same work."""
    prefix = bench.path("gmon")
    done = subprocess.run([f"{bench.build}/bench/{name}", str(millions), "1"],
                          env={**os.environ, "GMON_OUT_PREFIX": prefix, **environment},
                          capture_output=True, text=True, check=True)
    found = sum(map(ticks, glob.glob(f"{prefix}.*")))
    for path in glob.glob(f"{prefix}[.-]*"):
        os.unlink(path)
    return int(done.stdout.split()[1]), found


def sampling(bench, quick):
    """(m) What being sampled costs a program that calls nothing, beside glibc's own runtime, whose
    clock is 100 Hz and no other; each run beside one of the same work without -pg."""
    library = f"{bench.build}/libprofil-gmon.so"
    ways = {"glibc": {}, "100 Hz": {"LD_PRELOAD": library, "PROFIL_HZ": "100"},
            "997 Hz": {"LD_PRELOAD": library}}
    millions, lost, counts = 300 if quick else 1500, {way: [] for way in ways}, {}
    for _ in range(5 if quick else 15):
        plain, _ = spin(bench, "spin", millions)
        for way, environment in ways.items():
            took, counts[way] = spin(bench, "spin-pg", millions, **environment)
            lost[way].append(100 * (took / plain - 1))
    loss = {way: statistics.median(all) for way, all in lost.items()}
    row("CPU time lost to libprofil-gmon's sampling at 997 Hz", loss["997 Hz"], "%", None,
        f"{counts['997 Hz']} ticks; at 100 Hz {loss['100 Hz']:.2f} %, {counts['100 Hz']} ticks; "
        f"glibc {loss['glibc']:.2f} %, {counts['glibc']} ticks")
