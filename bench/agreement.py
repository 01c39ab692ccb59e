# SPDX-License-Identifier: BSD-2-Clause
"""Whether profil ranks functions as outsiders do: callgrind, which counts instructions, and perf,
which takes samples of the same runs.

Instructions are not time: a function that waits for memory has more of the one than of the other.
So no limit is set on the ranks; perf's samples are of the same kind, and must agree.
"""

import collections
import math
import os
import re
import shutil
import statistics
import subprocess

from functions import VARIANT, Functions
from programs import PYTHON, SQL, of_the_system, text_data
from rows import leave_out, row

RATE = 9973
TOP, ENOUGH = 30, 0.005  # what is ranked: the first so many of either side, and larger shares
Z = 1.959964


def by_callgrind(bench, command, functions):
    """Instructions of COMMAND outside the kernel by function.  A function without a name that is
    jumped to is its caller for callgrind: so each instruction is asked for its address."""
    out = bench.path("callgrind.out")
    bench.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}",
               "--compress-strings=no", "--compress-pos=no", "--dump-instr=yes", *command])
    counts, path, name, skip = collections.Counter(), "", "", False
    with open(out, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            word, equals, value = line.rstrip("\n").partition("=")
            if equals and word == "ob":
                path = os.path.realpath(value)
            elif equals and word == "fn":
                name = value if VARIANT.match(value) else ""
            elif equals and word == "calls":
                skip = True  # what the callee took follows
            elif line.startswith("0x"):
                if not skip:
                    address, _, count = line.split()
                    counts[functions.key(path, int(address, 16), name)] += int(count)
                skip = False
    return counts


def by_profil(bench, profiles, functions):
    """Ticks of the program's and the libraries' functions, and the paths of those objects.  Code
    that was inlined counts as the function that it stands in, as it does for the others."""
    bench.run([bench.profil, "merge", *map(bench.path, profiles), "-o", bench.path("agreed.pb.gz")])
    counts, paths = collections.Counter(), {}
    for each in bench.report("agreed.pb.gz", "--by", "address")["rows"]:
        if each["class"] in ("program", "libraries"):
            named = not each["inlined"] and "+0x" not in each["name"]
            counts[functions.key(each["path"], each["address"], each["name"] if named else "")] += \
                each["samples"]
            paths[each["object"]] = each["path"]
    return counts, paths


def by_perf(bench, data, comm, functions, paths):
    """Samples in the objects at PATHS of the processes called COMM, by perf's own names."""
    out = subprocess.run([bench.perf, "report", "-i", data, "--stdio", "--no-children", "-F",
                          "sample,comm,dso,sym", "-t", "|"],
                         capture_output=True, text=True, check=True).stdout
    counts = collections.Counter()
    for line in out.splitlines():
        found = re.match(r"\s*(\d+)\s*\|(.*?)\s*\|(\S+)\s*\|\[\.\] (.*?)\s*$", line)
        if not found or found[2] != comm or found[3] not in paths:
            continue
        path = paths[found[3]]
        nameless = re.match(r"0x([0-9a-f]+)$", found[4])
        if nameless:
            address = functions.object(path).at_offset(int(nameless[1], 16))
            counts[functions.key(path, address)] += int(found[1])
        else:
            counts[functions.key(path, name=found[4])] += int(found[1])
    return counts


def shares(counts):
    total = sum(counts.values())
    return {key: count / total for key, count in counts.items()}


def first(counts, number):
    return set(sorted(counts, key=lambda key: -counts[key])[:number])


def large(*sides):
    """The functions to which any side gives a share of ENOUGH."""
    return {key for counts in sides for key, share in shares(counts).items() if share >= ENOUGH}


def ranked(*sides):
    """Those and the functions that any side puts among its first TOP."""
    return large(*sides).union(*(first(counts, TOP) for counts in sides))


def ranks(values):
    """The rank of each value; equal ones share the mean of theirs."""
    order = sorted(range(len(values)), key=lambda at: values[at])
    found = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        for each in order[at:end]:
            found[each] = (at + end - 1) / 2
        at = end
    return found


def spearman(one, other, keys):
    """Spearman's rho over KEYS; what a side does not know has nothing."""
    return statistics.correlation(ranks([one[key] for key in keys]),
                                  ranks([other[key] for key in keys]))


def interval(count, total):
    """Wilson's 95 % score interval of a share."""
    share = count / total
    middle = share + Z * Z / (2 * total)
    half = Z * math.sqrt(share * (1 - share) / total + Z * Z / (4 * total * total))
    return (middle - half) / (1 + Z * Z / total), (middle + half) / (1 + Z * Z / total)


def apart(one, other):
    """The functions ranked by either whose two intervals do not meet."""
    totals = sum(one.values()), sum(other.values())
    found = []
    for key in ranked(one, other):
        low, high = zip(interval(one[key], totals[0]), interval(other[key], totals[1]))
        if max(low) > min(high):
            found.append(key)
    return found


def allowed(number):
    """How many of NUMBER may be apart though both are right, with a false alarm in a million.  Two
    independent estimates of one share whose 95 % intervals just do not meet are 2 x 1.96 standard
    deviations of one apart, 2.77 of their difference: a chance of 0.56 %."""
    chance = math.erfc(Z * math.sqrt(2) / math.sqrt(2))
    tail, at = 1.0, 0
    while True:
        tail -= math.comb(number, at) * chance ** at * (1 - chance) ** (number - at)
        if tail < 1e-6:
            return at
        at += 1


def side_by_side(bench, command, repeats):
    """profil and perf record on the same runs: (profiles, perf data)."""
    profiles, data = [], []
    for number in range(repeats):
        profile, perf = f"agree{number}.pb.gz", f"agree{number}.data"
        inner = bench.profil_run(command, profile, "-F", str(RATE))
        if bench.perf:
            bench.run([bench.perf, "record", "-q", "-e", "cpu-clock", "-F", str(RATE), "-o",
                       bench.path(perf), "--", *inner])
            data.append(bench.path(perf))
        else:
            bench.run(inner)
        profiles.append(profile)
    return profiles, data


def program_rows(bench, name, command, repeats):
    functions = Functions()
    instructions = by_callgrind(bench, command, functions)
    profiles, data = side_by_side(bench, command, repeats)
    ticks, paths = by_profil(bench, profiles, functions)
    keys, most = ranked(instructions, ticks), large(instructions, ticks)
    missing = first(instructions, 10) - first(ticks, 10)
    row(f"rank correlation with callgrind's instructions, {name}",
        spearman(instructions, ticks, keys), "rho", None,
        f"Spearman's, {len(keys)} functions; {spearman(instructions, ticks, most):.2f} for the "
        f"{len(most)} of {ENOUGH:.1%} or more; {sum(ticks.values())} ticks")
    row(f"first ten of callgrind's among profil's first ten, {name}", 10 - len(missing), "of 10",
        None, f"not: {functions.told(missing)}" if missing else "")
    if not data:
        return
    samples = collections.Counter()
    for each in data:
        samples.update(by_perf(bench, each, name, functions, paths))
    strangers = apart(ticks, samples)
    number = len(ranked(ticks, samples))
    row(f"functions whose interval does not meet perf report's, {name}", len(strangers), "",
        allowed(number), f"of {number}, the same runs; {sum(samples.values())} samples"
        + (f"; {functions.told(strangers)}" if strangers else ""))


def agreement(bench, quick):
    """(o) the same work under callgrind, and under profil and perf record at once."""
    if not shutil.which("valgrind"):
        leave_out("agreement with callgrind", "valgrind is not installed")
        return
    data = bench.path("agreement.txt")
    with open(data, "w", encoding="ascii") as out:
        out.write(text_data(400000 if quick else 1500000))
    work = {
        "xz": ["xz", "-T1", "-6", "-kf", data],
        "sqlite3": ["sqlite3", ":memory:", SQL.format(rows=20000 if quick else 80000)],
        "python3": ["python3", "-c", PYTHON, "1"],
    }
    for name, command in work.items():
        program_rows(bench, name, [of_the_system(command[0]), *command[1:]], 4 if quick else 10)
