# SPDX-License-Identifier: BSD-2-Clause
"""How often each call path was seen, held against what others see of the same program.

Two measurements of one program are two draws: a path has a share of the time, and each has counted it
to within chance.  A share q is possible for n of N samples where N KL(n / N || q) <= log(2 / a); by
Chernoff's bound the true share is not, at either side, with a probability of a at most.  Two counts are
of one path where some q is possible for both.  There are two intervals a path; the paths looked at are
chosen by what was counted, so all that were seen count: a = ALPHA / (2 paths), and a right profiler
fails once in a million runs at most.  Samples that are taken at a steady beat scatter less than that.
"""

import json
import math
import re

import firefox
from command import Skip, expect, long, need_counting, need_program, profil, run
from exported import export, run_well, write_file
from limits import ALPHA, OffLimits

SQL = ("create table t(a,b); with recursive c(x) as (select 1 union all select x+1 from c where x<900000) "
       "insert into t select x, hex(x*7919%1000003) from c; create index i on t(b); "
       "select count(*), sum(length(b)) from t a where a.b in (select b from t where a%3=0); "
       "select b from t order by b desc limit 3;")
PYTHON = """
import json, re
d = {str(i): [i, i * 2.5, 'x' * (i % 20)] for i in range(20000)}
for r in range(40):
    s = json.dumps(d)
    json.loads(s)
    re.findall(r'x+[0-9]*', s)
    sorted(s[:100000])
"""


def divergence(seen, share):
    """KL(seen || share) of two coins."""
    total = 0.0
    for p, q in ((seen, share), (1 - seen, 1 - share)):
        if p:
            total += p * math.log(p / q) if q > 0 else math.inf
    return total


def agree(seen, total, other, other_total, log):
    """Whether some share is possible for both: going from one to the other, the first falls as the second rises."""
    one, two = seen / total, other / other_total
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        share = one + (two - one) * middle
        if total * divergence(one, share) < other_total * divergence(two, share):
            low = middle
        else:
            high = middle
    return total * divergence(one, one + (two - one) * low) <= log


def paths(file):
    """{(callers first (name, library), ...): samples} of the samples that are not in the kernel.  perf has no names for
    functions that are in no table of symbols, and other ones for those that have several."""
    found = json.loads(export("firefox", file))
    counted = {}
    for thread in found["threads"]:
        for names, ticks in firefox.stacks_of(found, thread):
            if any(category == "kernel" for _, _, category in names):
                continue
            path = tuple((re.sub(r"@.*", "", name).replace("memmove", "memcpy"), library)
                         for name, library, _ in names if not re.search(r"\+0x|\[unknown\]", name))
            counted[path] = counted.get(path, 0) + ticks
    return counted


def off(ours, theirs):
    """The paths, of the 20 that most samples have, whose shares are not one."""
    total, other_total = sum(ours.values()), sum(theirs.values())
    every = set(ours) | set(theirs)
    most = sorted(every, key=lambda path: -(ours.get(path, 0) / total + theirs.get(path, 0) / other_total))[:20]
    log = math.log(2 / (ALPHA / (2 * len(every))))
    return [f"{ours.get(path, 0)} of {total}, {theirs.get(path, 0)} of {other_total}: {path}" for path in most
            if not agree(ours.get(path, 0), total, theirs.get(path, 0), other_total, log)]


def check_perf(*command):
    need_counting()
    need_program("perf", command[0])
    done = run("perf", "record", "-q", "-e", "cpu-clock:u", "-F", "997", "--call-graph", "dwarf,32768",
               "-o", "perf.data", *command)
    if done.status:
        raise Skip(f"perf record does not work here: {done.words}")
    write_file("samples", run_well("perf", "script", "--no-inline", "-i", "perf.data").encode())
    done = profil("run", "-q", "--no-report", "-g", "--no-fold", "--no-python", *command)
    expect(done.status == 0, done.words)
    ours, theirs = paths("profil.pb.gz"), paths("samples")
    wrong = off(ours, theirs)
    if wrong:
        raise OffLimits("\n".join(wrong))
    # Callers count: where the innermost two are exchanged, it is another path, and that is seen.
    turned = {path[:-2] + path[:-3:-1]: ticks for path, ticks in theirs.items()}
    expect(off(ours, turned), "a path that is another one passes")


@long
def case_sqlite():
    """sqlite3: the 20 paths with most samples have the shares that perf record --call-graph dwarf has."""
    check_perf("sqlite3", ":memory:", SQL)


@long
def case_python():
    """The same of python3's interpreter, which calls itself."""
    check_perf("/usr/bin/python3", "-c", PYTHON)


WORK = """
#define KEEP __attribute__((noinline))
volatile unsigned sink;
KEEP unsigned leaf(unsigned n) { for (; n; n--) sink = sink * 31 + n; return sink; }
KEEP unsigned mid(unsigned n) { sink += leaf(n) + 1; return sink; }
KEEP unsigned rec(unsigned n) { return sink += n ? rec(n - 1) + leaf(9000) : leaf(90000); }
KEEP unsigned other(unsigned n) { for (; n; n--) sink = sink * 31 + n; return mid(50000); }
KEEP unsigned top(void) { sink += mid(70000) + leaf(40000) + other(30000); return sink + rec(5); }
int main(int argc, char **argv) { for (int i = 0; i < (argc > 1 ? 2 : 3000); i++) sink += top(); return 0; }
"""

# The program's start is the same for few rounds and many, and instructions of calls take other times than the loop's.
NOT_LOOPS = 0.01


@long
def case_callgrind():
    """A program whose instructions are all of one loop: the total of each function is the part that callgrind counts,
    with what it called.  It is told to count recursion by its outermost call."""
    need_counting()
    need_program("valgrind", "callgrind_annotate", "gcc")
    write_file("work.c", WORK.encode())
    run_well("gcc", "-O1", "-g", "-fno-optimize-sibling-calls", "-o", "work", "work.c")
    run_well("valgrind", "-q", "--tool=callgrind", "--toggle-collect=main", "--separate-recs=10",
             "--callgrind-out-file=counted", "./work", "few")
    text = run_well("callgrind_annotate", "--inclusive=yes", "--threshold=100", "--auto=no", "counted")
    costs = {name: int(cost.replace(",", "")) for cost, name in
             re.findall(r"^ *([\d,]+) \([ \d.]+%\) +\S*work\.c:(\w+) ", text, re.MULTILINE)}
    expect(set(costs) == {"main", "top", "mid", "rec", "other", "leaf"}, text)
    done = profil("run", "-q", "--no-report", "-g", "./work")
    expect(done.status == 0, done.words)
    totals = {row["name"]: row["total"]["samples"] for row in
              json.loads(profil("report", "--json", "--under", "^main$", "profil.pb.gz").text)["rows"]}
    log = math.log(2 / (ALPHA / len(costs)))
    for name, cost in costs.items():
        share, seen = cost / costs["main"], totals[name] / totals["main"]
        near = min(max(seen, share - NOT_LOOPS), share + NOT_LOOPS)
        if totals["main"] * divergence(seen, min(near, 1.0)) > log:
            raise OffLimits(f"{name}: {totals[name]} of {totals['main']} samples, {share:.4f} of the instructions")
