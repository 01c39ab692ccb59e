# SPDX-License-Identifier: BSD-2-Clause
"""gmon.out files, put together by hand as <sys/gmon_out.h>, 4.4BSD's <sys/gmon.h> and the header
before it have them."""

import struct

BIN = 2
MOST = 65535


def bins(low, high, cells):
    """Counters of two bytes of text each, of the CELLS {address: ticks} in LOW..HIGH."""
    counts = [0] * ((high - low) // BIN)
    for address, ticks in cells.items():
        counts[(address - low) // BIN] += ticks
    return counts


def gnu(cells, rate=1, order="<", word="Q", arcs=True, span=0):
    """All in one range, SPAN bytes longer than it need be, repeated where a bin overflows."""
    low, high = min(cells), max(cells) + BIN + span
    data = b"gmon" + struct.pack(order + "I12x", 1)
    rest = dict(cells)
    while rest:
        counts = bins(low, high, {address: min(t, MOST) for address, t in rest.items()})
        data += struct.pack(f"{order}B{word}{word}II15sc", 0, low, high, len(counts), rate,
                            b"seconds", b"s")
        data += struct.pack(f"{order}{len(counts)}H", *counts)
        rest = {address: t - MOST for address, t in rest.items() if t > MOST}
    if arcs:
        data += struct.pack(f"{order}B{word}{word}I", 1, low, low, 3)
        data += struct.pack(f"{order}B{word}{word}{word}", 2, 1, low, 4)
    return data


def bsd44(cells, rate=1, order="<", word="Q", arcs=True):
    low, high = min(cells), max(cells) + BIN
    counts = bins(low, high, cells)
    head = struct.calcsize(f"{order}{word}{word}III12x")
    data = struct.pack(f"{order}{word}{word}III12x", low, high, head + len(counts) * BIN, 0x51879,
                       rate)
    data += struct.pack(f"{order}{len(counts)}H", *counts)
    return data + (struct.pack(f"{order}{word}{word}{word}", low, low, 3) if arcs else b"")


def bsd(cells, rate=None, order="<", word="Q", arcs=True):
    low, high = min(cells), max(cells) + BIN
    counts = bins(low, high, cells)
    head = struct.calcsize(f"{order}{word}{word}I")
    data = struct.pack(f"{order}{word}{word}I", low, high, head + len(counts) * BIN)
    data += struct.pack(f"{order}{len(counts)}H", *counts)
    return data + (struct.pack(f"{order}{word}{word}{word}", low, low, 3) if arcs else b"")


def arcs_of(path, order="<", word="Q"):
    """{(caller, callee): count} of a GNU file."""
    with open(path, "rb") as source:
        data = source.read()
    head, found, at = struct.Struct(f"{order}{word}{word}II15sc"), {}, 20
    arc = struct.Struct(f"{order}{word}{word}I")
    while at < len(data):
        tag, at = data[at], at + 1
        if tag:
            caller, callee, count = arc.unpack_from(data, at)
            found[caller, callee] = found.get((caller, callee), 0) + count
            at += arc.size
        else:
            at += head.size + BIN * head.unpack_from(data, at)[2]
    return found


def mon(low, high, counts, calls=(), order="<", word="Q", spare=2):
    """mon.out: CALLS ((function, count), ...) in a table with SPARE more, then COUNTS.  A PDP-11's
    (word "H") longs have their upper half first."""
    number = "H" if word == "H" else "I"
    data = struct.pack(f"{order}{word}{word}{number}", low, high, len(calls) + spare)
    data += bytes(-len(data) % struct.calcsize(word) if word == "Q" else 0)
    for function, count in (*calls, *((0, 0),) * spare):
        data += struct.pack(f"{order}{word}", function)
        data += (struct.pack("<HH", count >> 16, count & 0xffff) if word == "H" else
                 struct.pack(f"{order}{word}", count))
    return data + struct.pack(f"{order}{len(counts)}H", *counts)


def write_arcs(path, arcs, cells, order="<", word="Q"):
    data = gnu(cells, order=order, word=word, arcs=False)
    for (caller, callee), count in arcs.items():
        data += struct.pack(f"{order}B{word}{word}I", 1, caller, callee, count)
    with open(path, "wb") as file:
        file.write(data)
