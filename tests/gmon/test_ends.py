# SPDX-License-Identifier: BSD-2-Clause
"""However a program ends, its files are whole, its own, and there."""

import collections
import json
import os
import random
import signal
import subprocess
import time

from gmon import Gmon, symbols
from house import Skip, expect_ticks
from said import profil, top


# The ways of a program's end: arguments of ends.c, its status, whether anybody still counts then.
RETURN, LAST = ((), 0, False), (("_exit",), 0, True)
WAYS = (RETURN, LAST, (("exit",), 0, False), (("quick_exit",), 0, False),
        (("thread", "_exit"), 0, True), (("abort",), signal.SIGABRT, True),
        (("crash",), signal.SIGSEGV, True), (("overflow",), signal.SIGSEGV, True),
        (("term",), signal.SIGTERM, True))


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


def last_thread(house):
    """Where main() leaves by pthread_exit(3) the process ends with the last of its own threads, and
    no thread of ours keeps it.  One that hung would take no other signal either."""
    killed = ("timeout", "-s", "KILL", "30")
    program = house.compile("ends.c")
    for engine in ("perf", "timer"):
        house.run(program, "last", under=killed, PROFIL_ENGINE=engine)
        check_whole(house)
        assert calls(house, program) == 11
    for kind in ("-static", "-static-pie"):
        program = house.compile("ends.c", kind, f"{house.build}/gcrt0.o", output="ends" + kind)
        house.run(program, "last", preload=False, under=killed)
        check_whole(house)
        assert calls(house, program) == 11


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


def in_a_fork(house):
    """A program that ends while another thread is on its way into fork(2) ends as it does without the
    runtime: its handlers are still there when that thread gets to them."""
    slow = house.compile("exits.c", "-shared", "-fPIC", "-DLIBRARY", output="libslow.so")
    house.run(house.compile("exits.c", slow))
    assert not house.stderr, house.stderr


def daemon(house):
    """What was counted before daemon(3) is in the parent's file, what its child counts in its own."""
    def check(program, **options):
        house.run(program, "daemon", **options)  # to the end of the child, which has our pipe
        child, = (name for name in house.files() if name.startswith("gmon.out."))
        assert calls(house, program) == 10 and calls(house, program, child) == 7
    check(house.compile("ends.c"))
    check(house.compile("ends.c", "-static", f"{house.build}/gcrt0.o", output="ends-static"),
          preload=False)


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
                        ("overflow", signal.SIGSEGV), ("term", signal.SIGTERM),
                        ("pipe", signal.SIGPIPE), ("alarm", signal.SIGALRM),
                        ("trap", signal.SIGTRAP), ("user", signal.SIGUSR1),
                        ("size", signal.SIGXFSZ)):
        house.run(program, how, status=number)
        assert not house.files(), house.files()
        house.run(program, how, status=number, PROFIL_ON_CRASH="1")
        check_whole(house)
        assert calls(house, program) == 10


def check_profile(house, name, wanted, partial):
    """It is gzip's to the last byte, profil believes its facts, and both readers find the calls."""
    subprocess.run(["gzip", "-t", house.path(name)], check=True)
    shown = json.loads(profil(house, "report", "--calls", "--json", name))
    assert shown["identity"]["holds"] and shown["facts"]["engine"], shown
    assert shown["facts"]["partial"] == partial, shown["facts"]
    ours = collections.Counter({row["name"]: row["calls"] for row in shown["functions"]})
    profil(house, "export", "--to", "pprof", "-o", "named.pb.gz", name)
    for found in ours, top(house, "named.pb.gz", "calls"):
        found.pop("overflow", None)  # by itself, as often as the stack has room
        assert found == collections.Counter(wanted), (name, found)
    os.unlink(house.path("named.pb.gz"))


def profiles(house):
    return sorted(name for name in os.listdir(house.scratch) if name.endswith(".pb.gz"))


def check_profiles(house, program, **options):
    """Whichever way it ends there is a profile, whole, and nothing beside it; and of a child one."""
    wish = {"PROFIL_GMON_FORMAT": "pprof", "PROFIL_ON_CRASH": "1", **options}
    for how, status, partial in WAYS:
        house.run(program, *how, status=status, **wish)
        wanted = {"main": 1, "one": 10}
        if "thread" in how:
            wanted.update(one=11, sleep_on=1)
        assert not house.stderr and not house.files(), (how, house.stderr, house.files())
        assert profiles(house) == ["profil.pb.gz"], how
        check_profile(house, "profil.pb.gz", wanted, partial)
        os.unlink(house.path("profil.pb.gz"))
    for how, _, partial in (RETURN, LAST):
        house.run(program, "fork", *how, **wish)
        child, parent = profiles(house)
        check_profile(house, parent, {"main": 1, "one": 10}, partial)
        check_profile(house, child, {"one": 7}, partial)
        os.unlink(house.path(child))
        os.unlink(house.path(parent))


def profile(house):
    """PROFIL_GMON_FORMAT=pprof at each end, preloaded, static and static-PIE."""
    house.need("go", "golang-go")
    check_profiles(house, house.compile("ends.c"))
    for kind in ("-static", "-static-pie"):
        program = house.compile("ends.c", kind, f"{house.build}/gcrt0.o", output="ends" + kind)
        check_profiles(house, program, preload=False)


def profile_sandbox(house):
    """Where a process would be killed for starting another one, it still leaves its profile."""
    house.need("go", "golang-go")
    house.run(house.compile("sandbox.c"), status=signal.SIGABRT, PROFIL_GMON_FORMAT="pprof",
              PROFIL_ON_CRASH="1")
    assert not house.stderr and profiles(house) == ["profil.pb.gz"], house.stderr
    check_profile(house, "profil.pb.gz", {"main": 1, "one": 10}, True)


def profile_ticks(house):
    """Half a second of CPU time, most of it in no object's text: by exit(3) all ticks are there; by
    _exit(2) and a signal those are missing that had not been looked at yet, in the cells (20 ms
    late) and outside (20 ms more).  Ticks and CPU time are of the same clock, so that nothing is
    left to chance but the first tick and interrupts that are late: 3 % and 2 ticks; and what the host took.  A thread that
    looks waits for a processor where others want them all: hence a fifth, not 40 ms."""
    program = house.compile("ends.c")
    for how, status, missing in (((), 0, 0), (("_exit",), 0, 0.2),
                                 (("crash",), signal.SIGSEGV, 0.2)):
        for engine in ("perf", "timer"):
            house.run(program, "spin", *how, status=status, PROFIL_ON_CRASH="1",
                      PROFIL_GMON_FORMAT="pprof", PROFIL_ENGINE=engine)
            assert not house.stderr, house.stderr
            shown = json.loads(profil(house, "report", "--json"))
            due, fired = shown["facts"]["cpu_ns"] * 997e-9, shown["identity"]["samples"]
            stolen = house.stolen() * 997
            print(how, engine, fired, "of", due, "and", stolen)
            assert shown["identity"]["holds"] and due > 490, shown["facts"]
            expect_ticks((0.97 - missing) * due - 2 - stolen <= fired <= 1.03 * due + 2 + stolen,
                         (how, engine, fired, due, stolen))


def killed_while_writing(house):
    """Killed at any time, the old file is whole or the new one is.  The file is 16 MiB; each try is
    killed at another moment of the time that a whole run takes, and there are as many as it takes
    to have met both, 40 at least.  After a signal that can be handled nothing is left beside it, and
    the new file has the calls that were made by then."""
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
            made = calls(house, program)
            assert made == 10 or (number == signal.SIGTERM and 0 <= made < 10), made
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
