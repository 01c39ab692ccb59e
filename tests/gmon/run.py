#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""run.py BUILD CASE: one case of the -pg runtime, on programs that are compiled here by the
system's compiler as users do, and read by the system's gprof."""

import importlib
import os
import shutil
import sys
import tempfile
import traceback


def main():
    build, name = sys.argv[1:]
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    house = importlib.import_module("house").House(os.path.abspath(build), tempfile.mkdtemp())
    room, _, case = name.partition("-")
    try:
        getattr(importlib.import_module(f"test_{room}"), case.replace("-", "_"))(house)
    except importlib.import_module("house").Skip as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    except AssertionError:
        traceback.print_exc()
        sys.exit(1)
    finally:
        shutil.rmtree(house.scratch)


main()
