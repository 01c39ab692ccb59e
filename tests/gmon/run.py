#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""run.py BUILD CASE: one case of the -pg runtime, on programs that are compiled here by the
system's compiler as users do, and read by the system's gprof."""

import importlib
import os
import shutil
import sys
import tempfile


def main():
    build, name = sys.argv[1:]
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
    house = importlib.import_module("house")
    room, _, case = name.partition("-")
    case = getattr(importlib.import_module(f"test_{room}"), case.replace("-", "_"))
    scratch = tempfile.mkdtemp()
    try:
        case(house.House(os.path.abspath(build), scratch))
    except house.Skip as reason:
        print(f"skipped: {reason}")
        return 77
    finally:
        shutil.rmtree(scratch)
    return 0


sys.exit(main())
