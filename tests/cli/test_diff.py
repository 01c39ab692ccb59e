# SPDX-License-Identifier: BSD-2-Clause
"""Comparing: a program that was really rebuilt and really is slower, and one that is the same."""

import csv
import io
import json
import math
import os
import re
import shutil

import pprof
from command import check_error, expect, need_program, profil, report, run, target
from limits import check_between, check_least
from measure import FAST, take
from terminal import Terminal

PROHST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "prohst")

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


def diff(before, after, *options):
    done = profil("diff", "--json", *options, *before, "--", *after)
    expect(done.status == 0 and not done.words, f"diff: {done.status}: {done.words}")
    return json.loads(done.text)


def row_of(said, name):
    rows = [row for row in said["rows"] if row["name"] == name]
    expect(len(rows) == 1, f"{name}: {rows}")
    return rows[0]


def check_growth(said, truth):
    """work's value grew by TRUTH times what rest's did.  The machine may be slower in the runs after,
    for both.  Ticks vary by at most what independent ones would: the logarithm of the quotient has
    the variance of the sum of 1 / ticks, and is 4.9 deviations off with a probability of 1e-6."""
    work, rest = row_of(said, "work"), row_of(said, "rest")
    quotient = (work["after"]["value"] / work["before"]["value"]
                / (rest["after"]["value"] / rest["before"]["value"]))
    variance = sum(1 / row[side]["ticks"] for row in (work, rest) for side in ("before", "after"))
    off = math.log(quotient / truth) / variance ** 0.5
    check_between(f"{quotient}, not {truth}: deviations", off, -4.9, 4.9)


def case_two_checkouts():
    """A line is the same one wherever its source lay when it was compiled."""
    for side in ("old", "new"):
        pprof.write(f"{side}.pb", [("/usr/bin/program", "", 0x1000, 0x2000, 0)],
                    [(0, 0x1010, "work", f"/ci/{side}/src/work.c", 7, 300),
                     (0, 0x1020, "rest", f"/ci/{side}/src/work.c", 9, 200)])
    rows = diff(["old.pb"], ["new.pb"], "--by", "line")["rows"]
    expect({(row["name"], row["before"]["ticks"], row["after"]["ticks"]) for row in rows} ==
           {("work.c:7", 300, 300), ("work.c:9", 200, 200)}, f"{rows}")


def case_slower_program():
    """A function that does half as much again is found in a rebuilt program by its name, and has half as
    much time again as one that does the same."""
    before, after = take_turns(4, work=750000)
    check_growth(diff(before, after, "--per", "run"), 1.5)
    said = diff(before, after)
    check_growth(said, 1.5)
    work, rest = row_of(said, "work"), row_of(said, "rest")
    expect(work["match"] == rest["match"] == "named", f"{work['match']} {rest['match']}")
    # In shares, what one gains the other loses.
    for row, change in ((work, work["change"]), (rest, -rest["change"])):
        check_least(f"{row}", change if row["significant"] else 0, 0.02)


def case_fail_above():
    """--fail-above ends with 1 for what has grown by more, and says what; not for what has shrunk,
    nor for more than it grew by."""
    before, after = take_turns(4, work=1000000)
    done = profil("diff", "--fail-above", "5%", *before, "--", *after)
    expect(done.status == 1, f"status {done.status}: {done.words}")
    lines = done.words.splitlines()
    expect(len(lines) == 1 and lines[0].startswith("profil: work in program: it grew by"), lines)
    expect("work" in done.text, done.text)
    done = profil("diff", "--per", "run", "--fail-above", "500%", *before, "--", *after)
    expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
    # A machine on which CPU time itself is no measure lets nothing pass.
    done = profil("diff", "--per", "run", "--fail-above", "5%", "--function", "^work$", *after, "--",
                  *before)
    expect(done.status in (0, 2), f"{done.status}: {done.words}")


def written(path, program, **ticks):
    """A profile of PROGRAM whose functions have TICKS."""
    pprof.write(path, [(f"/usr/bin/{program}", "", 0x1000, 0x9000, 0)],
                [(0, 0x1000 + 16 * number, name, "a.c", number, count)
                 for number, (name, count) in enumerate(ticks.items(), 1)])
    return path


def case_gate_of_one_run_a_side():
    """With one run a side what no chance makes ends with 1, also where no row by itself grew by more; what
    chance may make, too, with 2, and how many repeats would tell; nothing passes for want of evidence."""
    one = written("one.pb", "one", f=478, g=300, h=222)
    few = written("few.pb", "one", f=22, g=14, h=10)
    flat = written("flat.pb", "one", **{f"f{i}": 1000 for i in range(40)})
    for before, after, status, says in (
            (one, written("gone.pb", "one", g=580, h=420), 1, "f in one: it fell by 47.8 %"),
            (few, written("few-gone.pb", "one", g=45, h=35), 1, "f in one: it fell by 47.8 %"),
            (one, written("other.pb", "other", x=700, y=300), 1, "x in other: it grew by 70.0 %"),
            (flat, written("flat-other.pb", "other", **{f"g{i}": 1000 for i in range(40)}), 1,
             "all that changed: it grew by 100.0 %"),
            (one, one, 2, "1 run before and 1 after cannot tell"),
            (one, written("little.pb", "one", f=528, g=275, h=197), 2, "runs a side"),
            (one, written("least.pb", "one", f=10, g=9, h=8), 2, "too few to compare")):
        done = profil("diff", "--fail-above", "5%", before, after)
        lines = done.words.splitlines()
        expect(done.status == status, f"{before} {after}: status {done.status}: {done.words}")
        expect(len(lines) == 1 and says in lines[0], f"{before} {after}: {lines}")
    expect(profil("diff", "--fail-above", "500%", one, one).status == 0, "nothing can grow so much")
    # The three are kept apart.
    check_error(profil("diff", "--fail-above", "5%", one, "missing.pb"), 125, "missing.pb")
    check_error(profil("diff", "--fail-above", "five", one, one), 125, "--fail-above")


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
           and row["after"]["inlined"] == row["after"]["ticks"] > 0
           and row["after"]["into"] == "main", f"{row}")
    text = profil("diff", "--by", "line", *before, *after).text
    lines = [line for line in text.splitlines() if WORK_LINE in line]
    expect(len(lines) == 1 and "now inlined into main" in lines[0], text)


def case_every_tick_is_in_a_row():
    """By function, line and object, the rows add up to the ticks of each side."""
    build()
    before, after = take_runs("before", 2), take_runs("after", 1)
    for by in ("function", "line", "object"):
        said = diff(before, after, "--by", by)
        for side, paths in (("before", before), ("after", after)):
            ticks = sum(report(path)["total"] for path in paths)
            expect(said[side]["ticks"] == ticks
                   == sum(row[side]["ticks"] for row in said["rows"]), f"{by}, {side}")
            expect(abs(sum(row[side]["value"] for row in said["rows"]) - 1) < 1e-6, "shares")


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
               * row["before"]["ticks"] / said["before"]["ticks"]) < 1e-6, f"{row}")


def case_forms():
    """CSV and Markdown have the rows that JSON has."""
    build()
    before, after = take_runs("before", 1), take_runs("after", 1)
    rows = diff(before, after)["rows"]
    done = profil("diff", "--csv", *before, *after)
    read = list(csv.DictReader(io.StringIO(done.text, newline="")))
    expect([row["name"] for row in read] == [row["name"] for row in rows], "names")
    expect([int(row["ticks_after"]) for row in read] == [row["after"]["ticks"] for row in rows],
           "ticks")
    table = [line for line in profil("diff", "--markdown", "-n", "0", *before, *after)
             .text.splitlines() if line.startswith("|")]
    expect(len(table) == len(rows) + 2, f"{len(table)} lines, {len(rows)} rows")
    cells = {len(re.findall(r"(?<!\\)\|", line)) for line in table}
    expect(len(cells) == 1 and "`work`" in "".join(table), f"{cells} {table}")


def case_terminal():
    """No line is wider than the terminal; in a pipe there is no escape sequence."""
    build()
    before, after = take_runs("before", 1), take_runs("after", 1)
    expect("\x1b" not in profil("diff", *before, *after).text, "escapes")
    for columns in (80, 120):
        shown = Terminal(["diff", *before, *after], columns, {})
        expect(shown.wait() == 0 and "\x1b[" in shown.text, shown.text)
        for line in shown.text.split("\r\n"):
            plain = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line)
            expect(len(plain) <= columns, f"{len(plain)} of {columns} columns: {plain}")


def case_bad_input():
    """What cannot be compared is said in one line."""
    take(target("split"), "0.1", path="one.pb.gz", cpu=False)
    take("true", path="none.pb.gz", options=("-F", "99"), cpu=False)
    for words, says in (
            (("one.pb.gz",), "name two"),
            (("one.pb.gz", "one.pb.gz", "one.pb.gz"), "name two"),
            (("one.pb.gz", "--"), "behind '--'"),
            (("one.pb.gz", "missing.pb.gz"), "missing.pb.gz"),
            (("one.pb.gz", "none.pb.gz"), "too few to compare"),
            (("--per", "hour", "one.pb.gz", "one.pb.gz"), "--per"),
            (("--per", "x=1:0", "one.pb.gz", "one.pb.gz"), "--per"),
            (("--fail-above", "five", "one.pb.gz", "one.pb.gz"), "--fail-above"),
            (("--function", "(", "one.pb.gz", "one.pb.gz"), "--function")):
        check_error(profil("diff", *words), says=says)


def case_raw_profiles_get_names():
    """Profiles taken without names are compared by name all the same."""
    build()
    for path in ("one.pb.gz", "two.pb.gz"):
        take("./program", options=(*FAST, "--raw"), path=path, cpu=False)
    said = diff(["one.pb.gz"], ["two.pb.gz"])
    expect(row_of(said, "work")["match"] == "same", f"{said['rows'][:2]}")


def case_pprof_file():
    """A profile that another program has written again can be compared with itself: nothing changed."""
    need_program("go")
    build()
    (path,) = take_runs("one", 1)
    done = run("go", "tool", "pprof", "-proto", "-output=other.pb.gz", path)
    expect(done.status == 0, done.words)
    said = diff(["other.pb.gz"], ["other.pb.gz"])
    expect(all(row["change"] == 0 and not row["significant"] for row in said["rows"]), "a change")


def case_dos_profiles_and_their_maps():
    """--map is for both sides; said twice, before and after have one each."""
    shutil.copy(os.path.join(PROHST, "M.PRF"), "M.PRF")
    for name in ("old.txt", "new.txt"):
        shutil.copy(os.path.join(PROHST, "M.MAP"), name)
    with open("new.txt", encoding="ascii") as file:
        renamed = file.read().replace("MAINCODE", "NEXTCODE")
    with open("new.txt", "w", encoding="ascii") as file:
        file.write(renamed)

    def names(*options):
        done = profil("diff", "--json", *options, "M.PRF", "M.PRF")
        expect(done.status == 0, f"diff: {done.words}")
        return {row["name"]: row["match"] for row in json.loads(done.text)["rows"]}

    expect("MAINCODE" not in names(), "a name out of nowhere")
    both = names("--map", "old.txt")
    expect(both.get("MAINCODE") in ("same", "named"), f"one map: {both}")
    each = names("--map", "old.txt", "--map", "new.txt")
    expect(each.get("MAINCODE") == "gone" and each.get("NEXTCODE") == "new", f"two maps: {each}")
