# SPDX-License-Identifier: BSD-2-Clause
"""gmon.out as this machine's gprof defines it, and what gprof says of one."""

import collections
import re
import struct
import subprocess

Histogram = collections.namedtuple("Histogram", "low high hertz cells")


class Gmon:
    """A file of the GNU format, whole to its last byte or refused."""

    def __init__(self, path):
        with open(path, "rb") as source:
            data = source.read()
        assert data[:8] == b"gmon\1\0\0\0", data[:8]
        self.histograms, self.arcs = [], collections.Counter()
        at = 20
        while at < len(data):
            tag, at = data[at], at + 1
            if tag == 0:
                at = self.read_histogram(data, at)
            elif tag == 1:
                caller, callee, count = struct.unpack_from("=QQI", data, at)
                self.arcs[caller, callee] += count
                at += 20
            else:
                raise AssertionError(f"tag {tag} at {at}")
        assert at == len(data), (at, len(data))

    def read_histogram(self, data, at):
        low, high, count, hertz = struct.unpack_from("=QQII", data, at)
        assert data[at + 24:at + 40] == b"seconds".ljust(15, b"\0") + b"s"
        at += 40
        # Ours are exact; of glibc's the last cell may be a few bytes short.
        assert 4 * count - 8 <= high - low <= 4 * count, (low, high, count)
        cells = struct.unpack_from(f"={count}H", data, at)
        self.histograms.append(Histogram(low, high, hertz, cells))
        return at + 2 * count

    def ticks(self, low=0, high=1 << 64):
        """Ticks in cells that begin between the two."""
        return sum(cell for part in self.histograms for i, cell in enumerate(part.cells)
                   if cell and low <= part.low + 4 * i < high)

    def known_arcs(self, offset):
        """Those from a caller in the same file, as glibc has them and no others: it knows callers
        to 16 bytes.  OFFSET is from the caller here to where the call returns to."""
        known = collections.Counter()
        for (caller, callee), count in self.arcs.items():
            if caller:
                known[caller + offset & ~15, callee] += count
        return known

    def calls(self, symbol):
        """How often SYMBOL, (address, size), was called."""
        return sum(count for (_, callee), count in self.arcs.items()
                   if symbol[0] <= callee < symbol[0] + symbol[1])


def symbols(path):
    """name: (address, size) of each function."""
    text = subprocess.run(["nm", "-S", "--defined-only", path], capture_output=True, text=True,
                          check=True).stdout
    return {name: (int(address, 16), int(size, 16)) for address, size, name in
            re.findall(r"^(\w+) (\w+) [Tt] (\S+)$", text, re.MULTILINE)}


def gprof(program, *files, options=()):
    """What gprof prints of its flat profile; a word on stderr is a failure."""
    done = subprocess.run(["gprof", "-b", *options, program, *files], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done
    return done.stdout


ROW = re.compile(r"^ *[0-9.]+ +[0-9.]+ +([0-9.]+) +(\d+) +[0-9.]+ +[0-9.]+ +(.+)$", re.MULTILINE)


def flat(program, *files, options=()):
    """name: (seconds of its own, calls) of those that were called."""
    text = gprof(program, *files, options=("-p", *options))
    return {name: (float(seconds), int(calls)) for seconds, calls, name in ROW.findall(text)}
