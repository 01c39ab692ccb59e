# SPDX-License-Identifier: BSD-2-Clause
"""Comparisons as JSON."""

import json

from command import expect, profil


def diff(before, after, *options):
    done = profil("diff", "--json", *options, *before, "--", *after)
    expect(done.status == 0 and not done.words, f"diff: {done.status}: {done.words}")
    return json.loads(done.text)


def row_of(said, name):
    rows = [row for row in said["rows"] if row["name"] == name]
    expect(len(rows) == 1, f"{name}: {rows}")
    return rows[0]
