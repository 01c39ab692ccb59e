# SPDX-License-Identifier: BSD-2-Clause
"""However a program ends, its files are whole, its own, and there."""

import os
import random
import signal
import subprocess
import time

from gmon import Gmon, symbols
from house import Skip


def calls(house, program, name="gmon.out"):
    return Gmon(house.path(name)).calls(symbols(program)["one"])


def check_whole(house):
    """The program's file is there, libraries' may be, and no half of one is."""
    found = house.files()
    assert "gmon.out" in found and not [name for name in found if name.startswith(".")], found


def ways(house):
    """By return, _exit, quick_exit and by hand; twice by hand is once."""
    program = house.compile("ends.c")
    for how, wanted in (((), 10), (("_exit",), 10), (("quick_exit",), 10), (("cleanup",), 10),
                        (("cleanup", "cleanup"), 10), (("vfork",), 10),
                        (("off", "one", "on", "one"), 11), (("cleanup", "again", "one"), 1),
                        (("thread",), 11), (("thread", "_exit"), 11)):
        house.run(program, *how)
        check_whole(house)
        assert calls(house, program) == wanted, (how, calls(house, program))


def fork(house):
    """A child has a file of its own, with what it did itself, so that the two add up."""
    program = house.compile("ends.c")
    for how in ((), ("_exit",)):
        house.run(program, "fork", *how)
        child, = (name for name in house.files() if name.startswith("gmon.out."))
        assert calls(house, program) == 10 and calls(house, program, child) == 7
    house.run(program, "fork", GMON_OUT_PREFIX="out.dir")
    found = [name for name in house.files() if name.startswith("out.dir.")]
    assert sorted(calls(house, program, name) for name in found) == [7, 10]


def fork_of_threads(house):
    """A child of one thread among many that call: nothing of theirs is in its file."""
    program = house.compile("fork-threads.c")
    parent = int(house.run(program))
    child, = (name for name in house.files() if name.startswith("gmon.out."))
    assert calls(house, program, child) == 7
    assert calls(house, program) == parent > 7


def crash(house):
    """With PROFIL_ON_CRASH=1 a signal that ends it leaves a file; the status stays its own."""
    program = house.compile("ends.c")
    for how, number in (("crash", signal.SIGSEGV), ("abort", signal.SIGABRT),
                        ("overflow", signal.SIGSEGV), ("term", signal.SIGTERM)):
        house.run(program, how, status=number)
        assert not house.files(), house.files()
        house.run(program, how, status=number, PROFIL_ON_CRASH="1")
        check_whole(house)
        assert calls(house, program) == 10


def killed_while_writing(house):
    """Killed at any time, the old file is whole or the new one is.  The file is 16 MiB; each try is
    killed at another moment of the time that a whole run takes, and there are as many as it takes
    to have met both, 40 at least.  After a signal that can be handled nothing is left beside it."""
    program = house.compile("large.c", "-no-pie")
    environment = {"PATH": os.environ["PATH"], "LD_PRELOAD": house.library, "PROFIL_HZ": "10",
                   "PROFIL_ON_CRASH": "1"}
    began = time.monotonic()
    house.run(program)
    took = time.monotonic() - began
    old = os.stat(house.path("gmon.out")).st_ino
    for number in (signal.SIGKILL, signal.SIGTERM):
        tries = replaced = kept = unfinished = 0
        while tries < 40 or not (replaced and kept):
            tries += 1
            assert tries < 1000, (replaced, kept)
            with subprocess.Popen([program], cwd=house.scratch, env=environment) as process:
                try:
                    process.wait(random.uniform(0, 1.2 * took))
                except subprocess.TimeoutExpired:
                    process.send_signal(number)
            now = os.stat(house.path("gmon.out"))
            replaced += now.st_ino != old
            kept += now.st_ino == old or number == signal.SIGTERM
            old = now.st_ino
            assert now.st_size > 16 << 20, now
            assert calls(house, program) == 10
            for name in house.files():
                if name.startswith(".gmon"):
                    unfinished += 1
                    os.unlink(house.path(name))
        print(f"signal {number}: {tries} tries, {replaced} replaced, {unfinished} unfinished")
        assert not unfinished or number == signal.SIGKILL


def no_room(house):
    """Where it may not write, or not so much, there is one line, the old file, and nothing beside
    it."""
    program = house.compile("ends.c")
    house.run(program, GMON_OUT_PREFIX="/nowhere/out")
    assert house.stderr.startswith("profil: /nowhere/out.") and house.stderr.endswith(
        ": No such file or directory: run it where it may write, or set GMON_OUT_PREFIX\n")
    assert house.stderr.count("\n") == 1 and not house.files()
    house.run(program)
    old = os.stat(house.path("gmon.out")).st_ino
    house.run("/bin/sh", "-c", f"ulimit -f 0; trap '' XFSZ; LD_PRELOAD={house.library} "
              f"exec {program} 2>&1 | head -n 1", preload=False, clean=False)
    assert house.files() == ["gmon.out"] and os.stat(house.path("gmon.out")).st_ino == old


def symbolic_link(house):
    """A link in the file's place is replaced, not followed."""
    program = house.compile("ends.c")
    house.run(program)
    os.rename(house.path("gmon.out"), house.path("other"))
    os.symlink("other", house.path("gmon.out"))
    before = os.stat(house.path("other"))
    house.run(program, "fork", clean=False)
    assert not os.path.islink(house.path("gmon.out"))
    assert os.stat(house.path("other")).st_mtime_ns == before.st_mtime_ns


def setuid(house):
    """A program that is set-user-ID root writes nothing for who runs it."""
    if os.geteuid():
        raise Skip("only root makes a program set-user-ID root: run as root")
    program = house.compile("ends.c", "-static", f"{house.build}/gcrt0.o")
    os.chmod(house.scratch, 0o777)
    os.chmod(program, 0o4755)
    house.run(program, preload=False)
    check_whole(house)
    nobody = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
    house.run(program, preload=False, under=nobody)
    assert not house.files(), house.files()
    os.chmod(program, 0o755)
    house.run(program, preload=False, under=nobody)
    check_whole(house)
