# SPDX-License-Identifier: BSD-2-Clause
"""PROFIL.COM and PROHST.COM run on an 8086: their code has no instruction of a later processor, and
they are small."""

import os
import re
import subprocess

from command import expect, need_program
from dosbox import PROFIL_COM, PROHST_COM, need_dosbox

ORIGIN = 0x100
PREFIXES = {0x26, 0x2e, 0x36, 0x3e, 0xf0, 0xf2, 0xf3}

# First bytes that an 8086 does not know, or takes for something else: POP CS and all of 0F, 186's
# PUSHA to OUTS and 386's prefixes, shifts by a number, ENTER and LEAVE, and what it leaves
# undefined.
LATER = {0x0f, *range(0x60, 0x70), 0xc0, 0xc1, 0xc8, 0xc9, 0xd6, 0xf1}


def later_instructions(code):
    """The lines of ndisasm for CODE whose instruction an 8086 does not have.  A zero too few for
    one is what the linker fills up with."""
    with open("code.bin", "wb") as file:
        file.write(code)
    listing = subprocess.run(["ndisasm", "-b", "16", "code.bin"], check=True, capture_output=True,
                             text=True).stdout
    for line in listing.splitlines():
        found = re.match(r"[0-9A-F]{8}  ([0-9A-F]+) +(.*)", line)
        if not found:  # the rest of a long instruction
            continue
        opcode = next((byte for byte in bytes.fromhex(found[1]) if byte not in PREFIXES), None)
        undecoded = found[2].startswith("db ") and found[2] != "db 0x00"
        if opcode is None or opcode in LATER or undecoded:
            yield line


def code_of(program_path):
    """Its code, from each symbol to the next, up to its data: segments 0 and 3 in the linker's map,
    which has module, symbol, segment, address and flags in a line."""
    with open(os.path.splitext(program_path)[0] + ".MAP") as text:
        lines = [line.split() for line in text]
    symbols = [(line[2], int(line[3], 16)) for line in lines if "a" not in line[4:]]
    data = min(address for segment, address in symbols if segment == "3")
    starts = sorted({address for segment, address in symbols if segment == "0"} | {data})
    with open(program_path, "rb") as program:
        code = program.read()
    return [code[start - ORIGIN:past - ORIGIN] for start, past in zip(starts, starts[1:])]


def case_only_8086_instructions():
    """No instruction of either is later than the 8086, and the check finds those that are."""
    need_dosbox()
    need_program("ndisasm")
    for path in PROFIL_COM, PROHST_COM:
        pieces = code_of(path)
        expect(sum(map(len, pieces)) > 4000, f"{sum(map(len, pieces))} bytes of code")
        for piece in pieces:
            later = list(later_instructions(piece))
            expect(not later, "\n".join(later))
    # PUSH 5, SHL AX,4, IMUL AX,AX,3, PUSHA, MOVZX, JE near, FS: and an operand of 32 bits.
    for later in ("6a05", "c1e004", "6bc003", "60", "0fb6c0", "0f840000", "64a10000", "6640"):
        expect(len(list(later_instructions(pieces[0] + bytes.fromhex(later)))) == 1,
               f"{later} passed")


def case_size():
    """Each has at most 16 KiB."""
    need_dosbox()
    for path in PROFIL_COM, PROHST_COM:
        expect(os.path.getsize(path) <= 16384, f"{path}: {os.path.getsize(path)} bytes")
