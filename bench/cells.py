# SPDX-License-Identifier: BSD-2-Clause
"""What a cell costs in a profile: its sample and its location without names, packed as profil packs them.
The head (mappings, facts) is a few hundred bytes, however long the run."""

import gzip
import zlib

# Fields of pprof.Profile (src/profile/profile.proto), and of a location.
SAMPLE, LOCATION = 2, 4
LINE = 4
BYTES = 2  # the wire type of what has a length


def number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def encoded(value):
    done = bytearray()
    while value > 127:
        done.append(value & 127 | 128)
        value >>= 7
    done.append(value)
    return bytes(done)


def fields(data):
    """Each field of a message: its number, all its bytes, and its content where it has a length."""
    at = 0
    while at < len(data):
        start = at
        key, at = number(data, at)
        value, at = number(data, at)
        content = None
        if key & 7 == BYTES:
            content = data[at:at + value]
            at += value
        yield key >> 3, data[start:at], content


def cells_alone(data):
    """Of DATA, a profile, what its cells take with addresses alone; and how many there are."""
    kept, cells = bytearray(), 0
    for field, whole, content in fields(data):
        cells += field == SAMPLE
        if field == LOCATION:
            place = b"".join(part for inner, part, _ in fields(content) if inner != LINE)
            whole = encoded(LOCATION << 3 | BYTES) + encoded(len(place)) + place
        if field in (SAMPLE, LOCATION):
            kept += whole
    return bytes(kept), cells


def bytes_a_cell(path):
    """Returns the packed bytes a cell and the number of cells."""
    with gzip.open(path) as file:
        kept, cells = cells_alone(file.read())
    packer = zlib.compressobj(wbits=31)
    return len(packer.compress(kept) + packer.flush()) / cells, cells
