# SPDX-License-Identifier: BSD-2-Clause
"""Running things: profil itself, the targets, and what a case needs of the machine."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from stolen import stolen_so_far

# Meson says where things are; by hand, they are where `make` puts them.
BUILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build")
PROFIL = os.environ.get("PROFIL", os.path.normpath(os.path.join(BUILD, "profil")))
TARGETS = os.environ.get("TARGETS", os.path.normpath(os.path.join(BUILD, "tests", "targets")))

# Longer than anything here takes by far: it ends a hang, it measures nothing.
PATIENCE = 120

# What `make check` has no time for: `make check-long` runs it.
IS_LONG = "--long" in sys.argv


def nobody():
    """The number of a user of no privilege, who is this process's alone: of what the kernel grants a
    user (memory for rings of events, timers), nothing that runs beside it takes any."""
    own = 100000 + os.getpid()
    with open("/proc/self/uid_map") as ids:
        ranges = [[int(number) for number in line.split()] for line in ids]
    return own if any(first <= own < first + count for first, _, count in ranges) else 65534


NOBODY = nobody()

# What stands before a command that is such a user's.
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")

CAP_SYS_ADMIN, CAP_PERFMON, CAP_BPF = 21, 38, 39


class Skip(Exception):
    """This case cannot run here; the text says why."""


def long(case):
    """Marks a case that runs with --long only.  Of a file that says BOTH, cases that are not marked
    run with and without, and do less each time: see engines.now()."""
    case.is_long = True
    return case


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def need_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


def need_counting():
    """Whether this process may count in the kernel, judged by its capabilities alone, so that a
    profil that fails for any other reason fails its tests."""
    with open("/proc/self/status") as status:
        effective = next(int(line.split()[1], 16) for line in status if line.startswith("CapEff"))
    may = [effective >> number & 1 for number in (CAP_SYS_ADMIN, CAP_PERFMON, CAP_BPF)]
    if not may[0] and not (may[1] and may[2]):
        raise Skip("needs root or CAP_BPF + CAP_PERFMON")


def need_program(*names):
    for name in names:
        if not shutil.which(name):
            raise Skip(f"needs {name}")


def target(name):
    """The path of a target, or a skip where this machine could not build it."""
    path = os.path.join(TARGETS, name)
    if not os.path.exists(path):
        raise Skip(f"the target {name} was not built: no 32-bit or static libraries")
    return path


class Done:
    """A command that has ended: its status as a shell would say it, its output, what it used."""

    def __init__(self, status, stdout, stderr, switches, memory, stolen_before):
        self.status = status
        self.stdout = stdout
        self.stderr = stderr
        self.switches = switches  # context switches of it and of all descendants it waited for
        self.memory = memory  # bytes, the most that one of them had
        self.stolen_before = stolen_before  # seconds that the host had taken when it began

    @property
    def text(self):
        return self.stdout.decode()

    @property
    def words(self):
        return self.stderr.decode()


class Running:
    """A command that runs, its output going to files, so that no full pipe can stop it."""

    all = []

    @classmethod
    def end_all(cls):
        """End what a case that failed has left running."""
        for running in cls.all:
            running.end()
        cls.all.clear()

    def end(self):
        if self.process.returncode is None:
            self.process.kill()
            self.process.wait()

    def __init__(self, arguments, **options):
        self.out, self.err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.stolen_before = stolen_so_far()
        options = {"stdin": subprocess.DEVNULL, "stdout": self.out, "stderr": self.err, **options}
        self.process = subprocess.Popen(arguments, **options)
        self.pid = self.process.pid
        Running.all.append(self)

    def so_far(self):
        return os.pread(self.out.fileno(), 1 << 24, 0)

    def wait(self):
        watchdog = threading.Timer(PATIENCE, self.process.kill)
        watchdog.start()
        try:
            _, status, usage = os.wait4(self.pid, 0)
        finally:
            watchdog.cancel()
        code = os.waitstatus_to_exitcode(status)
        self.process.returncode = code
        return Done(code if code >= 0 else 128 - code, self.so_far(),
                    os.pread(self.err.fileno(), 1 << 24, 0), usage.ru_nvcsw + usage.ru_nivcsw,
                    usage.ru_maxrss << 10, self.stolen_before)


def wait_until(what, condition):
    """Wait for CONDITION() to hold; what takes longer than PATIENCE does not come at all."""
    end = time.monotonic() + PATIENCE
    while not condition():
        expect(time.monotonic() < end, f"waited in vain for {what}")
        time.sleep(0.01)


def cpu_ticks_of(pid):
    """CPU time, in clock ticks, that PID has used by now."""
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def cpu_ticks_below(pid):
    """The same of all children of PID that have not ended yet."""
    ticks = 0
    with open(f"/proc/{pid}/task/{pid}/children") as children:
        for child in children.read().split():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                ticks += cpu_ticks_of(child)
    return ticks


def descriptors(pid):
    """What each open descriptor of PID is."""
    folder = f"/proc/{pid}/fd"
    found = {}
    for name in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            found[name] = os.readlink(f"{folder}/{name}")
    return found


def run(*arguments, **options):
    return Running(arguments, **options).wait()


def profil(*arguments, **options):
    return run(PROFIL, *arguments, **options)


def report(path, *options):
    """What `profil report --json` says of a profile."""
    done = profil("report", "--json", *options, path)
    if done.status != 0:
        raise AssertionError(f"profil report: {done.status}: {done.words}")
    return json.loads(done.text)


def check_error(done, status=125, says=""):
    """DONE failed as profil fails: STATUS, nothing on stdout, one line of its own on stderr."""
    lines = done.words.splitlines()
    expect(done.status == status, f"status {done.status}, not {status}: {done.words}")
    expect(len(lines) == 1 and lines[0].startswith("profil: "),
           f"not one line that begins with 'profil: ': {done.words!r}")
    expect(not done.stdout, f"words on stdout: {done.stdout[:200]!r}")
    expect(says in lines[0], f"does not say {says!r}: {lines[0]}")


def check_files(*expected):
    """The case's directory holds these files and no other."""
    found = sorted(os.listdir("."))
    expect(found == sorted(expected), f"files: {found}, not {sorted(expected)}")
