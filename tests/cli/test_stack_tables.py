# SPDX-License-Identifier: BSD-2-Clause
"""Unwind tables of files: where they come from."""

import os
import platform
import shutil

from command import NOBODY, PROFIL, Skip, expect, need_counting, need_program, need_root, report, run

DEBIANS = "/usr/bin/python3"  # not what somebody's PATH has before it
CALLS = "def f(n): return f(n - 1) + n if n else 0\nfor i in range(40000): f(30)"


def take(engine, cache, **others):
    """The account of stacks of a program, with the cache in the folder CACHE; None: nobody says where."""
    need_program(DEBIANS)
    if platform.machine() != "x86_64":
        raise Skip("unwind tables are read on x86-64")
    env = {name: value for name, value in os.environ.items()
           if name not in ("HOME", "XDG_CACHE_HOME")} | others
    if cache:
        env["XDG_CACHE_HOME"] = cache
    command = (DEBIANS, "-I", "-S", "-c", CALLS)  # nothing that this machine's sites import
    done = run(PROFIL, "run", "-g", "-q", "--no-report", "--engine", engine, *command, env=env)
    expect(done.status == 0, done.stderr)
    stacks = report("profil.pb.gz")["stacks"]
    expect(stacks["whole"] > 20 and "no table" not in stacks, f"{engine}: {stacks}")
    return stacks


def table_of(folder, program):
    """What the cache in FOLDER has of PROGRAM: its path and what stat says of it."""
    status = os.stat(program)
    path = f"{folder}/profil/unwind-{status.st_dev:x}-{status.st_ino:x}"
    return path, os.stat(path)


def case_cache():
    """A large program's table is kept, and taken from there; a damaged one is made again."""
    need_counting()
    for engine in ("kernel", "perf"):
        os.mkdir(engine)
        cache = os.path.abspath(engine)
        take(engine, cache)
        path, first = table_of(cache, DEBIANS)
        expect(first.st_mode & 0o777 == 0o600, oct(first.st_mode))
        take(engine, cache)
        _, second = table_of(cache, DEBIANS)
        expect((first.st_ino, first.st_ctime_ns < second.st_ctime_ns) == (second.st_ino, True),
               "it was not used, or written again")
        with open(path, "r+b") as file:
            file.seek(first.st_size // 2)
            byte = file.read(1)[0]
            file.seek(first.st_size // 2)
            file.write(bytes([byte ^ 1]))
        take(engine, cache)
        _, third = table_of(cache, DEBIANS)
        expect(third.st_ino != first.st_ino and third.st_size == first.st_size, "the damaged one stays")
        expect(all(name.startswith("unwind-") for name in os.listdir(f"{cache}/profil")), "left over")


def case_no_cache():
    """Without a place of the user's own it works the same, and nothing is written anywhere."""
    need_counting()
    need_root()
    os.mkdir("home")
    os.chown("home", NOBODY, NOBODY)
    for engine in ("kernel", "perf"):
        take(engine, None)
        take(engine, None, HOME="/nowhere")
        take(engine, None, HOME=os.path.abspath("home"))
        take(engine, os.path.abspath("home"))
        take(engine, "/proc")
    expect(not os.listdir("home"), os.listdir("home"))


def case_later():
    """The table of a program that is run later is there before its first sample, most often: it has waited until
    then."""
    need_counting()
    if platform.machine() != "x86_64":
        raise Skip("unwind tables are read on x86-64")
    programs = [shutil.copy("/bin/dash", f"later-{number}") for number in range(10)]
    works = "read go; i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done"
    done = run(PROFIL, "run", "-g", "-q", "--no-report", "--engine", "kernel", "sh", "-c",
               "for program; do (sleep 0.2; echo) | ./$program -c \"$0\"; done", works, *programs)
    expect(done.status == 0, done.stderr)
    stacks = report("profil.pb.gz")["stacks"]
    expect(stacks["whole"] > 100 and stacks.get("no table", 0) < len(programs) / 2, f"{stacks}")
