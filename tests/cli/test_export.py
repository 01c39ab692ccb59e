# SPDX-License-Identifier: BSD-2-Clause
"""Profiles in other programs' formats: what is exported is what those programs make of it, to the
tick, and what they have written is shown."""

import glob
import json
import os
import random
import re
import struct

import gmon
from command import (PROFIL, Skip, check_error, check_files, expect, need_program, profil, report,
                     run, target)
from measure import FAST, check_identity, take


def take_split(*options):
    """A profile with two functions of one program, something of libraries and the kernel."""
    return take(target("split"), "0.3", options=(*FAST, *options), cpu=False)


def export(to, *arguments, left=None):
    """What `profil export` prints; LEFT is what it says that it left out."""
    done = profil("export", "--to", to, *arguments)
    expect(done.status == 0, f"{to}: {done.status}: {done.words}")
    if left is None:
        expect(not done.words, f"{to} says: {done.words}")
    else:
        lines = done.words.splitlines()
        expect(len(lines) == 1 and left in lines[0], f"{to} does not say {left!r}: {done.words}")
    return done.text


def run_well(*command):
    done = run(*command)
    expect(done.status == 0, f"{command}: {done.status}: {done.words}{done.text}")
    return done.text


def case_wrong_words():
    """A format that is missing or not known, two files, no file: one line, and nothing
    is written."""
    check_error(profil("export"), says="--to")
    check_error(profil("export", "--to", "tea", "x"), says="tea")
    check_error(profil("export", "--to", "folded", "x", "y"), says="more than one")
    check_error(profil("export", "--to", "folded", "-o", "out", "x"), says="x")
    check_error(profil("export", "--to", "folded"), says="profil.pb.gz")
    check_files()


def case_no_place():
    """Where the output cannot be put, that is said, and nothing is left of it."""
    path = take_split().path
    check_error(profil("export", "--to", "pprof", path), says="-o")
    check_error(profil("export", "--to", "callgrind", "-o", "no/where", path), says="no/where")
    with open("/dev/full", "w") as full:
        done = profil("export", "--to", "folded", path, stdout=full)
    check_error(done, says="standard output")
    check_files(path)


def case_pprof():
    """profil's own file, written again, is the same report."""
    measurement = take_split()
    export("pprof", "-o", "again.pb.gz", measurement.path)
    expect(report("again.pb.gz") == measurement.report, "another report")


def case_folded():
    """Each line is a stack and its ticks, each stack once; they add up to the profile, and those
    that end in a function to its row."""
    measurement = take_split("--by-thread")
    stacks = {}
    for line in export("folded", measurement.path).splitlines():
        stack, ticks = line.rsplit(" ", 1)
        expect(stack not in stacks, f"twice: {stack}")
        stacks[stack] = int(ticks)
    expect(sum(stacks.values()) == measurement.fired, "not all ticks")
    for name in ("spin_three", "spin_one"):
        ticks = sum(ticks for stack, ticks in stacks.items()
                    if re.fullmatch(rf"split;split;([^;]+;)*{name}", stack))
        expect(ticks == measurement.ticks("name")[name], f"{name}: {ticks}")


def case_callgrind():
    """callgrind_annotate reads it: the same total, and the same ticks of each function."""
    need_program("callgrind_annotate")
    measurement = take_split()
    export("callgrind", "-o", "callgrind.out", measurement.path)
    text = run_well("callgrind_annotate", "--threshold=100", "--auto=no", "callgrind.out")
    total = re.search(r"^\s*([\d,]+) \([\d.]+%\)\s+PROGRAM TOTALS$", text, re.MULTILINE)
    expect(total and int(total[1].replace(",", "")) == measurement.fired, f"total: {text}")
    found = {}
    for ticks, name in re.findall(r"^\s*([\d,]+) \([^)]*\)\s+\S*?:(\S+) \[", text, re.MULTILINE):
        found[name] = found.get(name, 0) + int(ticks.replace(",", ""))
    for name in ("spin_three", "spin_one"):
        expect(found.get(name) == measurement.ticks("name")[name], f"{name}: {text}")


def functions_of(path):
    """{name: (start, size)} of a program, as nm has it."""
    found = re.findall(r"^([0-9a-f]+) ([0-9a-f]+) [tT] (\S+)$", run_well("nm", "-S", path),
                       re.MULTILINE)
    return {name: (int(start, 16), int(size, 16)) for start, size, name in found}


def write_file(path, data):
    with open(path, "wb") as file:
        file.write(data)


def cells_of(path, *options):
    """{address: ticks} of what profil makes of a file."""
    shown = report(path, "--by", "address", *options)
    check_identity(shown)
    return {row["address"]: row["ticks"] for row in shown["rows"]}


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
        expect({row["name"]: row["ticks"] for row in named["rows"]} == sums, f"{kind}: {named}")
        export(kind, "--program", program, "in.out")
        check_files("in.out", "gmon.out")
        scale = 100 if kind == "gmon-bsd" else 1
        found = gprof(program, *how, "gmon.out")
        for name, ticks in sums.items():
            expect(abs(found[name] * scale - ticks) < 0.011 * scale, f"{kind}: {name}: {found}")
        expect(cells_of("gmon.out") == cells, f"{kind}: other cells come back")
        os.unlink("gmon.out")


def write_arcs(path, arcs, cells, order="<", word="Q"):
    data = gmon.gnu(cells, order=order, word=word, arcs=False)
    for (caller, callee), count in arcs.items():
        data += struct.pack(f"{order}B{word}{word}I", 1, caller, callee, count)
    write_file(path, data)


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
            write_arcs("in.out", arcs, cells, order, word)
            shown = json.loads(run_well(PROFIL, "gprof", "--json", "in.out"))
            expect(shown["calls"] == sum(arcs.values()), f"{order}{word}: {shown}")
    write_arcs("in.out", arcs, cells)
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


def case_calls_of_callgrind():
    """callgrind_annotate finds with what is below each function what profil gprof does, and its own
    ticks as without calls."""
    need_program("callgrind_annotate", "nm")
    program = target("split")
    known = functions_of(program)
    main, three, one = (known[name][0] + 4 for name in ("main", "spin_three", "spin_one"))
    write_arcs("in.out", {(main, three): 3, (main, one): 1, (three, one): 1},
               {three & ~1: 50, one & ~1: 40})
    export("callgrind", "-o", "callgrind.out", "--program", program, "in.out")
    for how, wanted in (("yes", {"main": 90, "spin_three": 70, "spin_one": 40}),
                        ("no", {"spin_three": 50, "spin_one": 40})):
        text = run_well("callgrind_annotate", f"--inclusive={how}", "--threshold=100", "--auto=no",
                        "callgrind.out")
        found = {name: int(ticks) for ticks, name in
                 re.findall(r"^\s*(\d+) \([^)]*\)\s+\S*?:(\w+) ?", text, re.MULTILINE)}
        expect(found == wanted, f"{how}: {found} {text}")


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
            cells = {row["address"]: row["ticks"] for row in shown["rows"]}
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
    write_arcs("in.out", {(main, three): 7, (one, three): 2, (three, one): 3}, cells)
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
        if row["object"] == "libspin.so" and row["ticks"] > 100:
            seconds = row["ticks"] * measurement.period
            # Two decimals, and a rate in whole hertz.
            expect(abs(found[row["name"]] - seconds) < 0.006 + seconds / 4000, f"{row} {found}")


def case_gmon_libraries():
    """Where libraries alone have ticks, no file passes for the program's, which gprof would take
    it for; the only object of a profile has the name that was asked for."""
    one = "work 1/1 [000] 1.0: 1000000 cpu-clock:\n\t1000 first+0x0 (/lib/libone.so)\n\n"
    two = "work 1/1 [000] 1.1: 1000000 cpu-clock:\n\t2000 second+0x0 (/lib/libtwo.so)\n\n"
    write_file("samples", (one + two).encode())
    export("gmon", "samples", left="of 2 ticks none are the program's")
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
    ticks = {row["name"]: row["ticks"] for row in shown["rows"]}
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


def case_speedscope():
    """The JSON is as speedscope's schema has it, and its stacks and ticks are those of folded."""
    measurement = take_split("--by-thread")
    found = json.loads(export("speedscope", measurement.path))
    expect(found["$schema"] == "https://www.speedscope.app/file-format-schema.json", "schema")
    (profile,), frames = found["profiles"], found["shared"]["frames"]
    expect(set(profile) == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}
           and profile["type"] == "sampled" and profile["unit"] == "none", f"{profile.keys()}")
    for frame in frames:
        expect(isinstance(frame["name"], str) and frame["name"]
               and set(frame) <= {"name", "file", "line", "col"}, f"{frame}")
    expect(profile["startValue"] == 0 and len(profile["samples"]) == len(profile["weights"])
           and profile["endValue"] == sum(profile["weights"]) == measurement.fired, "ticks")
    stacks = {}
    for sample, ticks in zip(profile["samples"], profile["weights"]):
        stack = ";".join(frames[frame]["name"].replace(";", ":") for frame in sample)
        stacks[stack] = stacks.get(stack, 0) + ticks
    folded = (line.rsplit(" ", 1) for line in export("folded", measurement.path).splitlines())
    expect(stacks == {stack: int(ticks) for stack, ticks in folded}, "other stacks")


def gperftools_file(stacks, maps, order="<", word="Q", period=10000):
    """As gperftools' documentation of its CPU profile has it."""
    words = [0, 3, 0, period, 0]
    for stack, ticks in stacks:
        words += [ticks, len(stack), *stack]
    words += [0, 1, 0]
    return struct.pack(f"{order}{len(words)}{word}", *words) + maps.encode()


def case_gperftools_words():
    """Words of either size and order are read to the tick: a stack is its innermost frame's, and
    what lies in no mapping is unresolved."""
    maps = ("00010000-00020000 r-xp 00004000 08:01 17   /nowhere/a b\n"
            "00030000-00031000 rw-p 00000000 00:00 0 \n"
            "00040000-00050000 r-xp 00000000 00:00 0 \n")
    stacks = [((0x10010, 0x40000), 7), ((0x10010,), 1 << 20), ((0x4000f, 1, 2), 5), ((0x30000,), 3)]
    for order in "<>":
        for word in "QI":
            write_file("prof", gperftools_file(stacks, maps, order, word))
            found = cells_of("prof")
            expect(found == {0x4010: 7 + (1 << 20), 0x4000f: 5, 0: 3}, f"{order}{word}: {found}")
            classes = report("prof")["classes"]
            expect(classes["unresolved"] == 3 and classes["anonymous"] == 5, f"{classes}")
    whole = gperftools_file(stacks, "")
    for size in range(3 * 8, len(whole), 8):
        write_file("cut", whole[:size])
        check_error(profil("report", "cut"), says="not a whole CPU profile")


def case_gperftools():
    """What libprofiler itself writes is read: as many ticks as google-pprof finds, under its
    names."""
    need_program("gcc", "google-pprof")
    library = glob.glob("/usr/lib/*/libprofiler.so.0")
    if not library:
        raise Skip("needs libprofiler.so.0 (google-perftools)")
    with open("work.c", "w") as source:
        source.write("volatile unsigned x = 1;\n"
                     "__attribute__((noinline)) void hot(void)\n"
                     "{ for (int i = 0; i < 200000000; i++) x = x * 3 + 1; }\n"
                     "int main(void) { hot(); return 0; }\n")
    run_well("gcc", "-O1", "-g", "-o", "work", "work.c")
    run_well("env", f"LD_PRELOAD={library[0]}", "CPUPROFILE=cpu.prof", "./work")
    expected = re.findall(r"^ +(\d+) +[\d.]+% +[\d.]+% +\d+ +[\d.]+% (\S+)$",
                          run_well("google-pprof", "--text", "./work", "cpu.prof"), re.MULTILINE)
    shown = report("cpu.prof", "--program", "./work")
    check_identity(shown)
    ticks = {row["name"]: row["ticks"] for row in shown["rows"]}
    expected = {name: int(count) for count, name in expected}
    expect(ticks["hot"] == expected["hot"] > 0, f"{ticks} {expected}")
    expect(shown["total"] == sum(expected.values()), f"{shown['total']} {expected}")
    expect(shown["facts"]["period_ns"] == 10000000, f"{shown['facts']}")


def case_perf_script():
    """What is exported has a sample for each tick, and comes back as it was: every address, and
    every name."""
    measurement = take_split("--by-thread")
    text = export("perf-script", measurement.path)
    expect(len(re.findall(r"^\S.* \d+/\d+ \[000\] +\d+\.\d{6}: +\d+ cpu-clock:$", text,
                          re.MULTILINE)) == measurement.fired, text[:2000])
    write_file("samples", text.encode())
    expect(cells_of("samples") == cells_of(measurement.path), "other cells")
    again = report("samples")
    expect(measurement.ticks("name", again["rows"]) == measurement.ticks("name"), "other names")
    expect(again["classes"] == measurement.classes, f"{again['classes']}")
    expect(again["facts"]["period_ns"] == measurement.facts["period_ns"], "other period")
    expect(export("perf-script", "samples").count("cpu-clock:") == measurement.fired, "again")


def case_perf_lines():
    """Stacks, one line for all, inlined frames, blanks in names, what has no place: a sample is a
    tick of its innermost frame."""
    write_file("samples", b"# captured on: today\n#\n\n"
               b"my prog  12 [001]  7.000001:  250000 cpu-clock:u: \n"
               b"\t  10 f(int, (anonymous class))+0x4 (/bin/my prog)\n"
               b"\t  99 main (/bin/my prog)\n\n"
               b"my prog 12/13 7.000002: cpu-clock:u:  10 f(int, (anonymous class))+0x4 (/bin/my prog)\n"
               b"  my prog  12 7.000003: 1 cpu-clock:u: \n"
               b"\t  20 small (inlined)\n\t  20 g+0x8 (/lib/x (1).so)\n\n"
               b"my prog 12 7.000004: 1 cpu-clock:u: \n\t  0 [unknown] ([unknown])\n\n"
               b"swapper 0 [000] 8.000000: 1 cpu-clock:u: \n"
               b"\tffffffff81000010 idle+0x1 ([kernel.kallsyms])\n\n"
               b"my prog 12 9.0: 1 cpu-clock:u:\n\n"
               b"my prog 12 9.1: 1 cpu-clock:u:\n\t7f00 jitted ([anon] my prog (12))\n\n")
    found = report("samples")
    check_identity(found)
    expect({row["name"]: row["ticks"] for row in found["rows"] if row["class"] != "unresolved"}
           == {"f(int, (anonymous class))": 2, "small": 1, "idle": 1, "jitted": 1},
           f"{found['rows']}")
    expect(found["classes"]["unresolved"] == 2 and found["classes"]["kernel"] == 1
           and found["classes"]["program"] == 2 and found["classes"]["libraries"] == 1,
           f"{found['classes']}")


def case_perf_events():
    """Samples of two events are not added up: that is said, with both names."""
    write_file("samples", b"p 1 7.1: 9 cycles: 10 f (/bin/p)\np 1 7.2: 9 instructions: 10 f (/bin/p)\n")
    check_error(profil("report", "samples"), says="'cycles' and of 'instructions'")
    check_error(profil("merge", "samples", "-o", "sum.pb.gz"), says="give those of one event")
    check_files("samples")


def case_perf_record():
    """Of a perf.data that perf itself has taken, as many ticks as there are samples, under perf's
    names."""
    need_program("perf")
    done = run("perf", "record", "-q", "-e", "cpu-clock", "-F", "997", "-g", "-o", "perf.data",
               target("split"), "0.3")
    if done.status:
        raise Skip(f"perf record does not work here: {done.words}")
    for fields, count in (((), r"^\S.*: *$"), (("-G",), r"cpu-clock")):
        text = run_well("perf", "script", "-i", "perf.data", *fields)
        write_file("samples", text.encode())
        samples = len(re.findall(count, text, re.MULTILINE))
        found = report("samples")
        check_identity(found)
        expect(found["total"] == samples > 0, f"{found['total']}, not {samples}")
        frames = re.findall(r"spin_three\+0x\w+ \(\S+\)$" if fields else
                            r"cpu-clock\S*:\s*\n\t\s*\w+ spin_three\+", text, re.MULTILINE)
        ticks = {row["name"]: row["ticks"] for row in found["rows"]}
        expect(ticks["spin_three"] == len(frames) > 0, f"{ticks}, not {len(frames)}")


# Two ways, each as long in time; a comment of the assembler marks each.
TWO_WAYS = """#include <stdlib.h>
volatile int left;
static inline unsigned slow(unsigned x)
{
	for (int i = 0; i < 20; i++)
		x = 1000000007u / (x | 1) + i;
	return x;
}
__attribute__((noinline)) unsigned ways(unsigned count)
{
	unsigned x = 1;
	for (unsigned i = 0; i < count; i++) {
		if (left) {
			__asm__ volatile("# way left");
			x += slow(x);
		} else {
			__asm__ volatile("# way right");
			x ^= slow(x + 3);
		}
	}
	return x;
}
int main(int argc, char **argv)
{
	left = argc > 1 && atoi(argv[1]);
	return ways(3000000) == 7;
}
"""


def case_llvm():
    """clang takes it for -fprofile-sample-use, and lays the way first that the program took."""
    need_program("clang")
    with open("ways.c", "w") as source:
        source.write(TWO_WAYS)
    run_well("clang", "-O2", "-g", "-o", "ways", "ways.c")
    orders = {}
    for argument in ("0", "1"):
        measurement = take(os.path.abspath("ways"), argument, cpu=False)
        done = profil("export", "--to", "llvm", "-o", "samples", measurement.path)
        expect(done.status == 0, done.words)
        with open("samples") as samples:
            text = samples.read()
        left = re.search(r"of (\d+) ticks (\d+) are of no known", done.words)
        totals = sum(int(ticks) for ticks in re.findall(r"^\S+:(\d+):0$", text, re.MULTILINE))
        lines = sum(int(ticks) for ticks in re.findall(r"^ +\d+: (\d+)$", text, re.MULTILINE))
        expect(totals == lines == measurement.fired - (int(left[2]) if left else 0), text)
        expect(re.search(r"^ways:\d+:0$", text, re.MULTILINE)
               and re.search(r"^ \d+: slow:\d+$", text, re.MULTILINE), text)
        done = run("clang", "-O2", "-g", "-Werror", "-fprofile-sample-use=samples", "-S", "-o",
                   "ways.s", "ways.c")
        expect(done.status == 0, f"clang: {done.words}{text}")
        with open("ways.s") as assembly:
            code = assembly.read()
        orders[argument] = re.findall(r"# way (\w+)", code)
        os.unlink("samples")
    expect(orders["0"][0] == "right" and orders["1"][0] == "left", f"{orders}")


def case_views():
    """Every view is there for what another program took: annotate, hist, merge and diff of a
    gmon.out."""
    program = target("split")
    cells, sums = ticks_in_split(60000)
    write_file("gmon.out", gmon.gnu(cells))
    annotated = run_well(PROFIL, "annotate", "--program", program, "--asm", "gmon.out")
    hottest = max(sums, key=sums.get)
    expect(f"{hottest} in split" in annotated and f"{sums[hottest]:,} ticks" in annotated,
           annotated)
    drawn = json.loads(run_well(PROFIL, "hist", "--program", program, "--json", "gmon.out"))
    expect(drawn["identity"]["fired"] == sum(sums.values()), f"{drawn['identity']}")
    run_well(PROFIL, "merge", "gmon.out", "gmon.out", "-o", "twice.pb.gz")
    expect(cells_of("twice.pb.gz") == {a: 2 * t for a, t in cells.items()}, "not twice")
    run_well(PROFIL, "diff", "gmon.out", "twice.pb.gz")
    # With the program, the sum has names and can be compared by them; each side may have its own.
    run_well(PROFIL, "merge", "--program", program, "gmon.out", "gmon.out", "-o", "named.pb.gz")
    named = {row["name"]: row["ticks"] for row in report("named.pb.gz")["rows"]}
    expect(named == {name: 2 * ticks for name, ticks in sums.items()}, f"{named}")
    os.symlink(program, "later")
    compared = json.loads(run_well(PROFIL, "diff", "--json", "--program", program, "--program",
                                   "later", "gmon.out", "gmon.out"))
    expect({row["name"]: (row["match"], row["change"]) for row in compared["rows"]}
           == {name: ("same", 0) for name in sums}, f"{compared['rows']}")
    check_error(profil("diff", "--program", program, "named.pb.gz", "gmon.out"),
                says="named.pb.gz: says itself")
    check_error(profil("merge", "--map", "m.map", "gmon.out", "-o", "x"), says="map")
