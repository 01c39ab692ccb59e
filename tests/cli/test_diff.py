# SPDX-License-Identifier: BSD-2-Clause
"""Comparing: a program that was really rebuilt and really is slower, and one that is the same."""

import math
import os
import shutil

from command import expect, long, profil, report, run, target
from diffs import diff, row_of
from limits import check_between
from measure import FAST, take
from recorded import Recorded

# Two functions; how many rounds each makes and whether the first is inlined is the compiler's to say.
SOURCE = r"""
#include <stdlib.h>
static volatile unsigned long sink;
INLINING static void work(unsigned long rounds)
{
	for (unsigned long i = 0; i < rounds; i++)
		sink += i;
}
__attribute__((noinline)) static void rest(unsigned long rounds)
{
	for (unsigned long i = 0; i < rounds; i++)
		sink ^= i;
}
int main(void)
{
	for (int i = 0; i < 100; i++) {
		work(WORK);
		rest(500000);
	}
	return 0;
}
"""
# The line of "sink += i".
WORK_LINE = "program.c:7"
NOINLINE, INLINE = "__attribute__((noinline))", "__attribute__((always_inline)) inline"


def build(work=500000, inlining=NOINLINE):
    with open("program.c", "w") as file:
        file.write(SOURCE)
    done = run("cc", "-O1", "-g", f"-DWORK={work}", f"-DINLINING={inlining}", "-o", "program",
               "program.c")
    expect(done.status == 0, done.words)


def take_runs(name, count=3):
    """COUNT runs of the program as it stands now, on its CPU time alone: what else goes on on the
    machine is not the program's."""
    paths = [f"{name}-{number}.pb.gz" for number in range(count)]
    for path in paths:
        take("./program", options=FAST, path=path, cpu=False)
    return paths


def take_turns(count, **after):
    """The profiles of COUNT runs of the program as build() makes it and of COUNT of what it makes by
    AFTER, in turns: a machine that is slower for a while is so for both."""
    build(**after)
    os.rename("program", "program-after")
    build()
    os.rename("program", "program-before")
    paths = {"before": [], "after": []}
    for number in range(count):
        for name, of in paths.items():
            shutil.copy(f"program-{name}", "program")
            of += [f"{name}-{number}.pb.gz"]
            take("./program", options=FAST, path=of[-1], cpu=False)
    return paths["before"], paths["after"]


def check_growth(said, truth):
    """work's value grew by TRUTH times what rest's did.  The machine may be slower in the runs after,
    for both.  Ticks vary by at most what independent ones would: the logarithm of the quotient has
    the variance of the sum of 1 / ticks, and is 4.9 deviations off with a probability of 1e-6."""
    work, rest = row_of(said, "work"), row_of(said, "rest")
    quotient = (work["after"]["value"] / work["before"]["value"]
                / (rest["after"]["value"] / rest["before"]["value"]))
    variance = sum(1 / row[side]["samples"] for row in (work, rest) for side in ("before", "after"))
    off = math.log(quotient / truth) / variance ** 0.5
    check_between(f"{quotient}, not {truth}: deviations", off, -4.9, 4.9)


def case_slower_program():
    """A function that does half as much again is found in a rebuilt program by its name, and has half as
    much time again as one that does the same."""
    before, after = take_turns(4, work=750000)
    check_growth(diff(before, after, "--per", "run"), 1.5)
    said = diff(before, after)
    check_growth(said, 1.5)
    for name in ("work", "rest"):
        expect(row_of(said, name)["match"] == "named", f"{name}: {row_of(said, name)['match']}")


def recorded_runs():
    """Three runs each of a program and of a rebuilt one in which dear does twice as much, recorded once
    (tests/data/profiles): what chance does on this machine now has no say in what is found in them."""
    return [[Recorded(f"{side}-{number}", path=f"{side}-{number}.pb.gz").path for number in (1, 2, 3)]
            for side in ("old", "new")]


def case_slower_recorded():
    """In shares, what one function gains the other loses."""
    said = diff(*recorded_runs())
    dear, leaf = row_of(said, "dear"), row_of(said, "leaf")
    expect(dear["significant"] and leaf["significant"], f"{dear} {leaf}")
    expect(dear["change"] > 0.02 and leaf["change"] < -0.02, f"{dear} {leaf}")


def case_fail_above():
    """--fail-above ends with 1 for what has grown by more, and says what; not for what has shrunk,
    nor for more than it grew by."""
    before, after = recorded_runs()
    done = profil("diff", "--fail-above", "5%", *before, "--", *after)
    expect(done.status == 1, f"status {done.status}: {done.words}")
    lines = done.words.splitlines()
    expect(len(lines) == 1 and lines[0].startswith("profil: dear in work-more: it grew by"), lines)
    expect("dear" in done.text, done.text)
    done = profil("diff", "--per", "run", "--fail-above", "500%", *before, "--", *after)
    expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
    done = profil("diff", "--per", "run", "--fail-above", "5%", "--function", "^dear$", *after, "--",
                  *before)
    expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")


def case_gate_of_a_second_run():
    """A program that runs once more is never said to have changed: what no machine has ever done to a
    program (analysis/diff_gate.c) is not done here."""
    paths = [take(target("split"), "0.3", path=f"{number}.pb.gz", cpu=False).path
             for number in range(2)]
    for options in ((), ("--per", "run"), ("--by", "line")):
        done = profil("diff", "--fail-above", "5%", *options, *paths)
        expect(done.status in (0, 2), f"{options}: status {done.status}: {done.words}")


def case_inlining():
    """A line of a function that the compiler inlines now is the same line, and it is said where it is
    inlined into."""
    build()
    before = take_runs("before", 1)
    build(inlining=INLINE)
    after = take_runs("after", 1)
    row = row_of(diff(before, after, "--by", "line"), WORK_LINE)
    expect(row["function"] == "work" and row["before"]["inlined"] == 0
           and row["after"]["inlined"] == row["after"]["samples"] > 0
           and row["after"]["into"] == "main", f"{row}")
    text = profil("diff", "--by", "line", *before, *after).text
    lines = [line for line in text.splitlines() if WORK_LINE in line]
    expect(len(lines) == 1 and "now inlined into main" in lines[0], text)


@long
def case_repeats_are_no_change():
    """Twice two runs of the same program, five times: that all five show a change has a probability of
    0.05^5 = 3.1e-7 at most, when one does with 5 %."""
    build(work=300000)
    alarms = 0
    for _ in range(5):
        said = diff(take_runs("before", 2), take_runs("after", 2), "--per", "run")
        alarms += any(row["significant"] for row in said["rows"])
    expect(alarms < 5, "five false alarms of five")


def case_unit_of_work():
    """The value is the CPU time of a unit of work: with twice the work, what did no more does half."""
    before, after = take_turns(3, work=1000000)
    said = diff(before, after, "--per", "call=100:200")
    expect(said["per"] == "unit" and said["unit"] == "call", f"{said['per']} {said['unit']}")
    check_growth(said, 2)  # rest has half the time a unit
    row = row_of(said, "work")
    expect(abs(row["before"]["value"] * 300
               - sum(run["facts"]["cpu_ns"] for run in map(report, before)) * 1e-9
               * row["before"]["samples"] / said["before"]["samples"]) < 1e-6, f"{row}")


def case_raw_profiles_get_names():
    """Profiles taken without names are compared by name all the same."""
    build()
    for path in ("one.pb.gz", "two.pb.gz"):
        take("./program", options=(*FAST, "--raw"), path=path, cpu=False)
    said = diff(["one.pb.gz"], ["two.pb.gz"])
    expect(row_of(said, "work")["match"] == "same", f"{said['rows'][:2]}")
