# SPDX-License-Identifier: BSD-2-Clause
"""Call stacks in other programs' formats: they are there whole, and are the ones that reports show."""

import json
import os
import shutil
import struct

import firefox
from command import expect, report
from exported import export, write_file
from golden import DATA


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
