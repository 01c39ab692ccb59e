#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What profil costs and how well it counts, on programs nobody here wrote, beside perf record.

Figures are medians of interleaved repetitions of one run.  The status is 1 when a limit is passed.
"""

import argparse
import json
import math
import os
import statistics
import sys
import tempfile
import time

import agreement
import bolted
import cells
import costs
import gmon
import library
import repeats
import sizes
import stacks
import tools
import top
import wall
import whole
from programs import Programs
from rows import LEFT_OUT, ROWS, print_table, row

HERE = os.path.dirname(os.path.abspath(__file__))
RATE = 997
FAST = 20000


def tick_cost(bench, programs, quick):
    """(a) the same work with no clock, with a clock nobody listens to, and under profil."""
    work = programs.spin(300 if quick else 1500, threads=1)
    bench.run(bench.profil_run(work, "tick.pb.gz", "-F", str(FAST)))
    period = bench.report("tick.pb.gz")["facts"]["period_ns"]
    ways = {
        "none": work,
        "bare": [f"{bench.build}/bench/bare-clock", str(period), *work],
        "profil": bench.profil_run(work, "tick.pb.gz", "-F", str(FAST)),
    }
    took = {way: [] for way in ways}
    for _ in range(3 if quick else 9):
        for way, command in ways.items():
            _, out, _ = bench.run(command)
            took[way].append(int(out.split()[1]))
    pairs = list(zip(took["none"], took["bare"], took["profil"]))
    ratio = statistics.median(profil / bare for _, bare, profil in pairs)

    def per_tick(index):
        return statistics.median((times[index] - times[0]) / (times[index] / period)
                                 for times in pairs)

    row(f"CPU time under profil / bare interrupt, {FAST} Hz", ratio, "×", 1.02,
        f"ns a tick: {per_tick(2):.0f} profil, {per_tick(1):.0f} bare interrupt")


def bpf_figures(bench, command, rate, seconds):
    """Nanoseconds that a run of the BPF program at the clocks takes while COMMAND runs, and those of
    an empty program beside it, which is what reading the time costs."""
    bare = [f"{bench.build}/bench/bare-clock", "-e", str(1000000000 // rate)]
    with tools.bpf_stats():
        process = bench.start([*bare, *bench.profil_run(command, "bpf.pb.gz", "-F", str(rate))])
        clock = tools.child_of(process.pid, "bare-clock")
        collector = tools.child_of(clock, "profil")
        time.sleep(seconds)
        figures = tools.bpf_time(collector), tools.bpf_time(clock)
        bench.cost(process)
    if not all(figure and figure[1] for figure in figures):
        raise SystemExit("bench: no BPF program found at the clocks")
    return [spent / runs for spent, runs in figures]


def bpf_cost(bench, programs, quick):
    """(b) the BPF program's own time per run; caches are warm at a high rate, cold at a low one.
    What bpf_stats says of an empty program, which is mostly two readings of the time, is taken off."""
    seconds = 2 if quick else 5
    for name, command, limit in (
            ("spinning", programs.spin((seconds + 1) * 900), 80),
            (f"xz -T{programs.cpus}", programs.for_seconds(seconds + 1), 200)):
        fast, empty = bpf_figures(bench, command, FAST, seconds)
        slow, empty_slow = bpf_figures(bench, command, RATE, seconds)
        row(f"BPF program's own time at {FAST} Hz, {name}", fast - empty, "ns", limit,
            f"{fast:.0f} ns less {empty:.0f} ns of an empty program beside it;"
            f" {slow:.0f} less {empty_slow:.0f} at {RATE} Hz, its caches cold")


def wake_ups(bench, programs, quick):
    """(c) how often the collector woke while the program ran."""
    seconds = 5 if quick else 20
    process = bench.start(bench.profil_run(["timeout", str(seconds + 2),
                                            *programs.spin(10**6)], "wake.pb.gz"))
    collector = tools.child_of(process.pid, "profil")
    time.sleep(1)
    before = tools.status_value(collector, "voluntary_ctxt_switches")
    time.sleep(seconds)
    after = tools.status_value(collector, "voluntary_ctxt_switches")
    bench.cost(process)
    row(f"collector's wake-ups in {seconds} s", after - before, "", 5)


def perf_counts(bench, command):
    """(ticks, ticks due, bytes) of COMMAND under perf record."""
    bench.run(bench.perf_record(bench.inner(command, "inner"), "perf.data"))
    due = bench.inner_cost("inner").cpu * RATE / 1e9
    return (bench.perf_samples("perf.data"), due, os.path.getsize(bench.path("perf.data")))


def counts(bench, programs):
    """(d) ticks against CPU time × rate, and how large the file is."""
    for name, command in programs.all.items():
        bench.run(bench.profil_run(bench.inner(command, "inner"), "count.pb.gz"))
        report = bench.report("count.pb.gz")
        due = bench.inner_cost("inner").cpu / report["facts"]["period_ns"]
        ticks = report["identity"]["samples"]
        size = os.path.getsize(bench.path("count.pb.gz"))
        beside = f"{ticks} of {due:.0f}, {size / 1024:.0f} KiB"
        if bench.perf:
            samples, perf_due, perf_size = perf_counts(bench, command)
            beside += (f"; perf {100 * (samples - perf_due) / perf_due:+.2f} %,"
                       f" {samples} of {perf_due:.0f}, {perf_size / 1024:.0f} KiB")
        allowed = max(0.5, 300 * math.sqrt(due) / due)
        row(f"ticks off CPU time × rate, {name}", abs(100 * (ticks - due) / due), "%", allowed,
            beside)


def start_up(bench):
    """(e) what profiling true costs over true."""
    ways = {"true": ["true"],
            "profil": [bench.profil, "run", "-q", "--flat", "-o", bench.path("true.pb.gz"),
                       "true"]}
    if bench.perf:
        ways["perf"] = bench.perf_record(["true"], "true.data")
    took = {way: [] for way in ways}
    for _ in range(15):
        for way, command in ways.items():
            cost, _, _ = bench.run(command)
            took[way].append((cost.ended - cost.began) / 1e6)
    true = statistics.median(took["true"])
    row("profil true over true, report included", statistics.median(took["profil"]) - true, "ms",
        30, f"perf record {statistics.median(took['perf']) - true:.0f} ms" if bench.perf else "")


def memory(bench, programs, quick):
    """(f) the collector's peak, and whether a long run costs more than a short one."""
    peak, naming = watch_peaks(bench, programs.all["gcc -O2"])
    row("peak memory of the collector, gcc -O2", peak / 1024, "MiB", 40)
    row("peak memory of its names' process, gcc -O2", naming / 1024, "MiB", 40,
        "it ends when they are found")
    seconds = (3, 12) if quick else (6, 60)
    spin = programs.spin(10**6)
    long_run(bench, "spin", seconds, lambda length: ["timeout", str(length), *spin])
    # A real program meets rarer and rarer addresses, each of which is one cell for good: the file
    # grows by those, up to what the table of cells holds, and by nothing else.
    long_run(bench, "xz", seconds, programs.for_seconds)
    full_table(bench, seconds, programs.for_seconds)


# What a cell may take in a file; where there are fewer, the tables of gzip's own are most of it.
CELL_BYTES = 8
CELLS_LEAST = 500


def full_table(bench, seconds, command_for):
    """What the file is like when no cell can be added to it any more."""
    sizes = []
    for length in seconds:
        bench.run(bench.profil_run(command_for(length), "full.pb.gz", "--cells", "256"))
        sizes.append(os.path.getsize(bench.path("full.pb.gz")))
    row(f"file, {seconds[1]} s / {seconds[0]} s, xz, --cells 256", sizes[1] / sizes[0], "×", 1.1,
        f"{sizes[0] / 1024:.1f} and {sizes[1] / 1024:.1f} KiB")


def long_run(bench, name, seconds, command_for):
    """Compare the collector's peak of a run with that of one that is longer, and hold the file of the
    longer one to its cells."""
    peaks, naming, files, perf_files = [], [], [], []
    for length in seconds:
        command = command_for(length)
        for figures, figure in zip((peaks, naming), watch_peaks(bench, command)):
            figures.append(figure)
        files.append(os.path.getsize(bench.path("memory.pb.gz")))
        if bench.perf:
            bench.run(bench.perf_record(command, "memory.data"))
            perf_files.append(os.path.getsize(bench.path("memory.data")))
    times = f"{seconds[1]} s / {seconds[0]} s, {name}"
    row(f"peak memory, {times}", peaks[1] / peaks[0], "×", 1.1,
        f"{peaks[0] / 1024:.1f} and {peaks[1] / 1024:.1f} MiB; while names are found "
        f"{naming[0] / 1024:.0f} and {naming[1] / 1024:.0f} MiB in another process")
    each, count = cells.bytes_a_cell(bench.path("memory.pb.gz"))
    row(f"cells in the file, names apart, {seconds[1]} s, {name}", each, "B/cell",
        CELL_BYTES if count >= CELLS_LEAST else None, f"{count} cells")
    row(f"file, {times}", files[1] / files[0], "×", None,
        f"{files[0] / 1024:.1f} and {files[1] / 1024:.1f} KiB" +
        (f"; perf.data {perf_files[0] / 1024:.0f} and {perf_files[1] / 1024:.0f} KiB"
         if bench.perf else ""))


def watch_peaks(bench, command):
    """The peak memory in KiB of the collector over COMMAND, its last words included, and of the
    process in which it has names found."""
    process = bench.start(bench.profil_run(command, "memory.pb.gz"))
    collector = tools.child_of(process.pid, "profil")
    peak = naming = 0
    while (seen := tools.status_value(collector, "VmHWM")) is not None:
        peak = seen
        for child in tools.children_of(collector, "profil"):
            naming = max(naming, tools.status_value(child, "VmHWM") or 0)
        time.sleep(0.002)
    bench.cost(process)
    return peak, naming


def reading(bench, programs, quick):
    """(g) how long the file of a compiler's run takes to write and to report."""
    write, read = [], []
    for _ in range(1 if quick else 5):
        outer, _, _ = bench.run(bench.profil_run(
            bench.inner(programs.all["gcc -O2"], "inner"), "gcc.pb.gz"))
        write.append((outer.ended - bench.inner_cost("inner").ended) / 1e9)
        cost, _, _ = bench.run([bench.profil, "report", bench.path("gcc.pb.gz")])
        read.append((cost.ended - cost.began) / 1e9)
    row("from the program's end to profil's, gcc -O2", statistics.median(write), "s", 2)
    row("profil report of it", statistics.median(read), "s", 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="shorter runs, rougher figures")
    parser.add_argument("--json", action="store_true", help="for a program to read")
    parser.add_argument("--only", metavar="LETTERS", default="abcdefghijklmnopqrstuv",
                        help="rows: a tick, b BPF, c wake-ups, d counts, e start, f memory, g file;"
                             " libprofil: h rates, i fairness, j tick, k full cells, l regions;"
                             " m calls and sampling of programs compiled with -pg;"
                             " beside others: n costs and bytes, o agreement;"
                             " p large profiles, q repeats, r call stacks,"
                             " s how many are whole, t all of the time,"
                             " u profil top, v BOLT")
    parser.add_argument("--build", default=os.path.join(HERE, "..", "build"))
    options = parser.parse_args()
    if os.geteuid():
        parser.error("the benchmark measures as root")
    before = tools.machine()
    with tempfile.TemporaryDirectory(prefix="profil-bench-") as folder:
        bench = tools.Bench(os.path.abspath(options.build), folder)
        programs = Programs(folder, bench.build, 0.3 if options.quick else 1)
        steps = {
            "a": lambda: tick_cost(bench, programs, options.quick),
            "b": lambda: bpf_cost(bench, programs, options.quick),
            "c": lambda: wake_ups(bench, programs, options.quick),
            "d": lambda: counts(bench, programs),
            "e": lambda: start_up(bench),
            "f": lambda: memory(bench, programs, options.quick),
            "g": lambda: reading(bench, programs, options.quick),
            "h": lambda: library.rates(bench, options.quick),
            "i": lambda: library.fairness(bench, options.quick),
            "j": lambda: library.tick_costs(bench, options.quick),
            "k": lambda: library.full_cells(bench),
            "l": lambda: library.many_regions(bench, options.quick),
            "m": lambda: (gmon.calls(bench, options.quick),
                          gmon.sampling(bench, options.quick)),
            "n": lambda: costs.all_costs(bench, options.quick),
            "o": lambda: agreement.agreement(bench, options.quick),
            "p": lambda: sizes.sizes(bench, options.quick),
            "q": lambda: repeats.repeats(bench, programs, options.quick),
            "r": lambda: stacks.stacks(bench, options.quick),
            "s": lambda: whole.whole(bench, options.quick),
            "t": lambda: wall.wall(bench, options.quick),
            "u": lambda: top.top(bench, options.quick),
            "v": lambda: bolted.bolted(bench, options.quick),
        }
        for letter in options.only:
            steps[letter]()
    if options.json:
        print(json.dumps({"machine": before, "rows": ROWS, "left_out": LEFT_OUT}, indent=2))
    else:
        print_table(before)
    return 1 if any(each["pass"] is False for each in ROWS) else 0


if __name__ == "__main__":
    sys.exit(main())
