#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""run.py BUILD CASE: one case of the -pg runtime, on programs that are compiled here by the
system's compiler as users do, and read by the system's gprof.  One whose ticks are off its limits is
run again, twice at most: a fault of profil's is there every time."""

import importlib
import os
import shutil
import sys
import tempfile


TRIES = 3


def main():
    build, name = sys.argv[1:]
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    house = importlib.import_module("house")
    room, _, case = name.partition("-")
    case = getattr(importlib.import_module(f"test_{room}"), case.replace("-", "_"))
    for left in reversed(range(TRIES)):
        try:
            return run(house, case, os.path.abspath(build))
        except house.OffLimits as fault:
            if not left:
                raise
            print(f"run again: {fault}")


def run(house, case, build):
    scratch = tempfile.mkdtemp()
    try:
        case(house.House(build, scratch))
    except house.Skip as reason:
        print(f"skipped: {reason}")
        return 77
    finally:
        shutil.rmtree(scratch)
    return 0


sys.exit(main())
