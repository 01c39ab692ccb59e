# SPDX-License-Identifier: BSD-2-Clause
"""Profiles as other programs' files: writing them, reading them back, asking the programs."""

import re

from command import expect, profil, report, run
from measure import check_identity


def export(to, *arguments, left=None):
    """What `profil export` prints; LEFT is what it says that it left out."""
    done = profil("export", "--to", to, *arguments)
    expect(done.status == 0, f"{to}: {done.status}: {done.words}")
    if left is None:
        expect(not done.words, f"{to} says: {done.words}")
    else:
        lines = done.words.splitlines()
        expect(len(lines) == 1 and left in lines[0], f"{to} does not say {left!r}: {done.words}")
    return done.text


def run_well(*command):
    done = run(*command)
    expect(done.status == 0, f"{command}: {done.status}: {done.words}{done.text}")
    return done.text


def write_file(path, data):
    with open(path, "wb") as file:
        file.write(data)


def cells_of(path, *options):
    """{address: ticks} of what profil makes of a file."""
    shown = report(path, "--by", "address", *options)
    check_identity(shown)
    return {row["address"]: row["samples"] for row in shown["rows"]}


def functions_of(path):
    """{name: (start, size)} of a program, as nm has it."""
    found = re.findall(r"^([0-9a-f]+) ([0-9a-f]+) [tT] (\S+)$", run_well("nm", "-S", path),
                       re.MULTILINE)
    return {name: (int(start, 16), int(size, 16)) for start, size, name in found}
