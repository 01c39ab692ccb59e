# SPDX-License-Identifier: BSD-2-Clause
"""Whole texts against those that are kept."""

import difflib
import os

from command import expect

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")


def compare(name, text):
    """TEXT is what tests/data/NAME has; PROFIL_EXPECT=write in the environment writes it anew."""
    path = os.path.join(DATA, name)
    if os.environ.get("PROFIL_EXPECT") == "write":
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    with open(path, encoding="utf-8") as file:
        kept = file.read()
    difference = "\n".join(difflib.unified_diff(kept.splitlines(), text.splitlines(), name, "now",
                                                lineterm=""))
    expect(kept == text, difference or f"{name}: line ends differ")
