# SPDX-License-Identifier: BSD-2-Clause
"""What PROHST 1.0 prints, told once more and in another way: floats of the machine, the whole map as
lines of text.  Checked against its own listings in tests/data/prohst, it judges all others."""

import math
import struct
import tarfile
from fractions import Fraction


def golden_random(path):
    """Yields what the original listed of random profiles: name, profile, map or None, listing."""
    with tarfile.open(path) as archive:
        files = {member.name: archive.extractfile(member).read()
                 for member in archive.getmembers() if member.isfile()}
    names = sorted(name[:-len(".PRF")] for name in files if name.endswith(".PRF"))
    assert len(names) == 130, f"{len(names)} profiles"
    for name in names:
        map_text = files.get(name + ".MAP")
        yield (name, files[name + ".PRF"], None if map_text is None else map_text.decode("latin-1"),
               files[name + ".HST"])


def single(value):
    """VALUE as IEEE single precision stores it."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def fixed(value, width, digits=None):
    """VALUE with one decimal, halves away from zero; with at most DIGITS of them that are not 0."""
    tenths = math.floor(Fraction(value) * 10 + Fraction(1, 2))
    if digits and tenths >= 10 ** digits:
        tenths = 10 * math.floor(Fraction(value) + Fraction(1, 2))
    return f"{tenths // 10}.{tenths % 10}".rjust(width)


def column_of(count, bar):
    """The star's column: to the nearest, halves to the even one.  PROHST's emulator of the 8087
    takes a product from 0.5 up to 1 for less where the last 8 bits of its mantissa are 0."""
    product = single(count * bar)
    if 0.5 <= product < 1 and int(product * 2 ** 24) % 256 == 0:
        return 0
    return round(product)  # Python's own rule


# PROHST does not see that an empty bucket is the last one where the one before is not empty, and goes
# on through its memory.  Without a map, and with no more buckets than this, that is all 0 up to here.
PHANTOM = 58


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
                paragraph = int(segment, 16) + int(offset[:3], 16) + (offset[0] != "0")
                self.numbers.append((int(number), paragraph % 65536))


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
    percent = (lambda hits, width: fixed(single(hits * norm), width, 7)) if total else \
        (lambda hits, width: "." * width)
    out = ["Microsoft Profiler Output Listing", "", f"{number:6}{size:4}-byte buckets.", "",
           f"Profile taken between {low * 16 % 65536:014X} and {high * 16 % 65536:014X}.", "",
           f"DOS program address:{dos:014X}", ""]
    for where, hits in ("in DOS", hit_dos), ("in I/O", hit_io), ("high  ", hit_high):
        out.append(f"Number of hits {where}: {hits:5} or {percent(hits, 4)}%.")
    axis = fixed(1 / norm, 1) if total else "."
    out += ["", " Hits  Addr.  Line/ Cumul.  % 0.0" + " " * 40 + axis,
            " " * 14 + "Offset" + " " * 11 + "+" + "-" * 44, ""]
    cumulated, index = 0.0, 0
    while index < number:
        if not buckets[index]:
            out.append("")
            if index + 1 == number and map_text is None and number <= PHANTOM:
                index = PHANTOM
            while index + 1 < number and not buckets[index]:
                index += 1
        hits = buckets[index] if index < number else 0
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
        row = f"{hits:5}. {address * 16 % 65536:06X}{place} "
        if total:
            share = single(hits * norm)
            cumulated = single(cumulated + share)
            column = column_of(hits, bar)
            row += f"{fixed(cumulated, 5)} {fixed(share, 4)} |"
            row += " " * (column - 1) + "*" if column else ""
        else:
            row += "..... .... |"
        out.append(row)
        index += 1
    out.append(" " * 31 + "+" + "-" * 35)
    return "".join(line + "\r\n" for line in out).encode("latin-1") + b"\x1a"
