# SPDX-License-Identifier: BSD-2-Clause
"""The report: the same ticks in every form, for a terminal, a pipe, a program, and for pprof."""

import csv
import io
import json
import os
import re
import shutil

from command import check_error, expect, need_counting, need_program, profil, report, run, target
from measure import FAST, check_identity, check_split, take
from recorded import Recorded
from terminal import Terminal

ESCAPE = "\x1b"


def text(path, *options, **how):
    done = profil("report", *options, path, **how)
    expect(done.status == 0 and not done.stderr, f"{options}: {done.status}: {done.words}")
    return done.text


def case_every_cut():
    """Each --by gives rows in falling order, with their share and an interval around it."""
    measurement = Recorded("varied")
    for by in ("function", "line", "address", "object", "process", "thread"):
        cut = measurement.by(by)
        check_identity(cut)
        ticks = [row["samples"] for row in cut["rows"]]
        expect(ticks == sorted(ticks, reverse=True), f"by {by}: not in order")
        for row in cut["rows"]:
            expect(abs(row["share"] - row["samples"] / cut["total"]) < 1e-4, f"share: {row}")
            expect(0 <= row["low"] <= row["share"] + 1e-9 and row["share"] <= row["high"] + 1e-9
                   and row["high"] <= 1, f"interval: {row}")


def case_interval():
    """The interval is Wilson's at 95 %."""
    measurement = Recorded("split-kernel")
    total, z = measurement.report["total"], 1.959964
    for row in measurement.report["rows"][:5]:
        share = row["samples"] / total
        middle = (share + z * z / 2 / total) / (1 + z * z / total)
        half = z / (1 + z * z / total) * (share * (1 - share) / total
                                          + z * z / 4 / total / total) ** 0.5
        expect(abs(row["low"] - (middle - half)) < 1e-4, f"low: {row}, {middle - half}")
        expect(abs(row["high"] - (middle + half)) < 1e-4, f"high: {row}, {middle + half}")


def case_by_process_needs_it():
    """--by process of a profile that was not taken by process is refused with one line."""
    measurement = Recorded("nothing")
    done = profil("report", "--by", "process", measurement.path)
    expect(done.status == 125 and len(done.words.splitlines()) == 1, f"{done.status} {done.words}")


def case_rows():
    """-n shows so many rows, and the account below them is still whole."""
    measurement = Recorded("varied")
    few, all_rows = report(measurement.path, "-n", "2"), report(measurement.path, "-n", "0")
    expect(len(few["rows"]) == 2 and len(all_rows["rows"]) > 2, "rows")
    expect(few["rows"] == all_rows["rows"][:2], "other rows")
    expect(few["identity"] == all_rows["identity"], "other account")


def case_object():
    """--object keeps the rows of one file, by base name or path."""
    measurement = Recorded("varied")
    all_of_it = measurement.ticks("object")["libspin.so"]
    for name in ("libspin.so", "/demo/libspin.so"):
        only = report(measurement.path, "--object", name)
        expect({row["object"] for row in only["rows"]} == {"libspin.so"}, f"rows: {only['rows']}")
        expect(sum(row["samples"] for row in only["rows"]) == all_of_it, "samples")
        expect(only["total"] == measurement.fired, "the total is the profile's")


def case_function():
    """--function keeps the rows that match a regular expression; a bad one is refused."""
    measurement = Recorded("varied")
    only = report(measurement.path, "--function", "^spin_(one|three)$")
    expect({row["name"] for row in only["rows"]} == {"spin_one", "spin_three"}, f"{only['rows']}")
    done = profil("report", "--function", "(", measurement.path)
    expect(done.status == 125 and len(done.words.splitlines()) == 1, f"{done.status} {done.words}")


def case_csv():
    """--csv is read by a CSV reader and adds up to the JSON's ticks."""
    measurement = Recorded("varied")
    rows = list(csv.DictReader(io.StringIO(text(measurement.path, "--csv"))))
    expect(sum(int(row["samples"]) for row in rows) == measurement.fired, "samples")
    expect([row["name"] for row in rows] == [row["name"] for row in measurement.report["rows"]],
           "names")


def case_text_says_whose_time():
    """Whose time it was stands above the rows, and below them every tick is accounted for."""
    measurement = Recorded("varied")
    lines = text(measurement.path).splitlines()
    for name in ("program", "libraries", "kernel"):
        expect(f"{name} " in lines[0], f"whose time: {lines[0]}")
    sums = [line.replace(",", "") for line in lines if " samples = " in line]
    expect(len(sums) == 1, f"accounts: {sums}")
    fired, *parts = (int(number) for number in re.findall(r"\d+", sums[0]))
    expect(fired == sum(parts) == measurement.fired and len(parts) == 6, f"account: {sums}")


def case_little_evidence():
    """With a handful of ticks the report says so and gives no confident percentage."""
    measurement = Recorded("split-few")
    expect(0 < measurement.fired < 30, f"{measurement.fired} ticks")
    words = text(measurement.path)
    rows = [line for line in words.splitlines() if "spin_" in line]
    expect(rows and not any("%" in line for line in rows), f"percentages: {words}")


def case_pipe_is_plain():
    """In a pipe there is no escape sequence and no bar."""
    words = text(Recorded("varied").path)
    expect(ESCAPE not in words, "escapes")
    expect(words.isprintable() or all(c.isprintable() or c == "\n" for c in words), repr(words))


def on_terminal(path, columns=80, **environment):
    shown = Terminal(["report", path], columns, environment)
    expect(shown.wait() == 0, shown.text)
    return shown.text


def case_terminal_is_coloured():
    """On a terminal there is colour, unless NO_COLOR or TERM=dumb says otherwise."""
    path = Recorded("varied").path
    expect(ESCAPE in on_terminal(path), "no colour")
    expect(ESCAPE not in on_terminal(path, NO_COLOR="1"), "colour with NO_COLOR")
    expect(ESCAPE not in on_terminal(path, TERM="dumb"), "colour with TERM=dumb")


def case_width():
    """No line is wider than the terminal."""
    path = Recorded("varied").path
    for columns in (80, 100, 132):
        for line in on_terminal(path, columns).split("\r\n"):
            plain = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line)
            expect(len(plain) <= columns, f"{len(plain)} of {columns} columns: {plain}")


def case_odd_file_name():
    """A program's name with a newline, an escape and a byte of no character stays one plain word in
    the table, and makes valid JSON and CSV."""
    name = b"a b\n\x1b[31m\xff"
    shutil.copy(target("split"), name)
    measurement = take(b"./" + name, "0.3", options=(*FAST, "--by-thread"), cpu=False)
    check_split(measurement)
    for by in ("function", "object", "thread"):
        done = profil("report", "--by", by, measurement.path)
        expect(b"\x1b" not in done.stdout and done.stdout.count(b"a b") >= 1, repr(done.stdout))
        expect(all(b"a b" not in line or b"[31m" in line for line in done.stdout.splitlines()),
               f"a line is broken: {done.stdout!r}")
    rows = csv.reader(io.StringIO(profil("report", "--csv", measurement.path).stdout.decode(
        errors="replace"), newline=""))
    expect(len({len(row) for row in rows}) == 1, "ragged CSV")


def case_full_output():
    """A report that cannot be written is an error."""
    measurement = Recorded("nothing")
    with open("/dev/full", "wb") as full:
        done = profil("report", measurement.path, stdout=full)
    expect(done.status == 125 and done.words.startswith("profil: "), f"{done.status} {done.words}")


def case_pprof_agrees():
    """go tool pprof reads the profile and agrees with us on every function, to the tick."""
    need_program("go")
    measurement = Recorded("varied")
    ours = {}
    for row in measurement.report["rows"]:
        ours[row["name"]] = ours.get(row["name"], 0) + row["samples"]
    theirs, total = pprof_top(measurement.path)
    expect(total == measurement.fired, f"total: {total}, not {measurement.fired}")
    for name, ticks in ours.items():
        if not re.search(r"\+0x|\[", name):  # pprof has its own words for code without a name
            expect(theirs.get(name) == ticks, f"{name}: {theirs.get(name)}, not {ticks}")
    named = sum(ticks for name, ticks in ours.items() if name in theirs)
    expect(named > 0.95 * total, f"{named} of {total} ticks have a name that pprof knows")


def pprof_top(path):
    """What pprof counts: {function: ticks}, total."""
    environment = {**os.environ, "PPROF_TMPDIR": os.getcwd(), "HOME": os.getcwd(), "GOFLAGS": ""}
    # Its own default is the innermost inlined function, which is in the file, too.
    done = run("go", "tool", "pprof", "-noinlines", "-sample_index=0", "-top",
               "-nodecount=100000",
               "-nodefraction=0", "-edgefraction=0", path, env=environment)
    expect(done.status == 0, done.words)
    total = int(re.search(r" of (\d+) total$", done.text, re.MULTILINE).group(1))
    rows = re.findall(r"^\s*(\d+)\s+\S+%\s+\S+%\s+\d+\s+\S+%\s+(.*?)(?: \(inline\))?$", done.text,
                      re.MULTILINE)
    theirs = {}
    for ticks, name in rows:
        theirs[name] = theirs.get(name, 0) + int(ticks)
    return theirs, total


INLINING = """
#include <vector>
static std::vector<unsigned> cells(1 << 12);
__attribute__((always_inline)) static inline unsigned mix(unsigned a, unsigned b)
{ a ^= b * 31; a ^= a >> 7; a *= 0x9e3779b9; return a ^ a >> 11; }
__attribute__((noinline)) void fill(unsigned seed) { for (auto &cell : cells) cell = mix(seed++, cell); }
__attribute__((noinline)) unsigned sum() { unsigned s = 0; for (auto cell : cells) s = mix(s, cell); return s; }
int main() { unsigned s = 0; for (int i = 0; i < 20000; i++) { fill(i); s += sum(); } return s == 42; }
"""


def case_function_is_the_symbol_tables():
    """A function is that of the symbol table in all views, whatever was inlined into it: to the
    tick what nm's ranges say of the cells' addresses, and pprof without inlines.  What was inlined
    is below it with --inlines."""
    need_program("c++", "nm")
    with open("inlining.cc", "w") as file:
        file.write(INLINING)
    built = run("c++", "-O2", "-g", "-o", "inlining", "inlining.cc")
    expect(built.status == 0, built.words)
    measurement = take("./inlining", cpu=False)
    ranges = {}
    for line in run("nm", "-SC", "--defined-only", "inlining").text.splitlines():
        words = line.split(None, 3)
        if len(words) == 4 and words[3] in ("fill(unsigned int)", "sum()"):
            ranges[words[3]] = int(words[0], 16), int(words[1], 16)
    cells = report(measurement.path, "--by", "address", "--object", "inlining")["rows"]
    wanted = {name: sum(row["samples"] for row in cells if start <= row["address"] < start + size)
              for name, (start, size) in ranges.items()}
    expect(len(wanted) == 2 and min(wanted.values()) >= 30, f"{wanted}")
    rows = report(measurement.path, "--inlines", "--object", "inlining")["rows"]
    check_functions("report", {row["name"]: row["samples"] for row in rows}, wanted)
    for row in rows:
        parts = row.get("inlines", [])
        expect(sum(part["samples"] for part in parts) <= row["samples"], f"{row}")
        if row["name"] in wanted:
            expect("mix" in [re.sub(r"\(.*", "", part["name"]) for part in parts], f"{row}")
    check_functions("row by row", sums(cells, "function"), wanted)
    lines = report(measurement.path, "--by", "line", "--object", "inlining")["rows"]
    check_functions("by line", sums(lines, "function"), wanted)
    view = json.loads(profil("hist", "--json", measurement.path).text)
    check_functions("hist", sums([row for item in view["objects"] if item["object"] == "inlining"
                                  for row in item["rows"]], "name"), wanted)
    folded = (line.rsplit(" ", 1) for line in
              profil("export", "--to", "folded", measurement.path).text.splitlines())
    innermost = {}
    for stack, ticks in folded:
        name = stack.rpartition(";")[2]
        innermost[name] = innermost.get(name, 0) + int(ticks)
    check_functions("folded", innermost, wanted)
    listing = json.loads(profil("annotate", "--json", measurement.path, "sum").text)
    (function,) = listing["functions"]
    inlined = {re.sub(r"\(.*", "", row["inlined"]) for row in function["instructions"] if row["samples"]}
    expect("mix" in inlined and function["samples"] == wanted["sum()"], f"annotate: {inlined}")
    expect("mix" in {re.sub(r"\(.*", "", row["inlined"]) for row in function["lines"]},
           f"annotate: {function['lines']}")
    if shutil.which("go"):
        check_functions("pprof", pprof_top(measurement.path)[0], wanted)


def sums(rows, key):
    found = {}
    for row in rows:
        found[row[key]] = found.get(row[key], 0) + row["samples"]
    return found


def check_functions(view, found, wanted):
    for name, ticks in wanted.items():
        expect(found.get(name) == ticks, f"{view}: {name}: {found.get(name)}, not {ticks}: {found}")


def case_inlines_of_functions_alone():
    """What was inlined is below functions; by anything else there is nothing for it to be below."""
    check_error(profil("report", "--inlines", "--by", "object", "x"), says="--by")


def case_pprof_mappings():
    """pprof sees a mapping for each file, with its build-id."""
    need_program("go")
    measurement = Recorded("varied")
    environment = {**os.environ, "PPROF_TMPDIR": os.getcwd(), "HOME": os.getcwd(), "GOFLAGS": ""}
    words = run("go", "tool", "pprof", "-raw", measurement.path, env=environment).text
    mappings = words.split("Mappings", 1)[1]
    for name in ("split", "libspin.so"):
        expect(re.search(rf"/{re.escape(name)} [0-9a-f]{{40}}", mappings), f"{name}: {mappings}")


def case_pprof_main_program():
    """pprof calls a profile after the program that ran, though hardly a tick is in its own code."""
    need_program("go", "dd")
    measurement = take("dd", "if=/dev/zero", "of=/dev/null", "bs=4M", "count=300", cpu=False)
    environment = {**os.environ, "PPROF_TMPDIR": os.getcwd(), "HOME": os.getcwd(), "GOFLAGS": ""}
    words = run("go", "tool", "pprof", "-top", measurement.path, env=environment).text
    expect(re.search(r"^File: dd$", words, re.MULTILINE), words[:300])


def case_report_at_the_end():
    """The report at the end of a run is the one that profil report prints."""
    need_counting()
    done = profil(target("split"), "0.2")
    wanted = [line for line in text("profil.pb.gz").splitlines() if "spin_" in line]
    seen = [line for line in done.words.splitlines() if "spin_" in line]
    expect(seen == wanted, f"{seen}\nnot\n{wanted}")
