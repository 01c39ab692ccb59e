# SPDX-License-Identifier: BSD-2-Clause
"""What BOLT makes of programs by a profile of them, in CPU time."""

import math
import os
import resource
import shutil
import statistics
import subprocess

from rows import leave_out, row

HERE = os.path.dirname(os.path.abspath(__file__))
BOLT = "llvm-bolt-19"
# Nothing is split off: a block without a sample in it is not for that a cold one.
OPTIONS = ["-reorder-blocks=ext-tsp", "-reorder-functions=hfsort"]
STUDENT = {8: 2.306, 40: 2.021}  # 95 %, two-sided, by degrees of freedom
PROGRAMS = {"SQLite": ("sql", ["-l:libsqlite3.a", "-lm", "-pthread"], "10000"),
            "xz": ("lzma", ["-l:liblzma.a", "-pthread"], "1000000")}


def answer(command):
    """The seconds of its own that COMMAND computes, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, done.stdout


def optimise(bench, name, libraries, size):
    """The program without and with what BOLT makes of a profile of it."""
    program, fdata, profile = bench.path(name), bench.path("fdata"), bench.path("bolted.pb.gz")
    subprocess.run(["cc", "-O2", "-Wl,-q", "-o", program, f"{HERE}/{name}.c", *libraries], check=True)
    bench.run([bench.profil, "-q", "--no-report", "-F", "4999", "-o", profile, "--", program, size])
    bench.run([bench.profil, "export", "--to", "bolt", "-o", fdata, profile])
    bench.run([BOLT, program, "-o", f"{program}.bolt", "-data", fdata, *OPTIONS])
    return [program, size], [f"{program}.bolt", size]


def bolted(bench, quick):
    """Both in turn, the first one of a pair by turns, too: what else the machine does falls on both."""
    if not shutil.which(BOLT):
        leave_out("BOLT", "bolt-19 is not installed")
        return
    pairs = min(STUDENT) + 1 if quick else max(STUDENT) + 1
    for called, (name, libraries, size) in PROGRAMS.items():
        ways, logs = optimise(bench, name, libraries, size), []
        for number in range(pairs):
            took, said = zip(*(answer(way) for way in (ways if number % 2 else ways[::-1])))
            if said[0] != said[1]:
                raise SystemExit(f"bench: {name}: BOLT's program answers otherwise")
            logs.append(math.log(took[1] / took[0]) * (1 if number % 2 else -1))
        mean = statistics.mean(logs)
        around = STUDENT[pairs - 1] * statistics.stdev(logs) / math.sqrt(pairs)
        row(f"{called} after BOLT, CPU time of that before", math.exp(mean), "x", None,
            f"{math.exp(mean - around):.3f} to {math.exp(mean + around):.3f}, the 95 % interval of {pairs} pairs")
