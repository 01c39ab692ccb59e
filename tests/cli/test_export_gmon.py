# SPDX-License-Identifier: BSD-2-Clause
"""gmon.out of all kinds, and mon.out: what gprof makes of what is written, what is read of what
others have written, to the tick and the call."""

import json
import os
import random
import re

import gmon
from command import PROFIL, check_error, check_files, expect, need_program, profil, report, target
from exported import cells_of, export, functions_of, run_well, write_file
from measure import check_identity, take


def gprof(program, *arguments):
    """{function: seconds} of gprof's flat profile."""
    text = run_well("gprof", "-b", "-p", *arguments[:-1], program, arguments[-1])
    return {name: float(seconds) for seconds, name in
            re.findall(r"^ *[\d.]+ +[\d.]+ +([\d.]+) +(?:\d+ +[\d.]+ +[\d.]+ +)?"
                       r"(\S+) *$", text, re.MULTILINE)}


def ticks_in_split(most):
    """Ticks all over the two functions of split; each function's sum."""
    random.seed(5)
    cells, sums = {}, {}
    for name in ("spin_three", "spin_one"):
        start, size = functions_of(target("split"))[name]
        start += start % 2
        places = range(start, start + size - 1, 2)
        for address in random.sample(places, min(len(places), 5)):
            cells[address] = random.randint(1, most)
            sums[name] = sums.get(name, 0) + cells[address]
    return cells, sums


KINDS = {"gmon": (gmon.gnu, ()), "gmon-4.4bsd": (gmon.bsd44, ("-O4.4bsd",)),
         "gmon-bsd": (gmon.bsd, ("-Obsd",))}


def case_gmon_kinds():
    """Each kind of gmon.out, of either width and order of bytes, is read to the tick; with the
    program, under its names; and gprof finds the same ticks in what is written of it."""
    need_program("gprof", "nm")
    program = target("split")
    cells, sums = ticks_in_split(gmon.MOST)
    # With one tick a second gprof's seconds are ticks; the old file leaves the rate to the machine.
    for kind, (make, how) in KINDS.items():
        for order in "<>":
            for word in "QI":
                write_file("in.out", make(cells, order=order, word=word))
                expect(cells_of("in.out") == cells, f"{kind} {order}{word}: other cells")
        write_file("in.out", make(cells))
        named = report("in.out", "--program", program)
        check_identity(named)
        expect({row["name"]: row["samples"] for row in named["rows"]} == sums, f"{kind}: {named}")
        export(kind, "--program", program, "in.out")
        check_files("in.out", "gmon.out")
        scale = 100 if kind == "gmon-bsd" else 1
        found = gprof(program, *how, "gmon.out")
        for name, ticks in sums.items():
            expect(abs(found[name] * scale - ticks) < 0.011 * scale, f"{kind}: {name}: {found}")
        expect(cells_of("gmon.out") == cells, f"{kind}: other cells come back")
        os.unlink("gmon.out")


def case_gmon_arcs():
    """Calls come back as they were, through profil's own file too, sums that a record cannot hold
    among them; and the ticks beside them."""
    need_program("nm")
    program = target("split")
    known = functions_of(program)
    main, three, one = (known[name][0] + 4 for name in ("main", "spin_three", "spin_one"))
    arcs = {(main, three): 7, (main + 8, three): 1 << 31, (three, one): 3, (0, main): 1}
    cells = {three & ~1: 5, (one & ~1) + 2: 70000}
    for order in "<>":
        for word in "QI":
            gmon.write_arcs("in.out", arcs, cells, order, word)
            shown = json.loads(run_well(PROFIL, "gprof", "--json", "in.out"))
            expect(shown["calls"] == sum(arcs.values()), f"{order}{word}: {shown}")
    gmon.write_arcs("in.out", arcs, cells)
    export("pprof", "-o", "one.pb.gz", "--program", program, "in.out")
    run_well(PROFIL, "merge", "-o", "three.pb.gz", *["one.pb.gz"] * 3)
    for path, times in (("one.pb.gz", 1), ("three.pb.gz", 3)):
        for kind in ("gmon", "gmon-4.4bsd"):
            beyond = times * 70000 - gmon.MOST
            export(kind, "-o", "out", path, left=f"{beyond} beyond" if kind != "gmon" else None)
            export("pprof", "-o", "back.pb.gz", "--program", program, "out")
            export("gmon", "-o", "again", "back.pb.gz")
            expect(gmon.arcs_of("again") == {arc: times * count for arc, count in arcs.items()},
                   f"{kind}: {gmon.arcs_of('again')}")
        export("gmon", "-o", "out", path)
        expect(cells_of("out") == {a: times * t for a, t in cells.items()}, "other cells")


def case_mon_words():
    """mon.out of a PDP-11 and of machines of 32 and 64 bits, in both orders of bytes: each cell and
    each call, in a buffer as large as the text, larger, and smaller by any factor."""
    for order, word in (("<", "H"), ("<", "I"), (">", "I"), ("<", "Q"), (">", "Q")):
        calls = ((0x1010, 70000), (0x1024, 2))
        for size, width in ((64, 2), (200, 2), (32, 4), (16, 8)):
            counts = [0] * size
            counts[3], counts[15] = 65535, 1
            write_file("mon.out", gmon.mon(0x1000, 0x1080, counts, calls, order, word))
            shown = report("mon.out", "--by", "address")
            cells = {row["address"]: row["samples"] for row in shown["rows"]}
            expect(cells == {0x1000 + 3 * width: 65535, 0x1000 + 15 * width: 1},
                   f"{order}{word} {size}: {cells}")
            expect(shown["facts"]["producer"] == "mon.out", f"{shown['facts']}")
            text = run_well(PROFIL, "gprof", "--json", "mon.out")
            found = {row["name"]: row["calls"] for row in json.loads(text)["functions"]}
            expect(found.get("[program]+0x1010") == 70000 and found["[program]+0x1024"] == 2,
                   f"{order}{word}: {found}")


def case_mon_round():
    """A profile written as mon.out comes back, but for who called; what does not fit is said."""
    need_program("nm")
    program = target("split")
    known = functions_of(program)
    main, three, one = (known[name][0] + 4 for name in ("main", "spin_three", "spin_one"))
    cells = {three & ~1: 5, (one & ~1) + 2: 60000}
    gmon.write_arcs("in.out", {(main, three): 7, (one, three): 2, (three, one): 3}, cells)
    export("mon", "--program", program, "in.out", left="who called")
    check_files("in.out", "mon.out")
    expect(cells_of("mon.out") == cells, "other cells")
    shown = json.loads(run_well(PROFIL, "gprof", "--json", program, "mon.out"))
    calls = {row["name"]: row["calls"] for row in shown["functions"]}
    expect(calls["spin_three"] == 9 and calls["spin_one"] == 3, f"{calls}")
    write_file("cut", open("mon.out", "rb").read()[:-1])
    check_error(profil("report", "cut"))


def case_gmon_counts():
    """More ticks than a bin counts are split over histograms, which gprof adds up; BSD's files
    leave the rest out and say how much.  gprof -s adds files up."""
    need_program("gprof", "nm")
    program = target("split")
    cells, sums = ticks_in_split(400000)
    write_file("in.out", gmon.gnu(cells))
    expect(cells_of("in.out") == cells, "other cells")
    export("gmon", "-o", "out", "--program", program, "in.out")
    found = gprof(program, "out")
    expect(all(abs(found[name] - ticks) < 0.011 for name, ticks in sums.items()), f"{found}")
    expect(cells_of("out") == cells, "other cells come back")
    beyond = sum(max(0, ticks - gmon.MOST) for ticks in cells.values())
    export("gmon-4.4bsd", "-o", "out", "--program", program, "in.out", left=f" {beyond} beyond")
    expect(cells_of("out") == {a: min(t, gmon.MOST) for a, t in cells.items()}, "not cut")

    cells, sums = ticks_in_split(20000)
    write_file("in.out", gmon.gnu(cells))
    export("gmon", "-o", "out", "--program", program, "in.out")
    run_well("gprof", "-s", program, "out", "out", "out")
    expect(cells_of("gmon.sum") == {a: 3 * t for a, t in cells.items()}, "gprof -s differs")


def case_gmon_objects():
    """A measurement is a file for each object, which together have all ticks of user mode; what is
    left out is said, and gprof's times are the report's."""
    need_program("gprof")
    measurement = take("sh", "-c", '"$1" 0.3; "$2" "$3"', "sh", target("split"),
                       target("split-dlopen"), target("libspin.so"), cpu=False)
    done = profil("export", "--to", "gmon", measurement.path)
    expect(done.status == 0 and len(done.words.splitlines()) == 1, done.words)
    files = sorted(set(os.listdir(".")) - {measurement.path})
    expect("gmon.out" in files and "gmon.out.libspin.so" in files, f"{files}")
    kept = sum(sum(cells_of(file).values()) for file in files)
    classes = measurement.classes
    expect(kept == classes["program"] + classes["libraries"], f"{kept} of {classes}")
    expect(f" {measurement.fired - kept} are of no file" in done.words
           or kept == measurement.fired, done.words)
    found = gprof(target("libspin.so"), "gmon.out.libspin.so")
    for row in measurement.report["rows"]:
        if row["object"] == "libspin.so" and row["samples"] > 100:
            seconds = row["samples"] * measurement.period
            # Two decimals, and a rate in whole hertz.
            expect(abs(found[row["name"]] - seconds) < 0.006 + seconds / 4000, f"{row} {found}")


def case_gmon_libraries():
    """Where libraries alone have ticks, no file passes for the program's, which gprof would take
    it for; the only object of a profile has the name that was asked for."""
    one = "work 1/1 [000] 1.0: 1000000 cpu-clock:\n\t1000 first+0x0 (/lib/libone.so)\n\n"
    two = "work 1/1 [000] 1.1: 1000000 cpu-clock:\n\t2000 second+0x0 (/lib/libtwo.so)\n\n"
    write_file("samples", (one + two).encode())
    export("gmon", "samples", left="of 2 samples none are the program's")
    expect(not os.path.exists("gmon.out"), "a library's ticks in the program's name")
    expect(cells_of("gmon.out.libone.so") == {0x1000: 1}, "other cells")
    expect(cells_of("gmon.out.libtwo.so") == {0x2000: 1}, "other cells")
    write_file("samples", one.encode())
    export("gmon", "-o", "out", "samples")
    expect(cells_of("out") == {0x1000: 1}, "other cells")


def case_gmon_of_gcc():
    """What a program that gcc built with -pg writes is read as gprof reads it."""
    need_program("gprof", "gcc")
    with open("work.c", "w") as source:
        source.write("unsigned x = 1;\n"
                     "__attribute__((noinline)) void hot(void)\n"
                     "{ for (int i = 0; i < 300000000; i++) x = x * 3 + 1; }\n"
                     "__attribute__((noinline)) void cold(void) { x++; }\n"
                     "int main(void) { cold(); hot(); return x == 3; }\n")
    run_well("gcc", "-O1", "-pg", "-o", "work", "work.c")
    run_well("./work")
    expected, shown = gprof("./work", "gmon.out"), report("gmon.out", "--program", "./work")
    check_identity(shown)
    rate = round(1e9 / shown["facts"]["period_ns"])
    ticks = {row["name"]: row["samples"] for row in shown["rows"]}
    expect(expected and ticks["hot"] == round(expected["hot"] * rate), f"{expected} {ticks}")


def case_gmon_damaged():
    """A file cut short anywhere, or without its program, is refused with one line."""
    cells = {0x1000: 7, 0x1010: 9}
    whole = gmon.gnu(cells, arcs=False)
    # A head alone, of 20 bytes, is a whole file without ticks.
    for size in range(21, len(whole) - 1):
        write_file("cut", whole[:size])
        check_error(profil("report", "cut"), says="not a whole gmon.out")
    write_file("in.out", whole)
    check_error(profil("report", "--program", "nowhere", "in.out"), says="nowhere")
    check_error(profil("report", "--program", "cut", "in.out"), says="ELF")


def case_views():
    """Every view is there for what another program took: annotate, hist, merge and diff of a
    gmon.out."""
    program = target("split")
    cells, sums = ticks_in_split(60000)
    write_file("gmon.out", gmon.gnu(cells))
    annotated = run_well(PROFIL, "annotate", "--program", program, "--asm", "gmon.out")
    hottest = max(sums, key=sums.get)
    expect(f"{hottest} in split" in annotated and f"{sums[hottest]:,} samples" in annotated,
           annotated)
    drawn = json.loads(run_well(PROFIL, "hist", "--program", program, "--json", "gmon.out"))
    expect(drawn["identity"]["samples"] == sum(sums.values()), f"{drawn['identity']}")
    run_well(PROFIL, "merge", "gmon.out", "gmon.out", "-o", "twice.pb.gz")
    expect(cells_of("twice.pb.gz") == {a: 2 * t for a, t in cells.items()}, "not twice")
    run_well(PROFIL, "diff", "gmon.out", "twice.pb.gz")
    # With the program, the sum has names and can be compared by them; each side may have its own.
    run_well(PROFIL, "merge", "--program", program, "gmon.out", "gmon.out", "-o", "named.pb.gz")
    named = {row["name"]: row["samples"] for row in report("named.pb.gz")["rows"]}
    expect(named == {name: 2 * ticks for name, ticks in sums.items()}, f"{named}")
    os.symlink(program, "later")
    compared = json.loads(run_well(PROFIL, "diff", "--json", "--program", program, "--program",
                                   "later", "gmon.out", "gmon.out"))
    expect({row["name"]: (row["match"], row["change"]) for row in compared["rows"]}
           == {name: ("same", 0) for name in sums}, f"{compared['rows']}")
    check_error(profil("diff", "--program", program, "named.pb.gz", "gmon.out"),
                says="named.pb.gz: says itself")
    with open("empty", "wb"):
        check_error(profil("gprof", program, "empty"), says="empty: not a profile: give a gmon.out")
    check_error(profil("gprof", program, "nowhere"),
                says="nowhere: No such file or directory: give what a program compiled with -pg")
    check_error(profil("merge", "--map", "m.map", "gmon.out", "-o", "x"), says="map")
