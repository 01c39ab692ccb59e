# SPDX-License-Identifier: BSD-2-Clause
"""What a function compiled with -pg costs more, with libprofil-gmon and with glibc's own runtime,
and how many of the calls they count."""

import glob
import math
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
    that is cheap, so what is compared is the cost of a call that is counted.  Of one that is made,
    the most by far is the call itself: a mcount that only returns tells how much."""
    if not os.path.exists(f"{bench.build}/bench/mcount"):
        leave_out("calls of mcount", "only measured on x86-64")
        return
    libraries = (f"{bench.build}/libprofil-gmon.so", None, f"{bench.build}/bench/libempty-mcount.so")
    for threads in (1, 8):
        for arcs in (10, 1000, 99999, 100000):
            turns = [[run(bench, threads, arcs, library) for library in libraries]
                     for _ in range(3 if quick else 9)]
            ours, theirs, empty = (statistics.median(turn[i][0] for turn in turns)
                                   for i in range(3))
            kept, theirs_kept = (min(turn[i][1] for turn in turns) for i in (0, 1))
            what = f"call of mcount, {threads} thread{'s' * (threads > 1)}, {arcs} arcs"
            row(f"{what}: one that is counted / glibc's",
                statistics.median(one[0] / one[1] / (other[0] / other[1])
                                  for one, other, _ in turns),
                "×", 0.8 if threads == 1 else 0.2,
                f"{ours:.1f} ns a call; glibc {theirs:.1f}, {theirs_kept:.0%} of them counted; "
                f"to return at once {empty:.1f}")
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
    """(CPU time of the whole process, ticks in the program) of the same work."""
    prefix = bench.path("gmon")
    words = [f"{key}={value}" for key, value in {**environment, "GMON_OUT_PREFIX": prefix}.items()]
    cost, _, _ = bench.run(["env", *words, f"{bench.build}/bench/{name}", str(millions), "1"])
    found = sum(map(ticks, glob.glob(f"{prefix}.*")))
    for path in glob.glob(f"{prefix}[.-]*"):
        os.unlink(path)
    return cost.cpu, found


def interval(values):
    """Two of VALUES that have the true median between them with 95 % at least, whatever their
    distribution: it is as likely above each as below it."""
    cut, outside = 0, 2 * 0.5 ** len(values)
    while outside + 2 * math.comb(len(values), cut + 1) * 0.5 ** len(values) <= 0.05:
        cut += 1
        outside += 2 * math.comb(len(values), cut) * 0.5 ** len(values)
    return f"{sorted(values)[cut]:.2f} to {sorted(values)[-1 - cut]:.2f}"


def sampling(bench, quick):
    """(m) What being sampled costs a program that calls nothing, beside glibc's own runtime, whose
    clock is 100 Hz and no other: what a run of no work costs more than one without -pg, and what
    each second of work does beyond that.  Each run has one of the same work without -pg beside
    it."""
    library = f"{bench.build}/libprofil-gmon.so"
    ways = {"glibc": {}, "100 Hz": {"LD_PRELOAD": library, "PROFIL_HZ": "100"},
            "997 Hz": {"LD_PRELOAD": library}}
    work, start, slope, counts = 300 if quick else 1500, {}, {}, {}
    for _ in range(7 if quick else 21):
        plain = [spin(bench, "spin", millions)[0] for millions in (0, work)]
        for way, environment in ways.items():
            short, _ = spin(bench, "spin-pg", 0, **environment)
            long, counts[way] = spin(bench, "spin-pg", work, **environment)
            start.setdefault(way, []).append((short - plain[0]) / 1e6)
            slope.setdefault(way, []).append(
                100 * ((long - short) / (plain[1] - plain[0]) - 1))

    def told(values, unit):
        return "; ".join(f"{way} {statistics.median(all):.2f} {unit} ({interval(all)})"
                         for way, all in values.items())

    row("CPU time to start and end with libprofil-gmon, 997 Hz",
        statistics.median(start["997 Hz"]), "ms", None, told(start, "ms"))
    row("CPU time lost to libprofil-gmon's sampling, 997 Hz, of each second",
        statistics.median(slope["997 Hz"]), "%", None,
        told(slope, "%") + "".join(f"; {way} {count} ticks" for way, count in counts.items()))
