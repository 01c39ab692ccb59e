# SPDX-License-Identifier: BSD-2-Clause
"""Call stacks in other programs' formats: they are there whole, and are the ones that reports show."""

import json
import os
import re
import shutil
import struct

import firefox
from command import Skip, check_error, expect, need_program, profil, report, run
from exported import export, run_well, write_file
from golden import DATA
from measure import check_identity


def sums(stacks):
    """{(name, object): [self, total]}: a stack counts once for a function, however often it is on it."""
    found = {}
    for names, ticks in stacks:
        places = [name[:2] for name in names]
        found.setdefault(places[-1], [0, 0])[0] += ticks
        for place in set(places):
            found.setdefault(place, [0, 0])[1] += ticks
    return found


def reported(path, has_stacks):
    """The same of a report."""
    found = {}
    for row in report(path, "-n", "0")["rows"]:
        place = found.setdefault((row["name"], row["object"]), [0, 0])
        place[0] += row["samples"]
        place[1] += row["total"]["samples"] if has_stacks else row["samples"]
    return found


def case_firefox():
    """For the Firefox Profiler: each index is one of its table, and self, total and classes are those of the
    report; what has tasks has a thread for each."""
    for name, has_stacks in (("go-runtime.pb.gz", True), ("perf-stacks.txt", True), ("split-thread.pb.gz", False),
                             ("varied.pb.gz", False), ("system-process.pb.gz", False), ("overflow.pb.gz", False)):
        shutil.copy(os.path.join(DATA, "profiles", name), ".")
        found, shown = json.loads(export("firefox", name)), report(name, "-n", "0")
        firefox.check(found)
        stacks = [stack for thread in found["threads"] for stack in firefox.stacks_of(found, thread)]
        wanted = reported(name, has_stacks)
        of_files = {place: ticks for place, ticks in sums(stacks).items() if place[1] is not None}
        expect(of_files == wanted, f"{name}: {set(map(str, of_files.items())) ^ set(map(str, wanted.items()))}")
        classes = {}
        for names, ticks in stacks:
            classes[names[-1][2]] = classes.get(names[-1][2], 0) + ticks
        expect(classes == {word: ticks for word, ticks in shown["classes"].items() if ticks}, f"{name}: {classes}")
    found = json.loads(export("firefox", "varied.pb.gz"))
    tasks = {(row["pid"], row["tid"]): row["samples"] for row in report("varied.pb.gz", "--by", "thread")["rows"]}
    threads = {(int(thread["pid"]), thread["tid"]): sum(thread["samples"]["weight"]) for thread in found["threads"]}
    expect(threads == tasks, f"{threads}, not {tasks}")


def case_firefox_of_nothing():
    """A profile without a sample has a thread without one, for the page needs one."""
    write_file("prof", struct.pack("<8Q", 0, 3, 0, 10000, 0, 0, 1, 0))
    found = json.loads(export("firefox", "prof"))
    firefox.check(found)
    expect([thread["samples"]["length"] for thread in found["threads"]] == [0], "samples")


def folded(text):
    """{callers first (name, ...): ticks} of folded stacks."""
    found = {}
    for line in text.splitlines():
        stack, ticks = line.rsplit(" ", 1)
        found[tuple(stack.split(";"))] = found.get(tuple(stack.split(";")), 0) + int(ticks)
    return found


def case_folded():
    """Folded stacks are read as they are: blanks in names, marks of the kernel's and of generated code, stacks that
    were cut; and what is written of them is the same."""
    shutil.copy(os.path.join(DATA, "profiles", "folded-stacks"), ".")
    with open("folded-stacks", encoding="utf-8") as file:
        wanted = folded("".join(line for line in file if line[0] != "#").replace("_[k]", "").replace("_[j]", ""))
    expect(folded(export("folded", "folded-stacks")) == wanted, export("folded", "folded-stacks"))
    shown = report("folded-stacks")
    check_identity(shown)
    own = {row["name"]: (row["samples"], row["total"]["samples"], row["class"]) for row in shown["rows"]}
    expect(own["leaf"] == (21, 21, "program") and own["evaluate (a, b)"] == (3, 22, "program")
           and own["entry_syscall"] == (0, 5, "kernel") and own["compiled"] == (0, 2, "anonymous"), f"{own}")
    for name in ("go-runtime.pb.gz", "perf-stacks.txt"):
        shutil.copy(os.path.join(DATA, "profiles", name), ".")
        text = export("folded", name)
        write_file("again", text.encode())
        expect(folded(export("folded", "again")) == folded(text), f"{name}: other stacks")


def case_folded_lines():
    """Ends of lines as on other systems, no last one, a count of zero; a line that is none is named."""
    write_file("stacks", b"\n# comment\r\na;b 2\r\n\r\na;;b\t3  \na;b 0")
    expect(folded(export("folded", "stacks")) == {("a", "b"): 2, ("a", "[unknown]", "b"): 3}, "lines")
    for bad in (b"a;b", b"a;b 1.5", b"a;b -1", b" 7", b"a;b 99999999999999999999"):
        write_file("stacks", b"a;b 2\n\n" + bad + b"\n")
        check_error(profil("report", "stacks"), says="line 3 is not a stack")


def case_gperftools():
    """gperftools' stacks are whole: a caller is at the call before where it returns to; one that lies nowhere cuts,
    and so does its limit of 254 frames."""
    shutil.copy(os.path.join(DATA, "profiles", "gperftools-stacks"), ".")
    cut = "[truncated: the stack could not be read]"
    stacks = {("prog+0x4200", "prog+0x4100", "prog+0x4010"): 11, ("prog+0x4200", "prog+0x4110", "libx.so.1+0x10"): 5,
              ("prog+0x4200", "prog+0x4100", "prog+0x4100", "prog+0x4010"): 2, (cut, "libx.so.1+0x10"): 1,
              ("prog+0x4200", "[unresolved]: no mapping at the program counter"): 3}
    expect(folded(export("folded", "gperftools-stacks")) == stacks, export("folded", "gperftools-stacks"))
    maps = b"00010000-00020000 r-xp 00000000 08:01 17   /nowhere/prog\n"
    for depth, is_cut in ((253, False), (254, True)):
        words = [0, 3, 0, 10000, 0, 1, depth, *(0x10010 + 2 * i for i in range(depth)), 0, 1, 0]
        write_file("deep", struct.pack(f"<{len(words)}Q", *words) + maps)
        (stack,) = folded(export("folded", "deep"))
        expect(len(stack) == depth + is_cut and ("[truncated" in stack[0]) == is_cut, f"{stack}")


def case_go():
    """go tool pprof finds the self and the total that the report has of each function, and as many samples
    in all."""
    need_program("go")
    for name in ("go-runtime.pb.gz", "folded-stacks"):
        shutil.copy(os.path.join(DATA, "profiles", name), ".")
        export("pprof", "-o", "out.pb.gz", name)
        pprof = ("env", "HOME=.", "go", "tool", "pprof", "-sample_index=samples", "-nodefraction=0", "-edgefraction=0")
        found = {function: [int(own), int(total)] for own, total, function in re.findall(
            r"^ +(\d+) +\S+% +\S+% +(\d+) +\S+% +(.+)$",
            run_well(*pprof, "-top", "-cum", "-nodecount=1000", "out.pb.gz"), re.MULTILINE)}
        wanted = {}
        for (function, _), ticks in reported(name, has_stacks=True).items():
            wanted[function] = [sum(pair) for pair in zip(ticks, wanted.get(function, (0, 0)))]
        found = {function: ticks for function, ticks in found.items()
                 if not function.startswith("[truncated") and not function.endswith(" (inline)")}
        expect(found == wanted, f"{name}: {set(map(str, found.items())) ^ set(map(str, wanted.items()))}")
        raw = run_well(*pprof, "-raw", "out.pb.gz")
        samples = re.findall(r"^ +(\d+) +\d*:? *[\d ]+$", raw.split("Samples:")[1].split("Locations")[0], re.MULTILINE)
        expect(sum(map(int, samples)) == report(name)["total"], raw)


def case_perf_children():
    """Of one perf.data, the totals that perf report --children has of a program's functions, recursion counted once,
    are those of what perf script prints of it."""
    need_program("perf", "gcc")
    with open("work.c", "w", encoding="utf-8") as source:
        source.write("#define KEEP __attribute__((noinline))\n"
                     "volatile unsigned sink;\n"
                     "KEEP unsigned leaf(unsigned n) { for (; n; n--) sink = sink * 31 + n; return sink; }\n"
                     "KEEP unsigned mid(unsigned n) { sink += leaf(n) + 1; return sink; }\n"
                     "KEEP unsigned rec(unsigned n) { return sink += n ? rec(n - 1) + leaf(9000) : leaf(90000); }\n"
                     "KEEP unsigned top(void) { sink += mid(70000) + leaf(40000); return sink + rec(5); }\n"
                     "int main(void) { for (int i = 0; i < 800; i++) sink += top(); return 0; }\n")
    run_well("gcc", "-O1", "-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-o", "work", "work.c")
    done = run("perf", "record", "-q", "-e", "cpu-clock:u", "-F", "997", "-g", "-o", "perf.data", "./work")
    if done.status:
        raise Skip(f"perf record does not work here: {done.words}")
    write_file("samples", run_well("perf", "script", "-i", "perf.data").encode())
    listed = run_well("perf", "report", "-i", "perf.data", "--children", "--stdio", "-g", "none", "--sort", "sym,dso",
                      "-F", "overhead_children,sample,sym,dso")
    theirs = {name: (float(total), int(own)) for total, own, name in
              re.findall(r"^ *([\d.]+)% +(\d+) +\[\.\] (\S+) +work *$", listed, re.MULTILINE)}
    whole = report("samples")["total"]
    ours = {name: (100 * total / whole, own) for (name, file), (own, total) in
            reported("samples", has_stacks=True).items() if file == "work" and not name.startswith("work+")}
    expect({"leaf", "rec", "top", "main"} <= set(ours), f"{ours}")
    for name, (total, own) in ours.items():
        expect(name in theirs and theirs[name][1] == own and abs(theirs[name][0] - total) < 0.006,
               f"{name}: {total}, {own}, not {theirs.get(name)}")
