#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Run the cases of one file and say in TAP how they went.

    run.py [--long] test_truth.py [NAME...]

A case is a function case_NAME() whose docstring says what holds.  It runs in an empty directory of
its own, which is removed afterwards, and fails by raising anything but Skip.  With NAMEs only those
cases run.  A case that cannot run here is skipped and says why; where CI=true nothing may be
skipped, and it fails.  With --long those cases run that take long (command.py), and no others.

A limit on counts that is broken is the one thing that is repeated (limits.py), which the TAP says,
with what the host says it took.  Everything else fails at once.
"""

import contextlib
import importlib.util
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback

from command import IS_LONG, Running, Skip
from limits import repeated, repetitions
from stolen import stolen_so_far

def load_cases(path, names):
    sys.path.append(os.path.dirname(path))  # what the cases share may stand beside them
    spec = importlib.util.spec_from_file_location("cases", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    cases = [value for name, value in vars(module).items() if name.startswith("case_")]
    both = getattr(module, "BOTH", False)
    if names:
        return [case for case in cases if case.__name__[len("case_"):] in names]
    return [case for case in cases if getattr(case, "is_long", IS_LONG and both) == IS_LONG]


def run_case(case):
    """Returns (passed, words behind the name, lines of explanation)."""
    before = stolen_so_far()
    passed, remark, why = True, "", []
    try:
        repeated(run_in_directory, case)
    except Skip as reason:
        passed, remark = os.environ.get("CI") != "true", f" # SKIP {reason}"
    except Exception:  # whatever it is, it is this case's, and the next one still runs
        passed, why = False, traceback.format_exc().splitlines()
    taken = round(1000 * (stolen_so_far() - before))
    disturbed = [f"repeated: {fault}; the host took {taken} ms of the case" for fault in repetitions]
    repetitions.clear()
    return passed, remark, disturbed + why


def run_in_directory(case):
    home = os.getcwd()
    # Other users take part in some cases, so the directory is open to them.
    directory = tempfile.mkdtemp(prefix="profil-test-")
    os.chmod(directory, 0o755)
    os.chdir(directory)
    try:
        case()
    finally:
        Running.end_all()
        os.chdir(home)
        end_those_in(directory)
        shutil.rmtree(directory, ignore_errors=True)


def end_those_in(directory):
    """What a case has started starts others, which do not end with it: as long as there are any."""
    while found := [pid for pid in filter(str.isdigit, os.listdir("/proc")) if is_in(directory, pid)]:
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(int(pid), signal.SIGKILL)
        time.sleep(0.01)


def is_in(directory, pid):
    with contextlib.suppress(OSError):  # it has ended, or is another user's
        return (os.readlink(f"/proc/{pid}/cwd") + "/").startswith(directory + "/")
    return False


def main():
    # Meson ends a test that hangs with SIGTERM; its directory is removed all the same.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    # nohup(1) ignores the first for all that it starts, a shell the others for what is in the background.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="profil-cache-") as cache:
        os.environ["XDG_CACHE_HOME"] = cache  # not that of who runs the tests
        return run_cases()


def run_cases():
    arguments = [argument for argument in sys.argv[1:] if argument != "--long"]
    cases = load_cases(arguments[0], arguments[1:])
    failures = 0
    print(f"1..{len(cases)}", flush=True)
    for number, case in enumerate(cases, 1):
        start = time.monotonic()
        passed, remark, explanation = run_case(case)
        sentence = " ".join(case.__doc__.split()).replace("#", "number ")
        word = "ok" if passed else "not ok"
        # A skip that counts as a failure must not look like a skip to the reader of the TAP.
        if not passed:
            remark = remark.replace(" # SKIP", ": skipped, and CI=true:")
        print(f"{word} {number} - {case.__name__[len('case_'):]}: {sentence}{remark}")
        print(f"# {time.monotonic() - start:.1f} s")
        for line in explanation:
            print(f"# {line}")
        sys.stdout.flush()
        failures += not passed
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
