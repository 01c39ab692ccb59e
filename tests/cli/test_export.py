# SPDX-License-Identifier: BSD-2-Clause
"""Profiles in other programs' formats: what is exported is what those programs make of it, to the
tick, and what they have written is shown."""

import os
import re

from command import check_error, check_files, expect, need_program, profil, report, run, target
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
    """A format that is missing or not known, two files, no file: one line, and nothing is written."""
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
