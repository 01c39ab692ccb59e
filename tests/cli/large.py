# SPDX-License-Identifier: BSD-2-Clause
"""Large things: profiles of a million cells, texts of 100 MB, functions of many instructions."""

import os
import random
import re
import struct
import subprocess
import zlib


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


def write_stacks(path, count, functions=2000):
    """A pprof file of COUNT cells, each in a calling context of its own, up to 40 calls deep, 1 to 97 ticks each.
    Returns the sum of the ticks."""
    dice, stacks, total = random.Random(1), [], 0
    texts = ["", "samples", "count", "/nowhere/program", *(f"function_{number}" for number in range(functions))]
    with open(path, "wb") as out:
        out.write(field(1, field(1, 1) + field(2, 2)))
        out.write(field(3, field(1, 1) + field(2, 0x1000) + field(3, 1 << 40) + field(5, 3)))
        for number in range(1, functions + 1):
            out.write(field(5, field(1, number) + field(2, number + 3) + field(3, number + 3)))
            out.write(field(4, field(1, number) + field(2, 1) + field(3, 0x1000 + 16 * number)
                            + field(4, field(1, number))))
        out.write(b"".join(field(6, text.encode()) for text in texts))
        for number in range(count):
            depth, above = stacks[-1 if dice.random() < 0.4 else dice.randrange(number)] if stacks else (0, b"")
            depth, above = (depth, above) if depth < 40 else (0, b"")
            stacks.append((depth + 1, varint(dice.randint(1, functions)) + above))
            total += 1 + number % 97
            out.write(field(2, field(1, stacks[-1][1]) + field(2, 1 + number % 97)))
    return total


def write_folded(path, count, functions=20000):
    """Folded text of COUNT stacks of 10 to 60 calls, of which the first one to four are shared by many, and the others by
    hardly any."""
    dice = random.Random(1)
    starts = [[dice.randrange(functions) for _ in range(dice.randint(1, 4))] for _ in range(500)]
    with open(path, "w") as out:
        for number in range(count):
            start = dice.choice(starts)
            stack = start + [dice.randrange(functions) for _ in range(dice.randint(10, 60) - len(start))]
            out.write(";".join(f"function_{function}" for function in stack) + f" {1 + number % 97}\n")


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


# What a profile of all time counts, and of which unit.
WAIT_VALUES = (("samples", "count"), ("cpu", "nanoseconds"), ("blocked", "nanoseconds"), ("lifetime", "nanoseconds"),
               ("running", "nanoseconds"), ("runqueue", "nanoseconds"), ("times_blocked", "count"), ("times_queued", "count"))


class Waits:
    """A profile of its own making as profil's, for the account of all time is believed of no other: what profil says of
    mappings and places by number has its sum beside it."""

    def __init__(self):
        self.texts, self.parts, self.sum = {"": 0}, [], 0
        for kind, unit in WAIT_VALUES:
            self.parts.append(field(1, field(1, self.text(kind)) + field(2, self.text(unit))))
        for number, (path, start, limit) in enumerate((("/nowhere/program", 0x1000, 1 << 40), ("[waiting]", 0, 0), ("[lives]", 0, 0))):
            self.parts.append(field(3, field(1, number + 1) + field(2, start) + field(3, limit) + field(5, self.text(path))))
            self.add(start, limit, 0)
        self.places = self.functions = 0

    def text(self, text):
        return self.texts.setdefault(text, len(self.texts))

    def add(self, *numbers):
        self.sum = zlib.crc32(struct.pack(f"<{len(numbers)}Q", *numbers), self.sum)

    def function(self, name):
        self.functions += 1
        self.parts.append(field(5, field(1, self.functions) + field(2, self.text(name)) + field(3, self.text(name))))

    def place(self, mapping, address):
        """The number of one in the newest function."""
        self.places += 1
        self.add(mapping, address)
        self.parts.append(field(4, field(1, self.places) + field(2, mapping + 1) + field(3, address)
                                + field(4, field(1, self.functions))))
        return self.places

    def sample(self, stack, **values):
        self.parts.append(field(2, field(1, b"".join(map(varint, stack)))
                                + field(2, b"".join(varint(values.get(kind, 0)) for kind, _ in WAIT_VALUES))))

    def write(self, path, **facts):
        facts = {"producer": "profil", "engine": "kernel", **facts}
        lines = [f"#profil.mapping.{number}.class: {kind}" for number, kind in enumerate(("program", "time", "time"), 1)]
        lines += [f"profil.{key.replace('__', '.')}: {value}" for key, value in facts.items()]
        for line in (*lines, f"#profil.check: {self.sum:08x}"):
            self.parts.append(field(13, self.text(line)))
        with open(path, "wb") as out:
            out.write(b"".join(self.parts) + field(12, 1000000) + b"".join(field(6, text.encode()) for text in self.texts))


def write_waits(path, count):
    """A profile of COUNT waits, each in a calling context of its own, up to 40 calls deep.  Returns how long threads were
    blocked, and how long they waited for a CPU."""
    waits, dice = Waits(), random.Random(1)
    calls, reasons = [], []
    for number in range(2000):
        waits.function(f"function_{number}")
        calls += [waits.place(0, 0x1000 + number * 64 + line * 8) for line in range(3)]
    for name in ("futex", "read", "poll", "preempted", "threads"):
        waits.function(name)
        reasons.append(waits.place(1 if name != "threads" else 2, 0))
    stacks, blocked, queued = [[dice.choice(calls)]], 0, 0
    while len(stacks) < count:
        above = dice.choice(stacks) if dice.random() < 0.6 else stacks[-1]
        stacks.append([dice.choice(calls), *above] if len(above) < 40 else [dice.choice(calls)])
    for number, stack in enumerate(stacks):
        ns = dice.randrange(1, 10**7)
        if number % 4 == 3:
            queued += ns
            waits.sample([reasons[3], *stack], runqueue=ns, times_queued=1)
        else:
            blocked += ns
            waits.sample([reasons[number % 4], *stack], blocked=ns, times_blocked=1)
    waits.sample([reasons[4]], lifetime=blocked + queued)
    waits.write(path, wall__threads=1)
    return blocked, queued
