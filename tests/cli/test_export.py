# SPDX-License-Identifier: BSD-2-Clause
"""Profiles in other programs' formats: what is exported is what those programs make of it, to the
tick, and what they have written is shown.  Those of gprof are in test_export_gmon.py."""

import glob
import json
import os
import re
import struct

import gmon
import pprof
from command import (Skip, check_error, check_files, expect, need_program, profil, report, run,
                     target)
from exported import cells_of, export, functions_of, run_well, write_file
from measure import check_identity, take
from recorded import Recorded
from terminal import on_any_terminal


def case_wrong_words():
    """A format that is missing or not known, two files, no file: one line, and nothing
    is written."""
    check_error(profil("export"), says="--to")
    check_error(profil("export", "--to", "tea", "x"), says="tea")
    check_error(profil("export", "--to", "folded", "x", "y"), says="more than one")
    check_error(profil("export", "--to", "folded", "-o", "out", "x"), says="x")
    check_error(profil("export", "--to", "folded"), says="profil.pb.gz")
    check_files()


def case_standard_input():
    """A file named "-" is standard input, of any format: the same rows as of the file itself."""
    path = Recorded("split-kernel").path
    expect(profil("export", "--to", "perf-script", "-o", "text", path).status == 0, "export")
    for name in (path, "text"):
        with open(name, "rb") as file:
            done = profil("report", "--json", "-", stdin=file)
        expect(done.status == 0, done.words)
        expect(json.loads(done.text)["rows"] == report(name)["rows"], f"{name}: {done.text}")
    check_files(path, "text")


def case_no_place():
    """Where the output cannot be put, that is said, and nothing is left of it."""
    path = Recorded("split-kernel").path
    check_error(profil("export", "--to", "pprof", path), says="-o")
    check_error(profil("export", "--to", "callgrind", "-o", "no/where", path), says="no/where")
    with open("/dev/full", "w") as full:
        done = profil("export", "--to", "folded", path, stdout=full)
    check_error(done, says="standard output")
    check_files(path)


def case_pprof():
    """profil's own file, written again, is the same report."""
    measurement = Recorded("split-kernel")
    export("pprof", "-o", "again.pb.gz", measurement.path)
    expect(report("again.pb.gz") == measurement.report, "another report")


def case_pprof_is_no_mon():
    """A profile.proto of many values, whose first bytes are those of a mon.out by chance, is read as what it is."""
    def field(number, content):
        size, head = len(content), bytes([number << 3 | 2])
        while size > 127:
            head, size = head + bytes([size & 127 | 128]), size >> 7
        return head + bytes([size]) + content

    texts = [b"", b"samples", b"count", b"work", b"x" * 9000]
    data = field(2, field(1, b"\1\1") + field(2, bytes(16))) + field(2, field(1, b"\1") + field(2, b"\7" + bytes(15)))
    data += field(1, b"\x08\1\x10\2") + 15 * field(1, b"\x08\3\x10\2")
    data += field(4, b"\x08\1" + field(4, b"\x08\1")) + field(5, b"\x08\1\x10\3") + b"".join(field(6, text) for text in texts)
    with open("x.pb", "wb") as file:
        file.write(data + field(6, b"x" * (len(data) % 2)))
    rows = report("x.pb")["rows"]
    expect([(row["name"], row["samples"]) for row in rows] == [("work", 7)], f"{rows[:9]}")


def case_folded():
    """Each line is a stack and its ticks, each stack once; they add up to the profile, and those
    that end in a function to its row."""
    measurement = Recorded("split-thread")
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


def case_object():
    """--object leaves the samples of one file, by its name or its path, and those with their callers;
    where it has none, that is said."""
    measurement = Recorded("sqlite")
    whole = export("folded", measurement.path).splitlines()
    row = report(measurement.path, "--by", "object")["rows"][0]
    for name in (row["name"], row["path"]):
        part = export("folded", "--object", name, measurement.path).splitlines()
        expect(sum(int(line.rsplit(" ", 1)[1]) for line in part) == row["samples"], f"{name}: {part}")
        expect(set(stack.rsplit(" ", 1)[0] for stack in part)
               <= set(stack.rsplit(" ", 1)[0] for stack in whole), f"{name}: {part}")
        expect(0 < row["samples"] < measurement.fired, f"{row}")
    check_error(profil("export", "--to", "folded", "--object", "tea", measurement.path),
                says="nothing matches --object tea")


def case_callgrind():
    """callgrind_annotate reads it: the same total, and the same ticks of each function."""
    need_program("callgrind_annotate")
    measurement = Recorded("split-kernel")
    export("callgrind", "-o", "callgrind.out", measurement.path)
    text = run_well("callgrind_annotate", "--threshold=100", "--auto=no", "callgrind.out")
    total = re.search(r"^\s*([\d,]+) \([\d.]+%\)\s+PROGRAM TOTALS$", text, re.MULTILINE)
    expect(total and int(total[1].replace(",", "")) == measurement.fired, f"total: {text}")
    found = {}
    for ticks, name in re.findall(r"^\s*([\d,]+) \([^)]*\)\s+\S*?:(\S+) \[", text, re.MULTILINE):
        found[name] = found.get(name, 0) + int(ticks.replace(",", ""))
    for name in ("spin_three", "spin_one"):
        expect(found.get(name) == measurement.ticks("name")[name], f"{name}: {text}")


def case_calls_of_callgrind():
    """callgrind_annotate finds with what is below each function what profil gprof does, and its own
    ticks as without calls."""
    need_program("callgrind_annotate", "nm")
    program = target("split")
    known = functions_of(program)
    main, three, one = (known[name][0] + 4 for name in ("main", "spin_three", "spin_one"))
    gmon.write_arcs("in.out", {(main, three): 3, (main, one): 1, (three, one): 1},
               {three & ~1: 50, one & ~1: 40})
    export("callgrind", "-o", "callgrind.out", "--program", program, "in.out")
    for how, wanted in (("yes", {"main": 90, "spin_three": 70, "spin_one": 40}),
                        ("no", {"spin_three": 50, "spin_one": 40})):
        text = run_well("callgrind_annotate", f"--inclusive={how}", "--threshold=100", "--auto=no",
                        "callgrind.out")
        found = {name: int(ticks) for ticks, name in
                 re.findall(r"^\s*(\d+) \([^)]*\)\s+\S*?:(\w+) ?", text, re.MULTILINE)}
        expect(found == wanted, f"{how}: {found} {text}")


def case_speedscope():
    """The JSON is as speedscope's schema has it, and its stacks and ticks are those of folded."""
    measurement = Recorded("split-thread")
    found = json.loads(export("speedscope", measurement.path))
    expect(found["$schema"] == "https://www.speedscope.app/file-format-schema.json", "schema")
    (profile,), frames = found["profiles"], found["shared"]["frames"]
    expect(set(profile) == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}
           and profile["type"] == "sampled" and profile["unit"] == "none", f"{profile.keys()}")
    for frame in frames:
        expect(isinstance(frame["name"], str) and frame["name"]
               and set(frame) <= {"name", "file", "line", "col"}, f"{frame}")
    expect(profile["startValue"] == 0 and len(profile["samples"]) == len(profile["weights"])
           and profile["endValue"] == sum(profile["weights"]) == measurement.fired, "samples")
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
    ticks = {row["name"]: row["samples"] for row in shown["rows"]}
    expected = {name: int(count) for count, name in expected}
    expect(ticks["hot"] == expected["hot"] > 0, f"{ticks} {expected}")
    expect(shown["total"] == sum(expected.values()), f"{shown['total']} {expected}")
    expect(shown["facts"]["period_ns"] == 10000000, f"{shown['facts']}")


def case_perf_script():
    """What is exported has a sample for each tick, and comes back as it was: every address, and
    every name."""
    measurement = Recorded("split-thread")
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
    tick of the function it was taken in, whatever was inlined there."""
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
    expect({row["name"]: row["samples"] for row in found["rows"] if row["class"] != "unresolved"}
           == {"f(int, (anonymous class))": 2, "g": 1, "idle": 1, "jitted": 1, "main": 0},
           f"{found['rows']}")
    expect([row["total"]["samples"] for row in found["rows"] if row["name"] == "main"] == [1],
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
        ticks = {row["name"]: row["samples"] for row in found["rows"]}
        expect(ticks["spin_three"] == len(frames) > 0, f"{ticks}, not {len(frames)}")


def perf_samples(*fields):
    """What perf script prints of perf.data, as the file "samples"; how many samples that is."""
    text = run_well("perf", "script", "-i", "perf.data", *fields)
    write_file("samples", text.encode())
    return len(re.findall(r"cpu-clock", text))


def case_perf_addresses():
    """Of samples without stacks perf prints addresses of the process: they are never shown as
    offsets in a file, and become offsets where the text has the mappings.  A program is one also
    where its process is called otherwise, as redis-server is."""
    need_program("perf", "strip")
    # perf finds names by the build-id, too.
    run_well("strip", "-R", ".note.gnu.build-id", "-o", "real-name", target("split"))
    os.symlink("real-name", "called")
    done = run("perf", "record", "-q", "-e", "cpu-clock", "-F", "997", "-o", "perf.data",
               "./called", "0.2")
    if done.status:
        raise Skip(f"perf record does not work here: {done.words}")
    count = perf_samples()
    shown = profil("report", "-n", "0", "samples")
    expect(re.search(r"real-name[^:\n]*: the addresses are the process's", shown.text),
           shown.text)
    expect("--show-mmap-events" in shown.text and "+0x7f" not in shown.text, shown.text)
    found = report("samples")
    check_identity(found)
    rows = [row for row in found["rows"] if row["object"] == "real-name"]
    expect(rows and all(re.fullmatch(r"0x[0-9a-f]{9,}", row["name"]) and row["class"] == "program"
                        for row in rows), rows)
    expect(found["total"] == count, found["total"])

    expect(perf_samples("--show-mmap-events") == count, "other samples")
    shown = profil("report", "samples")
    expect("the addresses are the process's" not in shown.text, shown.text)
    found = report("samples")
    check_identity(found)
    rows = [row for row in found["rows"] if row["object"] == "real-name"]
    expect(rows and all(int(row["name"].split("+")[1], 16) < os.path.getsize("real-name")
                        and row["class"] == "program" for row in rows), rows)
    expect(found["total"] == count, found["total"])


def case_escapes_on_a_terminal():
    """What drives a terminal in the names of files and functions is shown to one as text, in every
    text for programs; a pipe and a file have the names as they are."""
    odd = b"o\x1b[31m\xc2\x9b2J\x7f"
    quoted = "".join(f"\\{byte:03o}" for byte in odd)
    pprof.write("odd.pb", [("/" + quoted, "", 0, 0x1000, 0)],
                [(0, 0x10, quoted, quoted, 1, 40), (0, 0x20, "", "", 0, 7)])
    shown = rb"o\x1b[31m\xc2\x9b2J\x7f"
    for command in (*(["export", "--to", to] for to in ("folded", "callgrind", "perf-script")),
                    ["report", "--csv"], ["gprof", "--csv"], ["diff", "--csv", "odd.pb"]):
        piped = profil(*command, "odd.pb").stdout
        expect(odd in piped and shown not in piped, f"{command}: a pipe: {piped}")
        seen = on_any_terminal(*command, "odd.pb")
        expect(seen == piped.replace(odd, shown).replace(b"\n", b"\r\n"), f"{command}: {seen}")
    export("folded", "-o", "folded", "odd.pb")
    with open("folded", "rb") as file:
        expect(odd in file.read(), "a file")
    seen = on_any_terminal("export", "--to", "folded", "-o", "/dev/stdout", "odd.pb")
    expect(shown in seen and odd not in seen, f"/dev/stdout: {seen}")
    for command in (["export", "--to", "speedscope"], ["report", "--json"]):
        text = on_any_terminal(*command, "odd.pb").decode()
        expect(not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", text), f"{command}: {text}")
        expect(json.loads(text) == json.loads(profil(*command, "odd.pb").text), f"other: {text}")
