# SPDX-License-Identifier: BSD-2-Clause
"""What measuring costs the program that is measured, by each engine and by other profilers, and how
much each writes down.

bench/measure runs between a profiler and its program, so that CPU time and elapsed time are the
program's own; what the profiler itself took is told beside them.  gperftools' samples are taken by
the program, and cannot be told apart from it.  uftrace records calls, not ticks: it has no rate,
and says nothing of a program that was not compiled for it.  So one program is compiled here, from
a source that nobody here wrote: with -pg for uftrace, as it is for all others.
"""

import collections
import ctypes.util
import gzip
import os
import shutil
import statistics
import subprocess

from programs import Programs, of_the_system
from redis import Redis
from rows import leave_out, row

RATES = (100, 997, 4999)
USUAL = 997
ENGINES = ("kernel", "perf", "timer")
BARE = ("nobody", 0)
ENOUGH = "/usr/share/doc/zlib1g-dev/examples/enough.c"

# Seconds of CPU and elapsed time of the program, CPU time of the profiler; bytes that it wrote.
Sample = collections.namedtuple("Sample", "cpu elapsed profiler written")


class Batch:
    """A program that runs, works and ends; TRACED is the same one compiled for uftrace."""

    def __init__(self, name, command, traced=None):
        self.name = name
        self.command = command
        self.traced = traced

    def run(self, bench, command):
        """COMMAND has the program within bench.inner()."""
        outer, _, _ = bench.run(command)
        inner = bench.inner_cost("inner")
        return inner.cpu / 1e9, (inner.ended - inner.began) / 1e9, (outer.cpu - inner.cpu) / 1e9

    def tell(self, cpu, elapsed, longer):
        return f"{elapsed:.2f} s elapsed ({longer:+.1f} %)"


class Server:
    """redis-server, started anew each time, while redis-benchmark asks it REQUESTS times."""

    traced = None

    def __init__(self, redis, requests):
        self.name = "redis-server"
        self.redis = redis
        self.requests = requests
        self.command = redis.command()

    def run(self, bench, command):
        process = bench.start(command)
        self.redis.await_answer()
        elapsed = self.redis.load(self.requests)
        self.redis.shut_down()
        outer, _, words = bench.cost(process)
        if outer.status:
            raise SystemExit(f"bench: {' '.join(command)[:200]}: status {outer.status}\n{words}")
        inner = bench.inner_cost("inner")
        return inner.cpu / 1e9, elapsed, (outer.cpu - inner.cpu) / 1e9

    def tell(self, cpu, elapsed, longer):
        return (f"{1e6 * cpu / self.requests:.1f} µs of CPU a request,"
                f" {self.requests / elapsed:.0f} requests/s"
                f" ({100 / (1 + longer / 100) - 100:+.1f} %)")


def under_nobody(bench, rate, output, program):
    return bench.inner(program, "inner")


def under_engine(engine):
    def under(bench, rate, output, program):
        return [bench.profil, "run", "-q", "--no-report", "--flat", "--engine", engine, "-F",
                str(rate), "-o", output, "--", *bench.inner(program, "inner")]
    return under


def under_perf(bench, rate, output, program):
    return [bench.perf, "record", "-q", "-e", "cpu-clock", "-F", str(rate), "-o", output, "--",
            *bench.inner(program, "inner")]


def gperftools(rate, output):
    return ["env", f"LD_PRELOAD={ctypes.util.find_library('profiler')}", f"CPUPROFILE={output}",
            f"CPUPROFILE_FREQUENCY={rate}"]


def under_gperftools(bench, rate, output, program):
    return bench.inner([*gperftools(rate, output), *program], "inner")


def under_uftrace(bench, rate, output, program):
    """Its recorder is within what is measured: it starts no program that it cannot trace."""
    return bench.inner(["uftrace", "record", "--no-libcall", "-d", output, *program], "inner")


def engines_there(bench):
    """Those that this profil has and this machine lets work, by their own word."""
    for engine in ENGINES:
        done = subprocess.run([bench.profil, "run", "-q", "--no-report", "--engine", engine, "-o",
                               bench.path("there.pb.gz"), "true"], capture_output=True, text=True,
                              check=False)
        if done.returncode:
            leave_out(f"the {engine} engine for commands", " ".join(done.stderr.split()))
        else:
            yield engine


def samplers(bench):
    """What takes a program at a rate, by name."""
    found = {f"{engine} engine": under_engine(engine) for engine in engines_there(bench)}
    if bench.perf:
        found["perf record"] = under_perf
    if ctypes.util.find_library("profiler"):
        found["gperftools"] = under_gperftools
    else:
        leave_out("gperftools", "libprofiler is not installed")
    return found


def size_of(path):
    """Bytes in PATH, in what is below it, and in files of the same name with a suffix: each process
    writes one."""
    folder, name = os.path.split(path)
    total = 0
    for entry in os.listdir(folder):
        whole = os.path.join(folder, entry)
        if entry.startswith(name):
            inside = [os.path.join(whole, each) for each in os.listdir(whole)] \
                if os.path.isdir(whole) else [whole]
            total += sum(os.path.getsize(each) for each in inside)
    return total


def sample(bench, program, under, rate, command):
    """One run of COMMAND, a form of PROGRAM, under a profiler."""
    folder = bench.path("written")
    os.mkdir(folder)
    output = os.path.join(folder, "profile")
    try:
        times = program.run(bench, under(bench, rate, output, command))
        return Sample(*times, size_of(output))
    finally:
        shutil.rmtree(folder)


def more(seen, base, what):
    """By how many per cent the WHAT of each of SEEN is larger than that of its own bare run."""
    return sorted(100 * (getattr(each, what) / getattr(bare, what) - 1)
                  for each, bare in zip(seen, base))


def spread(sorted_values):
    """Of nine values the second and the last but one, which have the true median between them with
    96 %; of fewer the first and the last."""
    cut = 1 if len(sorted_values) >= 9 else 0
    return f"{sorted_values[cut]:+.1f} to {sorted_values[-1 - cut]:+.1f}"


def slowdown(bench, program, profilers, rounds):
    """A row for each profiler and rate."""
    ways = {BARE: (under_nobody, program.command)}
    for name, under in profilers.items():
        ways.update({(name, rate): (under, program.command) for rate in RATES})
    if program.traced and shutil.which("uftrace"):
        ways["uftrace", 0] = under_uftrace, program.traced
    seen = {way: [] for way in ways}
    sample(bench, program, under_nobody, 0, program.command)  # finds the caches cold
    for _ in range(rounds):
        for (name, rate), (under, command) in ways.items():
            seen[name, rate].append(sample(bench, program, under, rate, command))
    base = seen.pop(BARE)
    for (name, rate), samples in seen.items():
        cpu, took, own, written = (statistics.median(getattr(each, what) for each in samples)
                                   for what in Sample._fields)
        slower = more(samples, base, "cpu")
        told = program.tell(cpu, took, statistics.median(more(samples, base, "elapsed")))
        at = f"{rate} Hz" if rate else "each call, -pg"
        beside = f"{spread(slower)}; {told}; {written / 1024:.0f} KiB in {took:.1f} s"
        if name not in ("gperftools", "uftrace"):
            beside += f"; the profiler itself {own:.2f} s of CPU"
        row(f"slowdown in CPU time, {program.name}, {at}, {name}", statistics.median(slower),
            "%", None, beside)


def enough(bench, quick):
    """zlib's search for the largest code tables, compiled as it is and for uftrace, or None."""
    arguments = ["130" if quick else "180", "9", "15"]
    if os.path.exists(ENOUGH):
        source = ENOUGH
    elif os.path.exists(ENOUGH + ".gz"):
        source = bench.path("enough.c")
        with gzip.open(ENOUGH + ".gz") as packed, open(source, "wb") as out:
            shutil.copyfileobj(packed, out)
    else:
        leave_out("uftrace", f"{ENOUGH} (zlib1g-dev), which is compiled for it, is not installed")
        return None
    for name, *flags in ("enough",), ("enough-pg", "-pg"):
        subprocess.run(["gcc", "-O2", *flags, "-o", bench.path(name), source], check=True)
    return Batch("zlib's enough", [bench.path("enough"), *arguments],
                 [bench.path("enough-pg"), *arguments])


def subjects(bench, quick):
    """The programs; each takes about a second, but for a first look."""
    folder = bench.path("costs")
    os.mkdir(folder)
    batch = Programs(folder, bench.build, 0.15 if quick else 0.35)
    yield from (Batch(name, [of_the_system(command[0]), *command[1:]])
                for name, command in batch.all.items() if name.startswith(("xz", "python3")))
    own = enough(bench, quick)
    if own:
        yield own
    redis = Redis.find(bench.folder)
    if redis:
        yield Server(redis, 30000 if quick else 80000)


def try_uftrace(bench):
    """Say in uftrace's own words why programs as they come have no row with it."""
    if not shutil.which("uftrace"):
        leave_out("uftrace", "it is not installed")
        return
    tried = bench.path("tried")
    done = subprocess.run(["uftrace", "record", "--no-libcall", "-d", tried, "xz", "--version"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    shutil.rmtree(tried, ignore_errors=True)
    if done.returncode:
        leave_out("uftrace of xz, python3 and redis-server as they come",
                  " ".join(done.stderr.split()))


def written(bench, engines, redis, quick):
    """What each writes in a minute at 997 Hz of the same server at the same time: here what they
    cost does not matter, and they have the same to tell.  ENGINES are those that can attach."""
    seconds = 10 if quick else 60
    folder = bench.path("minute")
    os.mkdir(folder)
    preload = ctypes.util.find_library("profiler")
    google = gperftools(USUAL, f"{folder}/gperftools") if preload else []
    process = bench.start([*google, *redis.command()])
    pid = str(redis.await_answer())
    recorders = {f"{engine} engine": [bench.profil, "attach", "-q", "--no-report", "--engine",
                                      engine, "-F", str(USUAL), "-o", f"{folder}/{engine} engine",
                                      "--for", f"{seconds}s", "-p", pid] for engine in engines}
    if bench.perf:
        recorders["perf record"] = [bench.perf, "record", "-q", "-e", "cpu-clock", "-F", str(USUAL),
                                    "-o", f"{folder}/perf record", "-p", pid, "--", "sleep",
                                    str(seconds)]
    with redis.under_load():
        running = [subprocess.Popen(command) for command in recorders.values()]
        for each in running:
            if each.wait():
                raise SystemExit(f"bench: {' '.join(each.args)}: status {each.returncode}")
    redis.shut_down()
    bench.cost(process)
    for name in [*recorders, *["gperftools"] * bool(google)]:
        size = size_of(f"{folder}/{name}") / 1024
        row(f"written in a minute, redis-server, {USUAL} Hz, {name}", size * 60 / seconds, "KiB",
            None, f"{size:.0f} KiB in {seconds} s")


def all_costs(bench, quick):
    """(n) what measuring costs, and what is written down."""
    profilers = samplers(bench)
    programs = list(subjects(bench, quick))
    for program in programs:
        slowdown(bench, program, profilers, 1 if quick else 9)
    try_uftrace(bench)
    if isinstance(programs[-1], Server):
        attaching = [each for each in ENGINES[:2] if f"{each} engine" in profilers]
        written(bench, attaching, programs[-1].redis, quick)
