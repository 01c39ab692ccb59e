# SPDX-License-Identifier: BSD-2-Clause
"""Programs whose profile is known beforehand, because they measure themselves (tests/targets): by
every engine, as root and as nobody, who is granted no more than everybody is.  What an engine may
deviate by is in engines.py, what is special to one in test_kernel.py, test_perf.py and
test_timer.py.  `make check` has each engine for its usual user, check-long for the others."""

import os
import shutil

from command import IS_LONG, expect, long, target
from engines import EVERY, KERNEL, PLAIN, brought, now, outside
from engines import for_each as for_each_of
from limits import check_between, check_least
from maps import remove_maps_with
from measure import FAST, check_split, check_ticks, check_truth, expect_class, highest_rate
from test_stacks import read_frames

DEFAULT_RATE = ()

BOTH = True

# What the kernel engine does at the ends is in test_accounting.py.
TASK_CLOCKS = [way for way in PLAIN if way.engine is not KERNEL]


def for_each(check, ways=PLAIN):
    for_each_of(check, now(ways))


def copy_library(*names):
    for name in names:
        shutil.copy(target("libspin.so"), name)
    return [os.path.abspath(name) for name in names]


def object_rows(measurement):
    return measurement.by("object")["rows"]


def split_case(name, threads=1, ways=PLAIN):
    def check(way):
        measurement = way.take(brought(name))
        check_split(measurement)
        expect_class(measurement, "program", 0.95)
        measurement.check_sum(threads)
    for_each(check, ways)


def case_one_thread():
    """Two functions that spin 3:1 in one thread get 3:1, and all ticks that are due."""
    split_case("split", ways=EVERY)


def case_threads():
    """Three threads in one function and one in another, at the same time, get 3:1."""
    split_case("split-threads", threads=5, ways=EVERY)


def case_first_thread_ends():
    """A program whose first thread has ended and whose second goes on gets 3:1, by name."""
    split_case("first-thread-ends", threads=2, ways=EVERY)


def case_forked_children():
    """Forked children and a grandchild, at the same time, get 3:1; all are counted as tasks."""
    def check(way):
        measurement = way.take(brought("split-fork"))
        check_split(measurement)
        measurement.check_sum(threads=6)
        expect(measurement.facts["tasks"] == 6, measurement.facts["tasks"])
        expect(measurement.facts["not_followed"] == 0, "a child was not followed")
    for_each(check, EVERY)


def case_children_apart():
    """With --by-process each forked child is a row of its own."""
    def check(way):
        measurement = way.take(brought("split-fork"), options=(*FAST, "--by-process"))
        rows = [row for row in measurement.by("process")["rows"]
                if row["pid"] and row["samples"] > 100]
        check_between("busy processes", len({row["pid"] for row in rows}), 5, 5)
        check_split(measurement)
    for_each(check)


def case_threads_apart():
    """With --by-thread each thread is a row of its own, called as it calls itself."""
    def check(way):
        measurement = way.take(brought("split-threads"), options=(*FAST, "--by-thread"))
        rows = [row for row in measurement.by("thread")["rows"] if "three" in row["name"]]
        expect(len(rows) == 3, f"not three threads called three: {rows}")
        expect(len({row["tid"] for row in rows}) == 3, f"threads with one number: {rows}")
        check_split(measurement)
    for_each(check)


def case_loaded_library():
    """A library that is loaded by hand and unloaded before the end keeps its functions' names."""
    def check(way):
        measurement = way.take(brought("split-dlopen"), *copy_library("loaded.so"))
        check_split(measurement)
        expect_class(measurement, "libraries", 0.95)
    for_each(check)


def case_two_copies():
    """Two copies of one library, alike to the build-id, loaded at once, are told apart by path."""
    def check(way):
        measurement = way.take(brought("two-copies"), *copy_library("three.so", "one.so"))
        check_split(measurement, "three.so", "one.so", "object", object_rows(measurement))
    for_each(check)


def case_same_address():
    """Two libraries that take turns at one address are each charged their own ticks."""
    def check(way):
        for turns in way.engine.turns:
            measurement = way.take(brought("remap"), *copy_library("three.so", "one.so"),
                                   str(turns))
            check_split(measurement, "three.so", "one.so", "object", object_rows(measurement))
    for_each(check)


def case_static():
    """A static program is profiled like any other, from outside."""
    split_case("split-static", ways=outside(PLAIN))


def case_32_bits():
    """A 32-bit program is profiled like any other, from outside."""
    split_case("split-32", ways=outside(PLAIN))


def case_32_bits_static():
    """A static 32-bit program is profiled like any other, from outside."""
    split_case("split-32-static", ways=outside(PLAIN))


def case_made_at_run_time():
    """Code made at run time gets its names from /tmp/perf-PID.map."""
    def check(way):
        try:
            measurement = way.take(brought("jit"))
            check_split(measurement, "jit_three", "jit_one")
            expect_class(measurement, "anonymous", 0.95)
        finally:
            remove_maps_with("jit_three")
    for_each(check)


def rows_of_code(measurement):
    """Rows of code made at run time; of exec-jit's first program none has a name, for the map is the
    second's, and there the rows get that of their function."""
    def named(row):
        name = row["name"]
        if "exec 1" in row["object"]:
            expect(not name.startswith("[anon]"), f"without a name: {row}")
            return name
        expect(name.startswith("[anon]+0x"), f"another program's name: {row}")
        return "jit_first" if int(row["name"][7:], 16) & 0x400 == 0 else "jit_first_calls"
    return [{**row, "name": named(row)} if row["class"] == "anonymous" else row
            for row in measurement.report["rows"]]


def check_stacks_of_code(measurement):
    """What is called by a function of the one program is not in the code of the other."""
    seen = set()
    for frames, _, _ in read_frames(measurement.path):
        callers = {name for _, name, *_ in frames if name in ("run_first", "run_second")}
        for mapping, *_ in frames:
            if mapping.startswith("[anon]") and callers:
                seen.add((*callers, "exec 1" in mapping))
    expect(seen == {("run_first", False), ("run_second", True)}, f"{seen}")


def case_made_and_executed():
    """What a process makes at one address in two programs, executed one after the other, is not one
    code: each has its own ticks, callers and names."""
    stacks = ("-g",) if os.uname().machine == "x86_64" else ()
    kinds = [("--flat", "--by-process"), (*stacks, "--by-thread")]
    if IS_LONG:
        kinds += [("--flat",), stacks]

    def check(way):
        for options in kinds:
            try:
                measurement = way.take(brought("exec-jit"), options=(*FAST, *options))
                check_truth(measurement, rows=rows_of_code(measurement))
                if "-g" in options:
                    check_stacks_of_code(measurement)
            finally:
                remove_maps_with("jit_second")
    for_each(check)


def case_rebuilt():
    """Three builds that ran at one path, renamed over it and written in place, are three files:
    only the one that still stands there has names, and no tick gets another build's."""
    def check(way):
        builds = [brought(f"rebuilt-{build}_build") for build in ("first", "second", "third")]
        measurement = way.take("sh", "-ec", """
            cp "$1" program; ./program
            cp "$2" other; mv other program; ./program
            cat "$3" >program; ./program""", "sh", *builds)
        ticks, truth = measurement.ticks("name"), measurement.truth
        expect(len(truth.seconds) == 3, f"not three builds: {truth.seconds}")
        check_ticks(measurement, "third_build", ticks.get("third_build", 0))
        expect("first_build" not in ticks and "second_build" not in ticks, "names of files gone")
        gone = sum(row["samples"] for row in measurement.report["rows"]
                   if row["name"].startswith("program+0x"))
        seconds, runs = (of["first_build"] + of["second_build"]
                         for of in (truth.seconds, truth.runs))
        # As check_ticks() would have it for each.
        check_between("ticks of builds long gone", gone, *measurement.between(seconds, runs))
    for_each(check)


def case_exec_chain():
    """A process that executes one program after the other, with a thread running, keeps all of
    their ticks, each under its own name."""
    def check(way):
        measurement = way.take(brought("exec-chain"), brought("split"))
        check_truth(measurement)
        ticks = measurement.ticks("object", object_rows(measurement))
        expect(ticks["exec-chain"] and ticks["split"], f"objects: {ticks}")
        expect_class(measurement, "program", 0.9)  # what was executed later is a program too
    for_each(check)


def case_short_threads():
    """600 threads of 2 ms, most of them shorter than two periods: one clock a CPU loses nothing;
    what is lost with each thread's own is told."""
    def check(way):
        measurement = way.take(brought("short-threads"), options=DEFAULT_RATE)
        measurement.check_short_lives(late=False)
        if way.engine.outside:
            expect(measurement.facts["tasks"] == 601,
                   f"{way}: {measurement.facts}: {measurement.report['notes']}")
    for_each(check)


def case_short_processes():
    """300 processes of 2 ms, started by vfork and posix_spawn in turn: the same."""
    def check(way):
        measurement = way.take(brought("short-processes"), options=DEFAULT_RATE)
        measurement.check_short_lives(late=True)
        expect(measurement.facts["tasks"] == 301,
               f"{way}: {measurement.facts}: {measurement.report['notes']}")
    for_each(check)


@long
def case_ten_thousand_forks():
    """10,000 forks are all followed, and the identity holds; from outside, for what lives 20 us is
    gone before it is looked for."""
    def check(way):
        measurement = way.take(brought("many-forks"), options=DEFAULT_RATE)
        expect(measurement.facts["not_followed"] == 0, "a child was not followed")
        expect(measurement.facts["tasks"] == 10001, f"tasks: {measurement.facts['tasks']}")
    for_each(check, outside(PLAIN))


def case_closed_descriptors():
    """A child that closes every descriptor and leaves the session is still measured."""
    for_each(lambda way: check_truth(way.take(brought("closes-descriptors"))), EVERY)


def case_full_table():
    """--cells 64 on 16,384 hot instructions: the rest is the file's overflow; nothing is lost."""
    def check(way):
        measurement = way.take(brought("many-addresses"), options=(*FAST, "--cells", "64"))
        overflow = sum(row["samples"] for row in measurement.report["rows"]
                       if "[overflow]" in row["name"])
        check_least("ticks of overflow", overflow, way.engine.overflow * measurement.in_user_mode)
    for_each(check, TASK_CLOCKS)


def case_highest_rate():
    """At the highest rate, where rings fill and the kernel slows clocks down, each tick has a reason."""
    rate = highest_rate()

    def check(way):
        measurement = way.take(brought("split"), "0.3", options=("-F", rate))
        measurement.check_sum(threads=1)
    for_each(check, TASK_CLOCKS)
