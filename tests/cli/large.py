# SPDX-License-Identifier: BSD-2-Clause
"""Large things: profiles of a million cells, texts of 100 MB, functions of many instructions."""

import os
import re
import struct
import subprocess


def varint(number):
    out = bytearray()
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    """A field of a protocol buffer: a number, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def write_cells(path, count, functions=0):
    """A pprof file of COUNT cells at COUNT addresses of a program that is not here, 1 to 97 ticks
    each; with FUNCTIONS, each has one of so many names and a line.  Returns the sum of the ticks."""
    texts = ["", "samples", "count", "/nowhere/program", "program.c"]
    names = len(texts)
    texts += [f"function_{number}" for number in range(functions)]
    with open(path, "wb") as out:
        out.write(field(1, field(1, 1) + field(2, 2)))
        out.write(field(3, field(1, 1) + field(2, 0x1000) + field(3, 1 << 40) + field(5, 3)))
        for number in range(functions):
            out.write(field(5, field(1, number + 1) + field(2, names + number)
                            + field(3, names + number) + field(4, 4)))
        for text in texts:
            out.write(field(6, text.encode()))
        total, parts = 0, []
        for number in range(1, count + 1):
            # Far apart and near, in no order.
            address = 0x1000 + number * 7919 % count * 5
            ticks = 1 + number % 97
            total += ticks
            line = b""
            if functions:
                line = field(4, field(1, 1 + number * 7919 % count * functions // count)
                             + field(2, 1 + number % 1000))
            parts.append(field(4, field(1, number) + field(2, 1) + field(3, address) + line)
                         + field(2, field(1, number) + field(2, ticks)))
            if len(parts) == 10000:
                out.write(b"".join(parts))
                parts = []
        out.write(b"".join(parts))
    return total


def text_of(program):
    """Where the executable segment of PROGRAM is: address, size."""
    headers = subprocess.run(["readelf", "-lW", program], stdout=subprocess.PIPE,
                             check=True).stdout.decode()
    address, size = re.search(r"LOAD +0x\w+ (0x\w+) 0x\w+ (0x\w+) 0x\w+ R E", headers).groups()
    return int(address, 16), int(size, 16)


def write_gmon(path, program, count):
    """A gmon.out with ticks at COUNT addresses all over the text of PROGRAM, or at every second one
    where it has fewer.  Returns how many, and the sum of the ticks."""
    start, size = text_of(program)
    start += start % 2
    step = max(1, (size - 2) // 2 // count)
    bins = min(count, (size - 2) // 2 // step) * step
    counts = bytearray(2 * bins)
    cells = total = 0
    for number in range(0, bins, step):
        ticks = 1 + number % 97
        counts[2 * number] = ticks
        cells += 1
        total += ticks
    with open(path, "wb") as out:
        out.write(b"gmon" + struct.pack("<I12x", 1))
        out.write(struct.pack("<BQQII15sc", 0, start, start + 2 * bins, bins, 1000, b"seconds", b"s"))
        out.write(counts)
    return cells, total


def large_program():
    """The largest program of the compiler that is here, or None."""
    for name in ("cc1plus", "cc1", "lto1"):
        found = subprocess.run(["cc", f"-print-prog-name={name}"], stdout=subprocess.PIPE,
                               check=True).stdout.decode().strip()
        if os.path.isabs(found) and os.path.exists(found):
            return found
    return None


def build_function(path, instructions):
    """A program whose function hot() has so many instructions, with jumps and loops among them, on
    as many lines.  Returns its address, and that of each tenth instruction."""
    with open("hot.s", "w") as out:
        out.write(".globl _start\n.type hot, @function\nhot:\n")
        for number in range(instructions - 1):
            if number % 10 == 0:
                out.write(f".L{number}: add $1, %eax\n")
            elif number % 10 == 9:
                back = number - 9 - number // 10 % 7 * 10
                out.write(f"jne .L{max(back, 0)}\n")
            else:
                out.write("imul $3, %edx, %edx\n")
        out.write("ret\n.size hot, .-hot\n_start: call hot\n.section .note.GNU-stack,\"\",@progbits\n")
    subprocess.run(["cc", "-g", "-nostdlib", "-static", "-Wl,--build-id=0x01020304", "-o", path,
                    "hot.s"], check=True)
    symbols = subprocess.run(["nm", path], stdout=subprocess.PIPE, check=True).stdout.decode()
    start = int(re.search(r"^([0-9a-f]+) t hot$", symbols, re.MULTILINE).group(1), 16)
    # Three bytes each, but for the jumps, of two near by and six far off.
    listing = subprocess.run(["objdump", "-d", path], stdout=subprocess.PIPE, check=True).stdout
    adds = re.findall(rb"^ +([0-9a-f]+):\t[0-9a-f ]+\tadd ", listing, re.MULTILINE)
    return start, [int(address, 16) for address in adds]


def build_text(path, functions, size):
    """A program of so many functions of SIZE bytes.  Returns the address of the first."""
    with open("large.s", "w") as out:
        for number in range(functions):
            out.write(f".type f{number}, @function\nf{number}: .skip {size}\n"
                      f".size f{number}, {size}\n")
        out.write(".globl _start\n_start: nop\n.section .note.GNU-stack,\"\",@progbits\n")
    subprocess.run(["cc", "-nostdlib", "-static", "-Wl,--build-id=0x01020304", "-o", path,
                    "large.s"], check=True)
    symbols = subprocess.run(["nm", path], stdout=subprocess.PIPE, check=True).stdout.decode()
    return int(re.search(r"^([0-9a-f]+) t f0$", symbols, re.MULTILINE).group(1), 16)
