# SPDX-License-Identifier: BSD-2-Clause
"""What profil diff makes of profiles that are there: its forms, its gate, what it refuses.  What is
measured for it is in test_diff.py."""

import csv
import io
import json
import os
import re
import shutil

import pprof
from command import check_error, expect, need_program, profil, report, run
from diffs import diff
from golden import DATA
from recorded import Recorded
from terminal import Terminal

PROHST = os.path.join(DATA, "prohst")


def recorded(*names):
    return [Recorded(name, f"{name}.pb.gz").path for name in names]


def case_two_checkouts():
    """A line is the same one wherever its source lay when it was compiled."""
    for side in ("old", "new"):
        pprof.write(f"{side}.pb", [("/usr/bin/program", "", 0x1000, 0x2000, 0)],
                    [(0, 0x1010, "work", f"/ci/{side}/src/work.c", 7, 300),
                     (0, 0x1020, "rest", f"/ci/{side}/src/work.c", 9, 200)])
    rows = diff(["old.pb"], ["new.pb"], "--by", "line")["rows"]
    expect({(row["name"], row["before"]["samples"], row["after"]["samples"]) for row in rows} ==
           {("work.c:7", 300, 300), ("work.c:9", 200, 200)}, f"{rows}")


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


def case_every_tick_is_in_a_row():
    """By function, line and object, the rows add up to the ticks of each side."""
    before, after = recorded("old-1", "old-2"), recorded("new-1")
    for by in ("function", "line", "object"):
        said = diff(before, after, "--by", by)
        for side, paths in (("before", before), ("after", after)):
            ticks = sum(report(path)["total"] for path in paths)
            expect(said[side]["samples"] == ticks
                   == sum(row[side]["samples"] for row in said["rows"]), f"{by}, {side}")
            expect(abs(sum(row[side]["value"] for row in said["rows"]) - 1) < 1e-6, "shares")


def case_forms():
    """CSV and Markdown have the rows that JSON has."""
    before, after = recorded("old-1"), recorded("new-1")
    rows = diff(before, after)["rows"]
    done = profil("diff", "--csv", *before, *after)
    read = list(csv.DictReader(io.StringIO(done.text, newline="")))
    expect([row["name"] for row in read] == [row["name"] for row in rows], "names")
    expect([int(row["samples_after"]) for row in read] == [row["after"]["samples"] for row in rows],
           "samples")
    table = [line for line in profil("diff", "--markdown", "-n", "0", *before, *after)
             .text.splitlines() if line.startswith("|")]
    expect(len(table) == len(rows) + 2, f"{len(table)} lines, {len(rows)} rows")
    cells = {len(re.findall(r"(?<!\\)\|", line)) for line in table}
    expect(len(cells) == 1 and "`leaf`" in "".join(table), f"{cells} {table}")


def case_terminal():
    """No line is wider than the terminal; in a pipe there is no escape sequence."""
    before, after = recorded("old-1"), recorded("new-1")
    expect("\x1b" not in profil("diff", *before, *after).text, "escapes")
    for columns in (80, 120):
        shown = Terminal(["diff", *before, *after], columns, {})
        expect(shown.wait() == 0 and "\x1b[" in shown.text, shown.text)
        for line in shown.text.split("\r\n"):
            plain = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line)
            expect(len(plain) <= columns, f"{len(plain)} of {columns} columns: {plain}")


def case_bad_input():
    """What cannot be compared is said in one line."""
    Recorded("split-kernel", "one.pb.gz")
    Recorded("nothing", "none.pb.gz")
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


def case_pprof_file():
    """A profile that another program has written again can be compared with itself: nothing changed."""
    need_program("go")
    (path,) = recorded("old-1")
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
