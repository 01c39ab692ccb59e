# SPDX-License-Identifier: BSD-2-Clause
"""How well libprofil counts and what it costs, beside the C library's profil, gperftools and PAPI.

Nobody's clock is a judge in his own case: ticks are held against the CPU time that the program read
from its threads' clocks itself, and costs against the same work in the same program with no clock.
"""

import collections
import ctypes.util
import math
import os
import statistics
import struct
import subprocess

from rows import leave_out, row

ENGINES = ("kernel", "perf", "timer")
PEERS = {"libc": "C library", "gperftools": "gperftools", "papi": "PAPI"}
FAST = 20000
FASTER = 50000
CELL = 1 << 16

Counted = collections.namedtuple("Counted", "ticks cpu process threads")
Thread = collections.namedtuple("Thread", "address count cpu")


def run(bench, what, command, **environment):
    """What COMMAND prints, as rows of numbers; None, with the reason kept, when it cannot be."""
    done = subprocess.run([f"{bench.build}/bench/{command[0]}", *map(str, command[1:])],
                          env={**os.environ, **environment}, capture_output=True, text=True,
                          check=False)
    if done.returncode == 77:
        leave_out(what, " ".join(done.stderr.split()))
        return None
    if done.returncode:
        raise SystemExit(f"bench: {command}: status {done.returncode}\n{done.stderr}")
    return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]


def count(bench, call, rate, threads, millions):
    """The same work in THREADS threads counted by CALL."""
    if call == "gperftools":
        return count_gperftools(bench, rate, threads, millions)
    what = PEERS.get(call, f"{call} engine")
    lines = run(bench, what, ["counted", call, rate, threads, millions])
    return lines and Counted(*lines[0], [Thread(*line) for line in lines[1:]])


def count_gperftools(bench, rate, threads, millions):
    library = ctypes.util.find_library("profiler")
    if not library:
        leave_out("gperftools", "libprofiler is not installed")
        return None
    path = bench.path("gperftools.prof")
    lines = run(bench, "gperftools", ["counted", "none", rate, threads, millions],
                LD_PRELOAD=library, CPUPROFILE=path, CPUPROFILE_FREQUENCY=str(rate))
    samples = gperftools_samples(path)
    of_threads = [Thread(address, sum(times for pc, times in samples if 0 <= pc - address < 256),
                         cpu) for address, _, cpu in lines[1:]]
    return Counted(sum(times for _, times in samples), *lines[0][1:], of_threads)


def gperftools_samples(path):
    """(pc, times) of each record: words of a header, then [times, depth, pc...] to the trailer."""
    with open(path, "rb") as source:
        data = source.read()
    words = struct.unpack(f"={len(data) // 8}Q", data[:len(data) // 8 * 8])
    at = 2 + words[1]
    samples = []
    while words[at]:
        samples.append((words[at + 2], words[at]))
        at += 2 + words[at + 1]
    return samples


def steps_a_second(bench):
    """How many millions of steps of the work make a second of CPU time here."""
    runs = [count(bench, "none", 1, 1, 200).cpu for _ in range(3)]
    return 200e9 / statistics.median(runs)


def repeat(times, ways, measure):
    """What MEASURE tells of each of WAYS, TIMES times, in turn; without those that cannot."""
    seen = {way: [] for way in ways}
    for _ in range(times):
        for way in ways:
            result = measure(way) if way in seen else None
            if result is None:
                seen.pop(way, None)
            else:
                seen[way].append(result)
    return seen


def rates(bench, quick):
    """(h) ticks delivered against CPU time × rate asked."""
    speed = steps_a_second(bench)
    for threads in (1, 8):
        for rate in (100, 1000, 20000) if quick else (100, 250, 1000, 5000, 20000):
            millions = math.ceil((1.5 if quick else 6) * speed / threads)
            ways = [*ENGINES, *PEERS] if threads == 1 else [*ENGINES, "libc", "gperftools"]
            seen = repeat(1 if quick else 3, ways,
                          lambda way: count(bench, way, rate, threads, millions))
            rate_rows(rate, threads, seen)


def rate_rows(rate, threads, seen):
    """A row for each engine; a thread's last tick may be due and not yet there."""
    def off(counted):
        due = counted.cpu * rate / 1e9
        return 100 * (counted.ticks - due) / due

    peers = "; ".join(f"{PEERS[way]} {statistics.median(map(off, runs)):+.1f} %"
                      for way, runs in seen.items() if way in PEERS)
    for engine in ENGINES:
        if engine not in seen:
            continue
        due = statistics.median(run.cpu * rate / 1e9 for run in seen[engine])
        ticks = statistics.median(run.ticks for run in seen[engine])
        row(f"ticks off {rate} Hz, {threads} thread{'s'[:threads > 1]}, {engine}",
            statistics.median(abs(off(run)) for run in seen[engine]), "%",
            0.5 + 100 * threads / due, f"{ticks:.0f} of {due:.0f}; {peers}")


def upper_gamma(a, x):
    """Q(a, x), the regularized upper incomplete gamma function."""
    if x <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:  # the series of P(a, x)
        term = total = 1 / a
        n = a
        while term > total * 1e-15:
            n += 1
            term *= x / n
            total += term
        return 1 - scale * total
    b = x + 1 - a  # the continued fraction, by Lentz
    c = 1e300
    d = fraction = 1 / b
    for i in range(1, 10000):
        b += 2
        d = 1 / (b - i * (i - a) * d)
        c = b - i * (i - a) / c
        fraction *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return scale * fraction


def chi_square(threads):
    """(chi-square, p) of counts that are due to each thread by its own CPU time."""
    cpu = sum(thread.cpu for thread in threads)
    ticks = sum(thread.count for thread in threads)
    if not ticks:
        return math.inf, 0.0
    due = [ticks * thread.cpu / cpu for thread in threads]
    chi = sum((thread.count - expected) ** 2 / expected for thread, expected in zip(threads, due))
    return chi, upper_gamma((len(threads) - 1) / 2, chi / 2)


def fairness(bench, quick):
    """(i) equal threads, each in a copy of the function for itself, and what each was counted."""
    speed = steps_a_second(bench)
    for threads in (2, 64):
        millions = math.ceil((3 if quick else 12) * speed / threads)
        seen = repeat(3 if quick else 7, [*ENGINES, "libc", "gperftools"],
                      lambda way: chi_square(count(bench, way, 997, threads, millions).threads))
        told = {way: (statistics.median(chi for chi, _ in runs),
                      statistics.median(p for _, p in runs)) for way, runs in seen.items()}
        peers = "; ".join(f"{PEERS[way]} chi² {chi:.0f}, p {p:.2g}"
                          for way, (chi, p) in told.items() if way in PEERS)
        for engine in ENGINES:
            if engine in told:
                chi, p = told[engine]
                row(f"{threads} equal threads, p of chi², {engine}", p, "", 0.01,
                    f"chi² {chi:.1f}; {peers}", least=True)


def tick_costs(bench, quick):
    """(j) CPU time of the process under each engine, over that under an interrupt nobody hears."""
    millions = math.ceil((0.5 if quick else 2) * steps_a_second(bench))
    bare = [f"{bench.build}/bench/bare-clock", str(1000000000 // FAST),
            f"{bench.build}/bench/counted", "none", str(FAST), "1", str(millions)]

    def measure(way):
        if way == "bare":
            _, out, _ = bench.run(bare)
            return int(out.split()[2])
        counted = count(bench, way, FAST, 1, millions)
        return counted and counted.process

    seen = repeat(5 if quick else 15, ["none", "bare", *ENGINES], measure)
    none = statistics.median(seen["none"])

    def per_tick(way):
        took = statistics.median(seen[way])
        return (took - none) / (took / 1e9 * FAST)

    for engine, limit in zip(ENGINES, (1.02, 1.15, 1.7)):
        if engine in seen:
            ratio = statistics.median(ours / idle for ours, idle in zip(seen[engine], seen["bare"]))
            row(f"CPU time / bare interrupt, {FAST} Hz, {engine}", ratio, "×", limit,
                f"ns a tick: {per_tick(engine):.0f}, {per_tick('bare'):.0f} bare interrupt")


def full_cells(bench):
    """(k) 70,000 ticks into one cell.

    The calls that have an account are held to it; the others to the CPU time, within 1 %, at a rate
    that is promised.
    """
    laws = {"wrap": lambda ticks: ticks % CELL, "saturate": lambda ticks: min(ticks, CELL - 1),
            "wide": lambda ticks: ticks}
    names = {"wrap": "16 bits, wrapping", "saturate": "16 bits, saturating", "wide": "32 bits"}
    libc = run(bench, "C library", ["full-cell", "libc", FAST])
    beside = f"; C library {libc[0][0]} of {libc[0][1]}" if libc else ""
    for how, law in laws.items():
        for engine in ENGINES:
            lines = run(bench, f"{engine} engine", ["full-cell", f"{engine}-{how}", FASTER])
            if lines:
                cell, ticks = lines[0]
                row(f"70,000 ticks, {names[how]}, {engine}: cell off", abs(cell - law(ticks)),
                    "samples", 0, f"{cell} of {ticks}{beside}")
    for system, how in (("bsd", "wrap"), ("linux", "wrap"), ("hpux", "saturate")):
        lines = run(bench, system, ["full-cell", system, FAST], PROFIL_HZ=str(FAST))
        if lines:
            cell, due = lines[0]
            row(f"70,000 ticks, profil_{system}: cell off", abs(cell - laws[how](due)), "samples",
                0.01 * due if how == "wrap" else 0, f"{cell} of {due} by CPU time{beside}")


def many_regions(bench, quick):
    """(l) what a doubling of sprofil's regions adds to a tick.

    A search that halves adds a constant to each; 30 ns is one that misses every cache.  One after
    the other, 10,000 regions would add 400 and more.  The timer engine is left out: the kernel
    limits its ticks to CONFIG_HZ a second, too few to see their cost.
    """
    millions = math.ceil((0.3 if quick else 1) * steps_a_second(bench))
    for engine in ("kernel", "perf"):
        seen = repeat(5 if quick else 15, [1, 100, 10000],
                      lambda regions: run(bench, f"sprofil, {engine} engine",
                                          ["many-regions", regions, millions],
                                          PROFIL_ENGINE=engine, PROFIL_HZ=str(FASTER)))
        for regions in (100, 10000):
            if 1 not in seen or regions not in seen:
                continue
            # Both had the same work: what is more is the ticks'.
            grown = statistics.median(
                (more[0][1] - one[0][1]) / (more[0][1] / 1e9 * FASTER)
                for more, one in zip(seen[regions], seen[1]))
            row(f"sprofil, {regions} regions for 1, {engine}: a doubling",
                grown / math.log2(regions), "ns/tick", 30, f"{grown:+.0f} ns a tick in all")
