# SPDX-License-Identifier: BSD-2-Clause
"""What profil and go's pprof say of a profile."""

import collections
import os
import re
import subprocess


def profil(house, *arguments, status=0):
    """What profil prints: on stderr where it fails, else on stdout, with not a word beside it."""
    done = subprocess.run([f"{house.build}/profil", *arguments], cwd=house.scratch,
                          capture_output=True, text=True, check=False)
    assert done.returncode == status, done
    assert bool(done.stderr) == bool(status), done
    return done.stderr if status else done.stdout


def top(house, path, kind):
    """{function: value} of go tool pprof -top, what was inlined being its function's."""
    text = subprocess.run(["go", "tool", "pprof", "-top", "-noinlines", "-nodecount=10000", "-nodefraction=0",
                           "-edgefraction=0", f"-sample_index={kind}", path], cwd=house.scratch,
                          capture_output=True, text=True, check=True,
                          env={**os.environ, "PPROF_TMPDIR": house.scratch}).stdout
    rows = re.findall(r"^ *(\d+) +[0-9.]+% +[0-9.]+% +\d+ +[0-9.]+% +(.+)$", text, re.MULTILINE)
    found = collections.Counter()
    for value, name in rows:
        found[name] += int(value)
    return found
