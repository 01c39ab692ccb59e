# SPDX-License-Identifier: BSD-2-Clause
"""profil gprof beside the real gprof on the same files, and what profiles keep of calls."""

import collections
import json
import os
import re
import struct
import subprocess

from gmon import Gmon, gprof, symbols
from said import profil, top

NUMBER = r" +([0-9.]+)"
FLAT = re.compile(rf"^{NUMBER}{NUMBER}{NUMBER}(?: +(\d+){NUMBER}{NUMBER})? +(\S.*?)\s*$",
                  re.MULTILINE)
PRIMARY = re.compile(r"^\[\d+\]" + 3 * NUMBER + r" +(?:(\d+)(?:\+(\d+))?)? +(\S.*?)"
                     r"(?: <cycle \d+>)?(?: \[\d+\])?$")
OTHER = re.compile(r"^ +(?:[0-9.]+ +[0-9.]+ +)?(\d+)(?:/(\d+))? +(\S.*?)(?: <cycle \d+>)?"
                   r"(?: \[\d+\])?$")

Row = collections.namedtuple("Row", "seconds calls")


def flat_of(text):
    """[(name, Row)] of a flat profile, in its order."""
    part = text.split("Call graph")[0]
    return [(name, Row(float(seconds), int(calls or 0)))
            for _, _, seconds, calls, _, _, name in FLAT.findall(part)]


def graph_of(text):
    """{function: (calls, by itself)}, and {(caller, callee): (calls, of)} as told in the callers'
    and in the callees' entries, where both have one."""
    entries, above, below = {}, {}, {}
    for block in text.split("Call graph")[1].split("-" * 47):
        lines = [line for line in block.splitlines() if line.strip()]
        where = next((i for i, line in enumerate(lines) if PRIMARY.match(line)), None)
        if where is None or "as a whole" in lines[where]:
            continue
        *_, calls, by_itself, name = PRIMARY.match(lines[where]).groups()
        entries[name] = (int(calls or 0), int(by_itself or 0))
        for arcs, others in ((above, lines[:where]), (below, lines[where + 1:])):
            for line in others:
                found = OTHER.match(line)
                if found and found[3] not in (name, "<spontaneous>"):
                    pair = (found[3], name) if arcs is above else (name, found[3])
                    arcs[pair] = (int(found[1]), found[2] and int(found[2]))
    for caller, callee in above.keys() | below.keys():
        if caller in entries and callee in entries:
            assert above[caller, callee] == below[caller, callee], (caller, callee)
    return entries, {**above, **below}


def cycles_of(text):
    """The members of each cycle, and the calls into it and within it."""
    found = {}
    for number, name in re.findall(r"^\[\d+\].*?(?<= )(\S+) <cycle (\d+)> \[\d+\]$", text,
                                   re.MULTILINE):
        found.setdefault(name, set()).add(number)
    wholes = re.findall(r"^\[\d+\]" + 3 * NUMBER + r" +(\d+)\+(\d+) +<cycle (\d+) as a whole>",
                        text, re.MULTILINE)
    return {frozenset(found[number]): (calls, inner) for *_, calls, inner, number in wholes}


def rank(row):
    return -row[1].seconds, -row[1].calls, row[0]


def check_same(house, program, *files, exact=True):
    """Functions, their order, calls, cycles and arcs are gprof's; seconds too, to the digits that are
    printed where both count whole bins (EXACT), else to 1 %."""
    theirs = gprof(program, *files)
    ours = profil(house, "gprof", "-b", "--traditional", program, *files)
    wanted, have = flat_of(theirs), flat_of(ours)
    assert wanted, theirs
    # What has neither time nor calls is not in gprof's, and main(), called by nobody known, neither.
    have = [row for row in have if row[1].calls or row[1].seconds or row in wanted]
    if exact:
        # Equals are in the order of their names, as the linker or the user has them.
        assert have == sorted(have, key=lambda row: -row[1].seconds), have
        assert sorted(have, key=rank) == sorted(wanted, key=rank), (have, wanted)
    have = dict(have)
    for name, row in wanted:
        assert have[name].calls == row.calls, (name, have[name], row)
        limit = 0.0101 if exact else 0.0101 + 0.01 * row.seconds
        assert abs(have[name].seconds - row.seconds) <= limit, (name, have[name], row)
    entries, arcs = graph_of(theirs)
    our_entries, our_arcs = graph_of(ours)
    assert {name: our_entries[name] for name in entries} == entries, (our_entries, entries)
    known = {pair: counts for pair, counts in our_arcs.items() if pair in arcs or
             pair[0] in entries and pair[1] in entries}
    assert known == arcs, set(known.items()) ^ set(arcs.items())
    assert cycles_of(ours) == cycles_of(theirs), (cycles_of(ours), cycles_of(theirs))
    return ours


def as_gprof(house):
    """What both runtimes leave of calls of every kind, and of two cycles, is read as gprof reads
    it."""
    for source in ("calls.c", "cycles.c"):
        program = house.compile(source, "-O2", "-fno-optimize-sibling-calls")
        for preload in (True, False):
            house.run(program, preload=preload)
            text = check_same(house, program, house.path("gmon.out"), exact=preload)
    assert len(cycles_of(text)) == 2, text


def formats(house):
    """The files of BSD give the same calls."""
    program = house.compile("cycles.c", "-O2", "-fno-optimize-sibling-calls")
    house.run(program)
    wanted = graph_of(profil(house, "gprof", "-b", program, "gmon.out"))
    for name in ("4.4bsd", "bsd"):
        house.run(program, PROFIL_GMON_FORMAT=name)
        assert graph_of(profil(house, "gprof", "-b", program, "gmon.out")) == wanted


def sums(house):
    """Several files are one, as for gprof."""
    program = house.compile("cycles.c", "-O2", "-fno-optimize-sibling-calls")
    for turn in range(3):
        house.run(program, clean=not turn, GMON_OUT_PREFIX="out.sum")
    files = [name for name in house.files() if re.fullmatch(r"out\.sum\.\d+", name)]
    assert len(files) == 3, files
    text = check_same(house, program, *(house.path(name) for name in files))
    assert dict(flat_of(text))["shared"].calls == 12000


def languages(house):
    """C++'s names as they are written, Fortran's and those of OpenMP's loops, which gprof drops."""
    program = house.compile("exceptions.cc", compiler="c++")
    house.run(program)
    check_same(house, program, house.path("gmon.out"))
    house.need("gfortran", "gfortran")
    program = house.compile("fortran.f90", "-O0", compiler="gfortran")
    house.run(program)
    shown = json.loads(profil(house, "gprof", "--json", program, "gmon.out"))
    calls = {row["name"].split(".")[0]: row["calls"] + row["self_calls"]
             for row in shown["functions"]}
    assert calls["add"] == 1000 and calls["fib"] == 1973, calls
    program = house.compile("openmp.c", "-fopenmp")
    house.run(program)
    shown = json.loads(profil(house, "gprof", "--json", program, "gmon.out"))
    names = [row["name"] for row in shown["functions"]]
    step = names.index("step")
    callers = {names[arc["caller"]]: arc["calls"] for arc in shown["arcs"]
               if arc["callee"] == step}
    assert sum(callers.values()) == 100000 and all("_omp_fn" in name for name in callers), callers


def libraries(house):
    """A library's file behind the program's is in one graph with it; under the program's name it is
    refused."""
    shared = house.compile("library.c", "-shared", "-fPIC", output="libspin.so")
    program = house.compile("loads.c", "-ldl")
    house.run(program, shared, 0.3)
    words = profil(house, "gprof", program, "gmon.out", "gmon.libspin.so.out", status=125)
    assert words == ("profil: gmon.libspin.so.out: is of libspin.so, not of loads: name that "
                     "library's file before it\n"), words
    shown = json.loads(profil(house, "gprof", "--json", program, "gmon.out", shared,
                              "gmon.libspin.so.out"))
    rows = {(row["name"], row["object"]): row for row in shown["functions"]}
    wanted = Gmon(house.path("gmon.libspin.so.out")).calls(symbols(shared)["work_step"])
    assert rows["work_step", "libspin.so"]["calls"] == wanted > 100, rows
    assert rows["main", "loads"]["calls"] == 1, rows
    ticks = sum(Gmon(house.path(name)).ticks() for name in ("gmon.out", "gmon.libspin.so.out"))
    assert shown["total"] == shown["identity"]["samples"] == ticks


def parts(house):
    """Each part, form and filter alone; what is wrong is one line, and nothing is printed."""
    program = house.compile("cycles.c", "-O2", "-fno-optimize-sibling-calls")
    house.run(program)
    assert "Call graph" not in profil(house, "gprof", "-p", program)
    assert "Flat profile" not in profil(house, "gprof", "-q", program)
    assert "divided by calls" in profil(house, "gprof", "-p", program)
    assert "divided by calls" not in profil(house, "gprof", "-pb", program)
    shown = flat_of(profil(house, "gprof", "-b", "--traditional", "-f", "^f", "-e", "h$", program))
    assert {name for name, _ in shown} == {"factorial"}, shown
    rows = profil(house, "gprof", "--csv", program).splitlines()
    assert rows[0].split(",")[:4] == ["function", "object", "path", "samples"], rows
    shared, = (row.split(",") for row in rows if row.startswith("shared,"))
    assert len(shared) == 12 and shared[7] == "4000", shared
    rows = profil(house, "gprof", "-q", "--csv", program).splitlines()
    assert any(row.startswith("main,cycles,shared,cycles,400,") for row in rows), rows
    rows = profil(house, "gprof", "--markdown", program).splitlines()
    assert any(re.fullmatch(r"\| .*\| 4,000 \| .* \| `shared` \| `cycles` \|", row) for row in rows)
    assert "| 400 | `main` | `shared` |" in rows, rows
    house.run(program, clean=False, PROFIL_HZ="4999", GMON_OUT_PREFIX="out.fast")
    fast, = (name for name in house.files() if re.fullmatch(r"out\.fast\.\d+", name))
    for words, says in (((program, "nowhere"), "nowhere: "), (("-f", "(", program), "--function '('"),
                        (("-e", "(", program), "--except '('"), (("--tea",), "--tea"),
                        ((program, "gmon.out", fast), "period"), ((), "profil.pb.gz: "),
                        ((program, program + ".c"), ".c: ")):
        told = profil(house, "gprof", *words, status=125)
        assert told.startswith("profil: ") and told.count("\n") == 1 and says in told, told


def doubts(house):
    """Runs in which the dearer caller has more and less calls contradict that all cost the same; what
    is divided among two callers is told with one run, too.  By chance alone the score of 5 is
    passed in less than one of a million runs; here it is tens."""
    program = house.compile("unequal.c", "-O2")
    for turn, calls in enumerate(((480000, 800), (96000, 9600))):
        house.run(program, *calls, clean=not turn, GMON_OUT_PREFIX="out.run")
    files = [name for name in house.files() if re.fullmatch(r"out\.run\.\d+", name)]
    text = profil(house, "gprof", program, *files)
    line, = re.findall(r"^work: .*$", text, re.MULTILINE)
    assert "divided among 2 callers" in line and "contradict" in line, line
    assert "contradict" not in profil(house, "gprof", program, files[0])
    assert "work: " in profil(house, "gprof", program, files[0])
    assert "work: " not in profil(house, "gprof", "--traditional", program, *files)


def profile(house):
    """With PROFIL_GMON_FORMAT=pprof one file has all objects' ticks, and callers of other files by
    name; pprof's ticks are profil's."""
    program = house.compile("cycles.c", "-O2", "-fno-optimize-sibling-calls", "-g")
    house.run(program)
    wanted = graph_of(profil(house, "gprof", "-b", "--traditional", program, "gmon.out"))[1]
    house.run(program, PROFIL_GMON_FORMAT="pprof")
    assert not house.files() and not house.stderr, (house.files(), house.stderr)
    shown = json.loads(profil(house, "report", "--calls", "--json"))
    names = [row["name"] for row in shown["functions"]]
    known = {(names[arc["caller"]], names[arc["callee"]]): arc["calls"] for arc in shown["arcs"]}
    own = {pair: count for pair, (count, _) in wanted.items()}
    assert {pair: known[pair] for pair in own} == own, (known, own)
    assert not any(row["unknown_calls"] for row in shown["functions"]), shown["functions"]
    assert shown["identity"]["holds"] and shown["facts"]["engine"], shown["facts"]
    text = profil(house, "report", "--calls")
    assert re.search(r"^ +3,600 +by fourth", text, re.MULTILINE), text
    assert "| 400 | `main` | `shared` |" in profil(house, "report", "--calls", "--markdown")
    done = subprocess.run([f"{house.build}/profil", "export", "--to", "gmon"], cwd=house.scratch,
                          capture_output=True, text=True, check=True)
    assert re.fullmatch(r"profil: gmon: .*of \d+ calls the caller, in another file, is left out\n",
                        done.stderr), done.stderr
    check_same(house, program, house.path("gmon.out"))
    house.need("go", "golang-go")
    profil(house, "export", "--to", "pprof", "-o", "named.pb.gz")
    plain = json.loads(profil(house, "report", "--json"))
    ticks = collections.Counter()
    for row in plain["rows"]:
        ticks[row["name"]] += row["samples"]
    found = top(house, "named.pb.gz", "samples")
    assert {name: found[name] for name in ticks} == dict(ticks), (found, ticks)
    assert sum(found.values()) == plain["total"]
    calls = top(house, "named.pb.gz", "calls")
    assert calls["shared"] == 4000 and sum(calls.values()) == shown["calls"], calls


def profile_of_libraries(house):
    """A library that is gone at the end has its ticks and calls, by name; a child its own file."""
    shared = house.compile("library.c", "-shared", "-fPIC", output="libspin.so")
    program = house.compile("loads.c", "-ldl")
    house.run(program, shared, 0.3, "close", PROFIL_GMON_FORMAT="pprof", PROFIL_DEBUG="1")
    fired = int(house.stderr.splitlines()[-1].split()[1])
    shown = json.loads(profil(house, "report", "--calls", "--json"))
    rows = {row["name"]: row for row in shown["functions"]}
    assert rows["work_step"]["object"] == "libspin.so" and rows["work_step"]["samples"] > 100, rows
    assert rows["spin_library"]["calls"] == 1 and rows["work_step"]["calls"] > 100, rows
    assert shown["identity"] == {"samples": fired, "counted": fired, "holds": True}, shown
    program = house.compile("ends.c")
    house.run(program, "fork", PROFIL_GMON_FORMAT="pprof")
    child, = (name for name in os.listdir(house.scratch)
              if re.fullmatch(r"profil\.\d+\.pb\.gz", name))
    for path, calls in (("profil.pb.gz", 10), (child, 7)):
        shown = json.loads(profil(house, "report", "--calls", "--json", path))
        assert next(row["calls"] for row in shown["functions"] if row["name"] == "one") == calls


def mon_out(house):
    """monitor(3)'s file, read back to the tick and the call, and written again as it was counted."""
    program = house.compile("monitor.c", "-no-pie", *house.link())
    _, work_calls, _ = house.run(program).split()
    with open(house.path("mon.out"), "rb") as source:
        data = source.read()
    low, _, slots = struct.unpack_from("=QQi", data)
    calls = sum(struct.unpack_from("=QQ", data, 24 + 16 * i)[1] for i in range(slots))
    cells = struct.unpack_from(f"={(len(data) - 24 - 16 * slots) // 2}H", data, 24 + 16 * slots)
    wanted = {low + 2 * i: ticks for i, ticks in enumerate(cells) if ticks}
    for turn in range(2):
        shown = json.loads(profil(house, "report", "--by", "address", "--json", "mon.out"))
        assert {row["address"]: row["samples"] for row in shown["rows"]} == wanted
        shown = json.loads(profil(house, "gprof", "--json", program, "mon.out"))
        rows = {row["name"]: row for row in shown["functions"]}
        assert shown["calls"] == calls and rows["work"]["calls"] == int(work_calls) > 0, rows
        assert rows["work"]["samples"] > 0.8 * sum(cells), rows
        if not turn:
            done = subprocess.run([f"{house.build}/profil", "export", "--to", "mon", "--program",
                                   program, "mon.out"], cwd=house.scratch, capture_output=True,
                                  text=True, check=True)
            assert done.stderr.count("\n") <= 1, done.stderr
    # The real gprof does not read it: it knows the format's name alone.
    done = subprocess.run(["gprof", "-Oprof", program, house.path("mon.out")], text=True,
                          capture_output=True, check=False)
    assert done.returncode and "not yet supported" in done.stderr, done
