# SPDX-License-Identifier: BSD-2-Clause
"""profil html: pages of profiles of every format and size."""

import glob
import os
import shutil
import sys

import gmon
import pprof
from browser import Browser
from command import PROFIL, Skip, expect, long, profil, report, run, target
from golden import DATA
from page import check_page, make
from test_annotate import place_large

HERE = os.path.dirname(os.path.abspath(__file__))

# Small files of each format.
CORPUS = os.path.join(HERE, "..", "..", "fuzz", "corpus")
READERS = ("gmon", "gmon-4.4bsd", "gmon-bsd", "gperftools", "mon", "perf-script", "pprof")

# What DOS's own tests share.
sys.path.append(os.path.join(HERE, "..", "dos"))


def corpus(reader):
    return sorted(glob.glob(f"{CORPUS}/{reader}/*"))


def case_imported():
    """Every format that is read has its page: gmon.out of all kinds, perf script's text,
    gperftools', pprof's and DOS's files."""
    program = target("split")
    with open("gmon.out", "wb") as file:
        file.write(gmon.gnu({0x1139 + 2 * i: 5 + i for i in range(40)}))
    browser, _ = check_page(report("gmon.out", "--program", program), "--program", program,
                            "gmon.out")
    for path in (corpus(reader)[0] for reader in READERS):
        check_page(report(path), path, browser=browser)
    for name in ("A.PRF", "E.PRF", "M.PRF", "M.MAP"):
        shutil.copy(os.path.join(DATA, "prohst", name), name)
    for name in ("A.PRF", "E.PRF", "M.PRF"):
        _, sums = check_page(report(name), name, browser=browser)
        expect(set(sums["classes"]) == {"program", "dos", "I/O", "high"}, f"{sums['classes']}")


@long
def case_imported_all():
    """The same of many files of each format."""
    browser = None
    for path in (path for reader in READERS for path in corpus(reader)):
        browser, _ = check_page(report(path), path, browser=browser)


def case_dos():
    """A DOS program run now has its page, the other views and exports, by the names of its map."""
    from dosbox import assemble, need_dosbox
    need_dosbox()
    browser = Browser()
    with open("SHARES.COM", "wb") as file:
        file.write(assemble("shares"))
    starts = {"start": 0x100, "half": 0x180, "quarter": 0x190, "fifteen": 0x1a0, "tenth": 0x1b0}
    rows = ["", " Start  Stop   Length Name                   Class",
            " 00000H 001FFH 00200H CODE                   CODE", "",
            "  Address         Publics by Value", ""]
    rows += [f" 0000:{start:04X}       {name}" for name, start in starts.items()]
    with open("SHARES.MAP", "wb") as file:
        file.write("\r\n".join([*rows, "", "Program entry point at 0000:0100", ""]).encode())
    done = profil("--no-report", "SHARES.COM")
    expect(done.status == 0, done.words)
    for path in ("profil.pb.gz", "SHARES.PRF"):
        _, sums = check_page(report(path), path, browser=browser)
        expect(sums["names"][:2] == ["half", "quarter"], f"{sums['names']}")
    for view in (["hist"], ["annotate"], ["diff", "profil.pb.gz"], ["export", "--to", "folded"]):
        done = run(PROFIL, *view, "profil.pb.gz")
        expect(done.status == 0 and b"half" in done.stdout, f"{view}: {done.words}{done.text}")


def case_few_and_none():
    """A profile with few ticks has counts and no shares; one with none has its page."""
    pprof.write("few.pb", [("few", "", 0, 0x1000, 0)], [(0, 0x10, "main", "few.c", 3, 8)])
    browser, _ = check_page(report("few.pb"), "few.pb")
    text = browser.do("return document.body.innerText")
    expect("too few to rank" in text and " %" not in text.split("HISTOGRAM")[0].split("95 %")[0],
           text)
    pprof.write("none.pb", [("none", "", 0, 0x1000, 0)], [])
    check_page(report("none.pb"), "none.pb", browser=browser)
    text = browser.do("return document.body.innerText")
    expect("no samples" in text and "NaN" not in text and "inf" not in text, text)


@long
def case_large():
    """1,000,000 cells, each a function of its own: the page is bounded, says so, and adds up."""
    with open("gmon.out", "wb") as file:
        file.write(gmon.gnu({0x1000 + 2 * i: 1 + i * 7919 % 97 for i in range(1000000)},
                            arcs=False))
    found = report("gmon.out", "-n", "1")
    before = os.times()
    _, sums = check_page(found, "gmon.out", most=2 << 20)
    after = os.times()
    expect(found["row_count"] == 1000000 and sums["row_count"] == 1000, f"{sums['row_count']} rows")
    used = (after.children_user - before.children_user +
            after.children_system - before.children_system)
    print(f"# {os.path.getsize('profil.html')} bytes, {used:.1f} s of CPU")
    said = make("-n", "10", "--functions", "0", "gmon.out")
    expect("10 of 1000000 functions, the code of 0" in said, said)


def case_long_function():
    """Of a function of 20,000 instructions, 6,000 with ticks, the hottest are shown, and the rest
    as sums between them."""
    place_large()
    browser, sums = check_page(report("large.pb"), "large.pb", most=300 << 10)
    expect([parts[0] for parts in sums["functions"]] == [sums["total"]], f"{sums['functions']}")
    rows = browser.do("return Array.from(document.querySelectorAll('.asm tbody tr'),"
                      "row => [row.className, Number(row.dataset.samples || 0)])")
    if len(rows) == 6000:
        raise Skip("no instructions here: built without Capstone")
    # Each of 150 with three on either side, and a fold between all.
    expect(len(rows) <= 150 * 8 + 1, f"{len(rows)} rows")
    shown = [ticks for kind, ticks in rows if kind != "fold" and ticks]
    expect(shown.count(7) >= 150 and any(kind == "fold" and ticks > 0 for kind, ticks in rows),
           f"{rows[:40]}")


def case_many_objects():
    """Objects beyond those drawn are a line, and no tick is lost."""
    pprof.write("many.pb", [(f"lib{i}.so", "", 0x1000 * i, 0x1000 * (i + 1), 0) for i in range(40)],
                [(i, 0x1000 * i + 5, f"f{i}", "", 0, 10 + i) for i in range(40)])
    browser, sums = check_page(report("many.pb"), "many.pb")
    expect(len(sums["objects"]) == 16, f"{len(sums['objects'])} objects")
    more = sum(10 + i for i in range(24))
    text = browser.do("return document.querySelector('.sums').textContent")
    expect(f"+ {more} in 24 more objects" in text, text)
