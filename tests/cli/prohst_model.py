# SPDX-License-Identifier: BSD-2-Clause
"""What PROHST 1.0 prints, told once more and in another way: floats of the machine, the whole map as
lines of text.  Checked against its own listings in tests/data/prohst, it judges all others."""

import math
import struct


def single(value):
    """VALUE as IEEE single precision stores it."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def fixed(value, width, decimals=1):
    """VALUE with DECIMALS, halves away from zero."""
    scaled = math.floor(value * 10 ** decimals * 2 + 1) // 2  # exact: a single times 20 and 1
    text = f"{scaled // 10 ** decimals}.{scaled % 10 ** decimals}" if decimals else f"{scaled}."
    return text.rjust(width)


def half_even(value):
    return round(value)  # Python's own rule


class Map:
    """Modules and, where the map has them, (line number, paragraph)."""

    def __init__(self, text):
        lines = text.split("\x1a")[0].split("\r\n")
        while lines and not lines.pop(0).startswith(" Start"):
            pass
        self.modules, self.numbers = [], []
        while lines:
            line = lines.pop(0)
            if len(line) < 6 or not line[1].isdigit():
                break
            self.modules.append((int(line[1:5], 16), line[22:37].ljust(15)))
        while lines and not lines.pop(0).startswith("Line numbers for "):
            pass
        for line in lines:
            words = line.split()
            if not words or not words[0].isdigit():
                continue
            for number, place in zip(words[::2], words[1::2]):
                segment, offset = place.rstrip("H").split(":")
                self.numbers.append((int(number), int(segment, 16) + -(-int(offset, 16) // 16)))


def listing(profile, map_text=None):
    """The listing as bytes.  Where PROHST 1.0 hangs or shows what its memory held: no such row, and
    counts as they are."""
    words = struct.unpack(f"<{len(profile) // 2}H", profile)
    _, number, size, low, high, dos, hit_io, hit_dos, hit_high = words[:9]
    buckets = words[9:9 + number]
    modules, numbers = [], []
    if map_text is not None:
        found = Map(map_text)
        modules, numbers = list(found.modules), list(found.numbers)
    total = 0.0
    for bucket in buckets:
        total = single(total + bucket)
    norm = single(100 / total) if total else None
    bar = single(45 / max(buckets)) if total else None
    percent = (lambda hits, width: fixed(single(hits * norm), width)) if total else \
        (lambda hits, width: "." * width)
    out = ["Microsoft Profiler Output Listing", "", f"{number:6}{size:4}-byte buckets.", "",
           f"Profile taken between {low * 16 % 65536:014X} and {high * 16 % 65536:014X}.", "",
           f"DOS program address:{dos:014X}", ""]
    for where, hits in ("in DOS", hit_dos), ("in I/O", hit_io), ("high  ", hit_high):
        out.append(f"Number of hits {where}: {hits:5} or {percent(hits, 4)}%.")
    axis = fixed(single(1 / norm), 1) if total else "0.0"
    out += ["", " Hits  Addr.  Line/ Cumul.  % 0.0" + " " * 40 + axis,
            " " * 14 + "Offset" + " " * 11 + "+" + "-" * 44, ""]
    cumulated, index = 0.0, 0
    while index < number:
        if not buckets[index]:
            out.append("")
            while index + 1 < number and not buckets[index]:
                index += 1
        address = size * index % 65536
        while modules and address >= modules[0][0]:
            out.append("      " + modules.pop(0)[1])
        place = "      "
        # A number is shown once the next one has been read, so the map's last one never is.
        shown = None
        while len(numbers) > 1 and address >= numbers[0][1]:
            shown = numbers.pop(0)[0]
        if shown:
            place = f"{shown:6}"
        elif modules:
            place = f" #{(address - modules[0][0]) % 65536:04X}"
        row = f"{buckets[index]:5}. {address * 16 % 65536:06X}{place} "
        if total:
            share = single(buckets[index] * norm)
            cumulated = single(cumulated + share)
            column = half_even(buckets[index] * bar)
            row += f"{fixed(cumulated, 5)} {fixed(share, 4)} |"
            row += " " * (column - 1) + "*" if column else ""
        else:
            row += "..... .... |"
        out.append(row)
        index += 1
    out.append(" " * 31 + "+" + "-" * 35)
    return "".join(line + "\r\n" for line in out).encode("latin-1") + b"\x1a"
