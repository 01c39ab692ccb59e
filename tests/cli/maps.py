# SPDX-License-Identifier: BSD-2-Clause
"""The maps of generated code, /tmp/perf-PID.map, which stay behind."""

import os
import re


def remove_maps_with(word):
    """Remove those that name WORD, which only the caller's program does."""
    for entry in os.listdir("/tmp"):
        path = os.path.join("/tmp", entry)
        if re.fullmatch(r"perf-\d+\.map", entry):
            with open(path, errors="replace") as lines:
                ours = word in lines.read()
            if ours:
                os.unlink(path)
