# SPDX-License-Identifier: BSD-2-Clause
"""The engines, each with the least that it needs: what a case does with one it does with all.

A new engine is one more row of ENGINES."""

import os
import shutil

from command import PROFIL, Skip, expect, need_program, need_root, run, target
from measure import FAST, UNDISTURBED_TRIES, check_identity
from test_perf import Seen, paranoid
from test_privilege import AS_NOBODY

LENDS = "cap_bpf,cap_perfmon+ep"


class Broken(Exception):
    """A promise that holds each time does not: no disturbance of the machine excuses it."""


def promise(condition, what):
    if not condition:
        raise Broken(what)


def lend(file, what=LENDS):
    """Give FILE capabilities that take effect, or skip."""
    need_root()
    need_program("setcap", "setpriv")
    done = run("setcap", what, file)
    if done.status:
        raise Skip(f"setcap: {done.words.strip()}: this file system keeps no capabilities")
    if os.statvfs(file).f_flag & os.ST_NOSUID:
        raise Skip("this file system is mounted nosuid: capabilities of files take no effect")
    with open("/proc/self/status") as status:
        if "NoNewPrivs:\t1\n" in status.read():
            raise Skip("no_new_privs is set: capabilities of files take no effect")


def need_nothing():
    pass


def need_perf_events():
    if paranoid() > 2:
        raise Skip(f"perf_event_paranoid is {paranoid()}: nobody may open perf events")


class Engine:
    def __init__(self, name, lent, need):
        self.name = name
        self.lent = lent  # counts for nobody where profil's file has capabilities
        self.need = need


ENGINES = (
    Engine("kernel", lent=True, need=need_nothing),
    Engine("perf", lent=False, need=need_perf_events),
)


def bring(engine):
    """A profil in the case's directory with which nobody can count by ENGINE."""
    need_root()
    need_program("setpriv")
    engine.need()
    os.chmod(".", 0o777)
    if os.path.exists("profil"):
        os.unlink("profil")
    shutil.copy(PROFIL, "profil")
    if engine.lent:
        lend("profil")


def brought(name):
    if not os.path.exists(name):
        shutil.copy(target(name), name)
    return "./" + name


def measure_by(engine, *command, options=FAST, status=0, by=AS_NOBODY, **how):
    """Measure COMMAND by ENGINE as nobody, BY a prefix of commands."""
    bring(engine)
    done = run(*by, "./profil", "-q", "--no-report", "--engine", engine.name, *options, "-o",
               "profil.pb.gz", "--", *command, **how)
    expect(done.status == status, f"{engine.name}: {command}: status {done.status}: {done.words}")
    measurement = Seen(done, "profil.pb.gz")
    check_identity(measurement.report)
    expect(measurement.facts["engine"] == engine.name, f"{measurement.facts}")
    return measurement


def for_each_engine(check):
    """CHECK(engine) for all that can run here; taken again where a virtual machine disturbed it: a
    fault is there every time.  Those that cannot are skipped together, at the end."""
    cannot = []
    for engine in ENGINES:
        for left in reversed(range(UNDISTURBED_TRIES)):
            for entry in os.listdir("."):
                shutil.rmtree(entry) if os.path.isdir(entry) else os.unlink(entry)
            try:
                check(engine)
                break
            except Skip as reason:
                cannot.append(f"{engine.name}: {reason}")
                break
            except AssertionError:
                if not left:
                    raise
    if cannot:
        raise Skip("; ".join(cannot))
