# SPDX-License-Identifier: BSD-2-Clause
"""Calls are counted exactly, in every kind of program and whatever interrupts them."""

import os
import re
import subprocess

from gmon import Gmon, flat, gprof, symbols


def as_glibc(house):
    """One thread: every arc of glibc's own runtime has the same count, and so has every function in
    what gprof prints."""
    for options in (("-O0",), ("-O1",), ("-O2",), ("-O3",), ("-O2", "-no-pie"),
                    ("-O2", "-flto"), ("-O2", "-mfentry"), ("-O2", "-mfentry", "-no-pie")):
        program = house.compile("calls.c", *options)
        house.run(program, preload=False)
        theirs, wanted = Gmon(house.path("gmon.out")), flat(program, house.path("gmon.out"))
        house.run(program)
        ours = Gmon(house.path("gmon.out"))
        assert theirs.known_arcs(0) == ours.known_arcs(1), (options, theirs.arcs, ours.arcs)
        assert len(theirs.arcs) > 8 and sum(theirs.arcs.values()) > 20000, theirs.arcs
        have = flat(program, house.path("gmon.out"))
        assert {name: row[1] for name, row in have.items()} == \
            {name: row[1] for name, row in wanted.items()}, (options, have, wanted)


def spontaneous(house):
    """Calls out of a library without -pg are in the file; gprof prints the function as it does with
    glibc's, which leaves them out."""
    program = house.compile("calls.c")
    house.run(program)
    known = symbols(program)
    ours = Gmon(house.path("gmon.out"))
    arcs = [count for (caller, callee), count in ours.arcs.items() if caller == 0 and
            known["compare"][0] <= callee < sum(known["compare"])]
    assert len(arcs) == 1 and 4 <= arcs[0] <= 10, ours.arcs


def links(house):
    """Linked in any of the ways that the manual page names, it counts as when preloaded."""
    house.run(house.compile("calls.c"))
    wanted = flat(house.path("calls"), house.path("gmon.out"))
    gcrt0 = f"{house.build}/gcrt0.o"
    static = ("-L" + house.build, "-lprofil-gmon")
    for options in (house.link(), ("-static", gcrt0), ("-static", *static),
                    ("-static-pie", "-fPIE", gcrt0), ("-static", "-mfentry", gcrt0),
                    ("-static", "-flto", gcrt0), (gcrt0,)):
        program = house.compile("calls.c", *options)
        house.run(program, preload=False)
        have = flat(program, house.path("gmon.out"))
        for name in wanted:
            assert have[name][1] == wanted[name][1], (options, name, have, wanted)


def link_without_pg(house):
    """The start-up file that -pg links calls nobody: the library begins by itself."""
    source = house.compile("calls.c", "-c", output="calls.o")
    for options in (house.link(), ("-static", f"{house.build}/gcrt0.o")):
        program = house.path("calls")
        subprocess.run(["cc", source, *options, "-o", program], check=True)
        house.run(program, preload=False)
        assert flat(program, house.path("gmon.out"))["leaf"][1] == 13000


def not_ours(house):
    """A program without -pg, preloaded by the way, leaves nothing."""
    house.run("/bin/true")
    assert not house.files()


def race(house):
    """Eight threads at once lose no call, and gprof reads it."""
    program = house.compile("threads.c")
    house.run(program, 8, 1000000)
    have = flat(program, house.path("gmon.out"))
    assert have["one"][1] == 16000000 and have["two"][1] == 8000000, have


def many_threads(house):
    """100,000 threads, no more memory after them than after a tenth, and no call lost."""
    program = house.compile("many-threads.c")
    early, late = map(int, house.run(program, 100000).split())
    assert late - early < 1024, (early, late)
    assert Gmon(house.path("gmon.out")).calls(symbols(program)["one"]) == 100000


def many_arcs(house):
    """100,000 arcs: more than glibc's table would hold, all exact."""
    functions, callers = 400, 250
    with open(house.path("many.c"), "w", encoding="ascii") as out:
        for i in range(functions):
            print(f"__attribute__((noinline)) void f{i}(void) {{ __asm__ volatile(\"\"); }}",
                  file=out)
        for j in range(callers):
            calls = "".join(f"f{i}();" for i in range(functions))
            print(f"__attribute__((noinline)) void c{j}(void) {{ {calls}"
                  "__asm__ volatile(\"\"); }", file=out)
        calls = "".join(f"c{j}();" for j in range(callers))
        print(f"int main(void) {{ for (int i = 0; i < 3; i++) {{ {calls} }} return 0; }}",
              file=out)
    program = house.compile("many.c", source=house.path("many.c"))
    house.run(program)
    known, ours = symbols(program), Gmon(house.path("gmon.out"))
    into = [count for (caller, _), count in ours.arcs.items() if caller]
    assert into == [3] * (functions * callers + callers), (len(into), set(into))
    for name in ("f0", "f399"):
        assert ours.calls(known[name]) == 3 * callers
    assert len(gprof(program, house.path("gmon.out"), options=("-p",)).splitlines()) > functions


def interrupted(house):
    """A signal at any instruction, whose handler makes the same calls."""
    program = house.compile("interrupted.c")
    calls = int(house.run(program))
    ours, known = Gmon(house.path("gmon.out")), symbols(program)
    assert calls > 20000000, "no signal came"
    for name in ("call", "hit"):
        assert ours.calls(known[name]) == calls, (name, ours.calls(known[name]), calls)


def jumps(house):
    program = house.compile("jumps.c")
    handled = int(house.run(program))
    ours, known = Gmon(house.path("gmon.out")), symbols(program)
    assert ours.calls(known["in_handler"]) == handled
    assert ours.calls(known["interrupted"]) > 0


def languages(house):
    """Fortran, C++ with exceptions, OpenMP, read by gprof without a word."""
    house.need("gfortran", "gfortran")
    program = house.compile("exceptions.cc", compiler="c++")
    house.run(program)
    have = flat(program, house.path("gmon.out"))
    for name in ("thrower(int)", "catcher(int)", "guard::~guard()"):
        assert have[name][1] == 1000, have
    program = house.compile("fortran.f90", "-O0", compiler="gfortran")
    house.run(program)
    ours, known = Gmon(house.path("gmon.out")), symbols(program)
    called = {name.split(".")[0]: ours.calls(known[name]) for name in known}
    assert called["add"] == 1000 and called["fib"] == 1973, called
    program = house.compile("openmp.c", "-fopenmp")
    house.run(program)
    # gprof knows no function with a dot in its name, as those of a loop are, and drops its calls.
    assert Gmon(house.path("gmon.out")).calls(symbols(program)["step"]) == 100000
    gprof(program, house.path("gmon.out"))


def sanitizer(house):
    """With the address sanitizer, which wants to come first and then does."""
    program = house.compile("calls.c", "-fsanitize=address", *house.link())
    house.run(program, preload=False)
    assert flat(program, house.path("gmon.out"))["leaf"][1] == 13000


def formats(house):
    """Each format says the same to gprof."""
    program = house.compile("calls.c")
    house.run(program)
    wanted = flat(program, house.path("gmon.out"))
    for name, option in (("4.4bsd", "-O4.4bsd"), ("bsd", "-Obsd"), ("gnu", "-Omagic")):
        house.run(program, PROFIL_GMON_FORMAT=name)
        have = flat(program, house.path("gmon.out"), options=(option,))
        assert {name: row[1] for name, row in have.items()} == \
            {name: row[1] for name, row in wanted.items()}, (name, have)
    house.run(program, PROFIL_GMON_FORMAT="prof")
    assert house.stderr == ("profil: PROFIL_GMON_FORMAT: there is no such format, gnu is written: "
                            "take gnu, 4.4bsd, bsd or pprof\n"), house.stderr
    assert flat(program, house.path("gmon.out"))["leaf"] == wanted["leaf"]


def exports(house):
    """What the map lists and nothing else is to be seen, of gcrt0.o too; the C library is all that
    is asked for."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "../../src/gmon/libprofil-gmon.map"), encoding="ascii") as source:
        listed = set(re.findall(r"^\t(\w+);$", source.read(), re.MULTILINE))
    for options, path, missing in ((("-D",), house.library, set()),
                                   (("-g",), f"{house.build}/gcrt0.o", {"dlclose"})):
        text = subprocess.run(["nm", *options, "--defined-only", path], capture_output=True,
                              text=True, check=True).stdout
        have = {line.split()[2] for line in text.splitlines()}
        assert have == listed - missing, have ^ listed
    text = subprocess.run(["readelf", "-d", house.library], capture_output=True, text=True,
                          check=True).stdout
    assert set(re.findall(r"NEEDED.*\[(.*)\]", text)) <= {"libc.so.6", "ld-linux-x86-64.so.2",
                                                         "ld-linux-aarch64.so.1"}, text
    assert "TEXTREL" not in text and "[libprofil-gmon.so.0]" in text
