# SPDX-License-Identifier: BSD-2-Clause
"""What call stacks cost: in BPF at a tick, in the program, at the start and in bytes, against none
and against perf record's."""

import statistics
import time

import tools
from costs import Batch, more, sample, spread, under_nobody
from programs import PYTHON, SQL, of_the_system
from rows import row

RATE = 997
FAST = 4999
STACKS = ["-g"]
FLAT = ["--flat"]
SHARE = 0.5  # per cent of the CPU time that may be spent in BPF

LOOP = """
import json, re
def fold(depth, text):
    if depth:
        return fold(depth - 1, text)
    return [word.upper() for word in re.findall(r"[a-z]+", text)]
while True:
    text = json.dumps({str(i): [i] * 5 for i in range(300)}) + "some words in between" * 50
    json.loads(json.dumps(json.loads(text.split("some")[0])))
    fold(5, text)
"""


def subjects(bench):
    """(name, a program that goes on until it is killed, nanoseconds that a tick may take in BPF)"""
    rows = 20000
    endless = "while :; do sqlite3 :memory: \"$1\" >/dev/null; done"
    yield "33 hot frames", [f"{bench.build}/bench/deep", "3600"], 1500
    yield "python3", [of_the_system("python3"), "-c", LOOP], 4500
    yield ("sqlite3", ["sh", "-c", endless.replace("sqlite3", of_the_system("sqlite3")), "sh",
                       SQL.format(rows=rows * 10)], 3000)
    yield "the kernel's", ["dd", "if=/dev/urandom", "of=/dev/null", "bs=64k"], 6000


def windows(bench, command, rate, count, options, beside="-e"):
    """The nanoseconds of a tick in BPF while COMMAND runs: of COUNT short windows the median, for
    whatever else is at work on the machine comes and goes.  And those of a program BESIDE it, which
    does nothing, so that they are what reading the time costs (-k: the kernel walks there)."""
    bare = [f"{bench.build}/bench/bare-clock", beside, str(1000000000 // rate)]
    run = bench.profil_run(["timeout", str(count // 2 + 3), *command], "stacks.pb.gz", "-F",
                           str(rate), *options)
    seen = []
    with tools.bpf_stats():
        process = bench.start([*bare, *run])
        clock = tools.child_of(process.pid, "bare-clock")
        collector = tools.child_of(clock, "profil")
        time.sleep(1)  # its caches are warm, and most of its contexts are there
        for _ in range(count + 1):
            seen.append((tools.bpf_time(collector), tools.bpf_time(clock)))
            time.sleep(0.5)
        bench.cost(process)
    if not all(ours and empty for ours, empty in seen):
        raise SystemExit("bench: no BPF program found at the clocks")
    each = [[(spent - spent_before) / max(1, runs - runs_before)
             for (spent_before, runs_before), (spent, runs) in zip(before, after)]
            for before, after in zip(seen, seen[1:])]
    return [statistics.median(figures) for figures in zip(*each)]


def tick(bench, quick):
    """The BPF program's own time, and what that is of the CPU time."""
    count = 5 if quick else 15
    for name, command, limit in subjects(bench):
        fast, fast_empty = windows(bench, command, FAST, count, STACKS)
        slow, empty = windows(bench, command, RATE, count, STACKS)
        flat, flat_empty = windows(bench, command, RATE, count, FLAT)
        row(f"BPF program's own time at {RATE} Hz, call stacks, {name}", slow - empty, "ns", limit,
            f"{slow:.0f} ns less {empty:.0f} ns of an empty program beside it;"
            f" flat {flat - flat_empty:.0f} ns; {fast - fast_empty:.0f} ns at {FAST} Hz")
        row(f"BPF time × {RATE} Hz, call stacks, {name}", (slow - empty) * RATE / 1e7, "%", SHARE)
        if "frames" in name:
            beside_kernels(bench, command, count, empty)


def beside_kernels(bench, command, count, empty):
    """The same frames walked by the kernel, which knows frame pointers only: what this machine takes
    for so many, at the same ticks."""
    slow, kernels = windows(bench, command, RATE, count, STACKS, beside="-k")
    fast, fast_kernels = windows(bench, command, FAST, count, STACKS, beside="-k")
    row("walk by unwind tables, times the kernel's own by frame pointers",
        (slow - empty) / (kernels - empty), "", None,
        f"the kernel's: {kernels - empty:.0f} ns at {RATE} Hz, {fast_kernels - empty:.0f} ns at"
        f" {FAST} Hz ({(fast - empty) / (fast_kernels - empty):.1f} times)")


def under_profil(*options):
    """Options of profil for a way of costs.sample()."""
    def under(bench, rate, output, program):
        return [bench.profil, "run", "-q", "--no-report", *options, "-F", str(rate), "-o", output,
                "--", *bench.inner(program, "inner")]
    return under


def under_perf(*options):
    """The same of perf record."""
    def under(bench, rate, output, program):
        return [bench.perf, "record", "-q", "-e", "cpu-clock", *options, "-F", str(rate), "-o",
                output, "--", *bench.inner(program, "inner")]
    return under


def slowdown(bench, quick):
    """What the program takes more than without call stacks, pair by pair, and what is written."""
    ways = {"nobody": under_nobody, "flat": under_profil(*FLAT),
            "call stacks": under_profil(*STACKS)}
    if bench.perf:
        ways["perf record -g"] = under_perf("-g")
        ways["perf record --call-graph dwarf"] = under_perf("--call-graph", "dwarf")
    for name, command in (
            ("python3", [of_the_system("python3"), "-c", PYTHON, "4"]),
            ("sqlite3", [of_the_system("sqlite3"), ":memory:", SQL.format(rows=400000)])):
        program = Batch(name, command)
        seen = {way: [] for way in ways}
        sample(bench, program, under_nobody, 0, command)  # finds the caches cold
        for _ in range(2 if quick else 9):
            for way, under in ways.items():
                seen[way].append(sample(bench, program, under, RATE, command))
        for way, samples in seen.items():
            if way in ("nobody", "flat"):
                continue
            slower, bare = (more(samples, seen[other], "cpu") for other in ("flat", "nobody"))
            minute = statistics.median(each.written / each.elapsed * 60 for each in samples) / 1024
            row(f"slowdown in CPU time over flat, {name}, {RATE} Hz, {way}",
                statistics.median(slower), "%", None,
                f"{spread(slower)}; over no profiler {statistics.median(bare):+.1f} %,"
                f" {spread(bare)}; {minute:.0f} KiB a minute")


def start_up(bench, quick):
    """What profil true costs with call stacks over flat, by pairs."""
    ways = {"flat": FLAT, "stacks": STACKS}
    took = {way: [] for way in ways}
    for _ in range(9 if quick else 31):
        for way, options in ways.items():
            cost, _, _ = bench.run([bench.profil, "run", "-q", *options, "-o",
                                    bench.path("true.pb.gz"), "true"])
            took[way].append(((cost.ended - cost.began) / 1e6, cost.cpu / 1e6))
    for index, what in enumerate(("elapsed time", "CPU time")):
        differences = sorted(stacks[index] - flat[index]
                             for flat, stacks in zip(took["flat"], took["stacks"]))
        each = {way: statistics.median(pair[index] for pair in pairs)
                for way, pairs in took.items()}
        row(f"profil true, call stacks over flat, {what}", statistics.median(differences), "ms", 25,
            f"{each['stacks']:.0f} and {each['flat']:.0f} ms")


def stacks(bench, quick):
    """(r) what call stacks cost."""
    start_up(bench, quick)
    tick(bench, quick)
    slowdown(bench, quick)
