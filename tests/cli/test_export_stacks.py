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


INLINED = """
#define KEEP __attribute__((noinline))
volatile unsigned sink;
#line 1 "other.h"
unsigned leaf(unsigned);
static inline __attribute__((always_inline)) unsigned inlined(unsigned n) { return leaf(n) + 1; }
#line 9 "work.c"
KEEP unsigned leaf(unsigned n) { for (; n; n--) sink = sink * 31 + n; return sink; }
KEEP unsigned top(unsigned n) { return (sink += inlined(n)) + (n ? top(n / 8) : 0); }
int main(void) { for (int i = 0; i < 800; i++) sink += top(100000); return 0; }
"""


def inclusive(path):
    """{name: the costs of its rows} of callgrind_annotate."""
    export("callgrind", "-o", "callgrind.out", path)
    text = run_well("callgrind_annotate", "--inclusive=yes", "--threshold=100", "--auto=no", "callgrind.out")
    found = {}
    for ticks, name in re.findall(r"^ *([\d,]+) \([ \d.]+%\) +[^:\n]*:(.*?)(?: \[\S.*\])?$", text, re.MULTILINE):
        found.setdefault(name, []).append(int(ticks.replace(",", "")))
    return found


def case_callgrind():
    """callgrind_annotate has the total of each function: of recursion through others, of what begins a stack and is
    called too, of what is below a cut, and of what calls from lines that were inlined from another file."""
    need_program("callgrind_annotate", "gcc")
    write_file("recursion", b"a;b;a;c 4\na;b;c;b;a 3\nc;a 2\nb 5\na;a;a;d;b 1\n"
               b"[truncated: the stack could not be read];c;b 6\n[truncated: more frames than --max-stack];b;d 7\n")
    write_file("work.c", INLINED.encode())
    run_well("gcc", "-O1", "-g", "-fno-optimize-sibling-calls", "-o", "work", "work.c")
    done = profil("run", "-g", "-o", "work.pb.gz", "./work")
    expect(done.status == 0, done.words)
    shutil.copy(os.path.join(DATA, "profiles", "go-runtime.pb.gz"), ".")
    for path in ("recursion", "work.pb.gz", "go-runtime.pb.gz"):
        found, wanted = inclusive(path), {}
        for (name, _), (_, total) in reported(path, has_stacks=True).items():
            wanted.setdefault(name, []).append(total)
        expect({"a", "b"} <= set(wanted) or {"main", "top", "leaf"} <= set(wanted) or len(wanted) == 31, f"{wanted}")
        for name, totals in wanted.items():
            # It adds up what has one name in one file, whichever object it is of.
            expect(len(totals) > 1 or totals[0] in found.get(name, []), f"{path}: {name}: {totals}, {found.get(name)}")
    expect(inclusive("recursion")["[truncated]"] == [13], "what was cut")


SPLIT = """
volatile unsigned sink;
__attribute__((noinline)) unsigned leaf(unsigned n) { for (; n; n--) sink = sink * 31 + n; return sink; }
#line 1 "first.c"
__attribute__((noinline)) unsigned split(unsigned n) {
	sink += leaf(n);
	for (unsigned i = n / 4; i; i--) sink += i;
#line 40 "second.c"
	for (unsigned i = n / 4; i; i--) sink += i;
	sink += leaf(n);
	return sink + 1;
}
#line 1 "main.c"
int main(void) { for (int i = 0; i < 800; i++) sink += split(100000); return 0; }
"""


def case_callgrind_split():
    """A function whose source is in two files is one function, with what both parts called."""
    need_program("callgrind_annotate", "gcc")
    write_file("split.c", SPLIT.encode())
    run_well("gcc", "-O1", "-g", "-fno-optimize-sibling-calls", "-o", "split", "split.c")
    done = profil("run", "-g", "-o", "split.pb.gz", "./split")
    expect(done.status == 0, done.words)
    calls = {(row["caller"], row["callee"]): row["samples"] for row in
             json.loads(profil("report", "--callers", "--json", "split.pb.gz").text)["calls"]}
    (total,) = (total for (name, _), (_, total) in reported("split.pb.gz", has_stacks=True).items() if name == "split")
    expect(calls["split", "leaf"] > 0 and total in inclusive("split.pb.gz")["split"],
           f"{total}: {inclusive('split.pb.gz')['split']}")
    with open("callgrind.out", encoding="utf-8") as file:
        text = file.read()
    expect(len(set(re.findall(r"^c?f[il]=(.*)\nc?fn=split$", text, re.MULTILINE))) == 1, text)


def case_inlines():
    """With --inlines a function that was inlined is called by the one that it stands in, in the tree and in each export;
    what each has with what it called is what go tool pprof has, which takes the inlined ones for frames too."""
    need_program("gcc", "go")
    write_file("work.c", INLINED.replace("#line", "// ").encode())
    run_well("gcc", "-O1", "-g", "-fno-optimize-sibling-calls", "-o", "work", "work.c")
    done = profil("run", "-g", "--no-fold", "-o", "work.pb.gz", "./work")
    expect(done.status == 0, done.words)
    stacks = folded(export("folded", "--inlines", "work.pb.gz"))
    whole = [stack[stack.index("main"):] for stack in stacks if "leaf" in stack and "[truncated" not in stack[0]]
    expect(whole and all(stack[stack.index("leaf") - 2:stack.index("leaf")] == ("top", "inlined") for stack in whole), f"{whole}")
    expect(not any("inlined" in stack for stack in folded(export("folded", "work.pb.gz"))), "inlined without --inlines")
    for to in ("firefox", "speedscope"):
        found, same = json.loads(export(to, "--inlines", "work.pb.gz")), {}
        if to == "firefox":
            firefox.check(found)
            lists = [([name[0] for name in names], ticks) for thread in found["threads"]
                     for names, ticks in firefox.stacks_of(found, thread)]
        else:
            names = [frame["name"] for frame in found["shared"]["frames"]]
            profile = found["profiles"][0]
            lists = [([names[number] for number in sample], ticks)
                     for sample, ticks in zip(profile["samples"], profile["weights"])]
        for names, ticks in lists:
            same[tuple(names)] = same.get(tuple(names), 0) + ticks
        expect(same == stacks, f"{to}: {set(same.items()) ^ set(stacks.items())}")
    totals = {}
    for stack, ticks in stacks.items():
        for name in set(stack):
            totals[name] = totals.get(name, 0) + ticks
    export("callgrind", "--inlines", "-o", "callgrind.out", "work.pb.gz")
    text = run_well("callgrind_annotate", "--inclusive=yes", "--threshold=100", "--auto=no", "callgrind.out")
    expect(re.search(rf"^ *{totals['inlined']:,} .*:inlined ", text, re.MULTILINE), f"{totals['inlined']}: {text}")
    top = run_well("env", "HOME=.", "go", "tool", "pprof", "-sample_index=samples", "-nodefraction=0", "-edgefraction=0",
                   "-top", "-cum", "work.pb.gz")
    theirs = dict((name, int(total)) for total, name in re.findall(
        r"^ +\d+ +\S+% +\S+% +(\d+) +\S+% +(\S+)(?: \(inline\))?$", top, re.MULTILINE))
    expect(theirs["inlined"] and {name: totals.get(name) for name in theirs} == theirs, f"{totals}, {theirs}")
    tree = json.loads(profil("tree", "--inlines", "--json", "--function", "^inlined$", "work.pb.gz").text)
    expect(tree["shown"] == totals["inlined"] and tree["rows"][0]["function"] == "inlined", f"{tree['rows'][:2]}")
    text = profil("tree", "--inlines", "work.pb.gz").text
    expect(re.search(r" inlined \(inlined\) +work$", text, re.MULTILINE) and "leaf (inl" not in text, text)
    calls = {(row["caller"], row["callee"]): row["samples"] for row in
             json.loads(profil("report", "--callers", "--inlines", "--json", "work.pb.gz").text)["calls"]}
    expect(calls["top", "inlined"] == totals["inlined"] >= calls["inlined", "leaf"] > 0 and ("top", "leaf") not in calls,
           f"{calls}")
    check_error(profil("export", "--to", "pprof", "--inlines", "-o", "x", "work.pb.gz"), says="not for pprof")
    shutil.copy(os.path.join(DATA, "profiles", "split-thread.pb.gz"), ".")
    check_error(profil("export", "--to", "folded", "--inlines", "split-thread.pb.gz"), says="-g")


def tree_of(path, *options):
    """{(object and name of each function from the first on): [samples, self]}, and how the stacks end."""
    shown = json.loads(profil("tree", "--json", "--min", "0%", *options, path).text)
    rows, way = {}, []
    for row in shown["rows"]:
        way = way[:row["depth"]] + [(row["object"], row["function"])]
        rows[tuple(way)] = [row["samples"], row["self"]]
    first = sum(samples for way, (samples, _) in rows.items() if len(way) == 1)
    own = sum(own for _, own in rows.values())
    expect(first == own == shown["total"] == shown["shown"], f"{path}: {first} and {own} of {shown['total']}")
    cut = sum(ticks for end, ticks in shown["stacks"].items() if end != "whole")
    expect(rows.get((("", "[truncated]"),), [0])[0] == cut, f"{path}: {cut} cut")
    return rows, shown["stacks"]


def by_name(rows):
    """The same of functions by name alone."""
    found = {}
    for way, counts in rows.items():
        one = found.setdefault(tuple(name for _, name in way), [0, 0])
        one[:] = [sum(pair) for pair in zip(one, counts)]
    return found


def case_read_back():
    """What is exported and read again has the same tree, whole and cut stacks alike: all samples are below its roots,
    and what was cut is a root by itself.  Folded stacks do not say objects."""
    need_program("gcc")
    write_file("work.c", INLINED.encode())
    run_well("gcc", "-O1", "-g", "-fno-optimize-sibling-calls", "-o", "work", "work.c")
    done = profil("run", "-g", "-o", "work.pb.gz", "sh", "-c", "./work; ls -R /usr/lib/python3 > /dev/null; ./work")
    expect(done.status == 0, done.words)
    for name in ("work.pb.gz", "go-runtime.pb.gz", "perf-stacks.txt", "folded-stacks"):
        if name != "work.pb.gz":
            shutil.copy(os.path.join(DATA, "profiles", name), ".")
        rows, ends = tree_of(name)
        for to in ("pprof", "perf-script", "folded"):
            if to == "perf-script" and name == "folded-stacks":
                continue  # it is of addresses
            export(to, "-o", "again", name)
            again, same_ends = tree_of("again")
            wanted, found = (by_name(rows), by_name(again)) if to == "folded" else (rows, again)
            expect(same_ends == ends, f"{name}, {to}: {same_ends}, not {ends}")
            expect(found == wanted, f"{name}, {to}: " + str([(way, found.get(way), wanted.get(way)) for way in
                                                             set(found) | set(wanted)
                                                             if found.get(way) != wanted.get(way)][:5]))


def case_filters():
    """--pid and --comm with call stacks: what all processes have in the tree together is the tree of all, and each
    has the samples that the report has of it."""
    need_program("gcc")
    write_file("work.c", INLINED.encode())
    run_well("gcc", "-O1", "-g", "-o", "work", "work.c")
    done = profil("run", "-g", "--by-process", "-o", "work.pb.gz", "sh", "-c", "cp work two; ./work; ./two; ./work")
    expect(done.status == 0, done.words)
    whole, added = tree_of("work.pb.gz")[0], {}
    for row in report("work.pb.gz", "--by", "process", "-n", "0")["rows"]:
        of_one, ends = tree_of("work.pb.gz", "--pid", str(row["pid"]))
        expect(sum(ends.values()) == row["samples"], f"{row}: {ends}")
        for way, counts in of_one.items():
            added[way] = [sum(pair) for pair in zip(added.get(way, (0, 0)), counts)]
    expect(added == whole, f"{set(map(str, added.items())) ^ set(map(str, whole.items()))}")
    names = {way[0][0] for way in tree_of("work.pb.gz", "--comm", "two")[0]}
    expect("two" in names and "work" not in names, f"{names}")


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


def case_go_views():
    """go tool pprof -peek has the callers and callees that the report has; -list has the function's samples on its
    line, and -tree the total of each function."""
    need_program("go", "gcc")
    write_file("work.c", re.sub("#line .*", "", INLINED).encode())
    run_well("gcc", "-O1", "-g", "-fno-optimize-sibling-calls", "-o", "work", "work.c")
    done = profil("run", "-g", "-o", "work.pb.gz", "./work")
    expect(done.status == 0, done.words)
    pprof = ("env", "HOME=.", "go", "tool", "pprof", "-sample_index=samples", "-nodefraction=0", "-edgefraction=0")
    calls = {(call["caller"], call["callee"]): call["samples"] for call in
             json.loads(profil("report", "--callers", "--json", "work.pb.gz").text)["calls"]}
    shown = reported("work.pb.gz", has_stacks=True)
    peek = run_well(*pprof, "-peek=^top$", "work.pb.gz")
    entry = re.search(r"((?: +\d+ +[\d.]+% \| +.*\n)*) +(\d+) +\S+ +\S+ +(\d+) +\S+ +\| top\n", peek)
    own, total = shown["top", "work"]
    expect(entry and [int(entry[2]), int(entry[3])] == [own, total], peek)
    expect(re.search(rf" {calls['main', 'top']} +[\d.]+% \| +main$", entry[1], re.MULTILINE), f"{calls}: {peek}")
    own, total = shown["leaf", "work"]
    listed = run_well(*pprof, "-list=^leaf$", "work.pb.gz")
    expect(re.search(rf" {own} +{total} \(flat, cum\)", listed), listed)
    expect(re.search(rf" {own} +{total} +\d+:KEEP unsigned leaf", listed), listed)
    tree = run_well(*pprof, "-tree", "work.pb.gz")
    for name in ("main", "top", "leaf"):
        own, total = shown[name, "work"]
        expect(re.search(rf"^ +{own} +\S+ +\S+ +{total} +\S+ +\| +{name}$", tree, re.MULTILINE), f"{name}: {tree}")


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
