# SPDX-License-Identifier: BSD-2-Clause
"""What profil takes the code of each machine for: its whole C library, against objdump."""

import collections
import os
import re
import subprocess

from command import BUILD, Skip, expect, long, need_program

INSTRUCTIONS = os.environ.get("INSTRUCTIONS", os.path.join(BUILD, "tests", "cli", "instructions"))

Instruction = collections.namedtuple("Instruction", "size flow target slow text")


def flow_x86_64(name, operands):
    if name.startswith("jmp"):
        return "jump"
    if name.startswith(("j", "loop", "xbegin")):
        return "branch"
    if name.startswith("call"):
        return "call"
    return "end" if re.match(r"ret|iret|hlt|ud2", name) else "next"


def flow_aarch64(name, operands):
    if re.fullmatch(r"b|br(?:a[ab]z?)?", name):
        return "jump"
    if re.fullmatch(r"b\.\w+|cbn?z|tbn?z", name):
        return "branch"
    if re.fullmatch(r"bl|blr(?:a[ab]z?)?", name):
        return "call"
    return "end" if re.fullmatch(r"e?ret(?:a[ab])?|brk|udf", name) else "next"


def flow_riscv64(name, operands):
    """The names are those of -M no-aliases; ra and t0 hold where to return to."""
    if re.fullmatch(r"b(?:eq|ne|ltu?|geu?)|c\.b(?:eq|ne)z", name):
        return "branch"
    if name == "c.jr" or name == "jalr" and operands.startswith("zero,"):
        return "end" if re.fullmatch(r"ra|t0|zero,0\((?:ra|t0)\)", operands) else "jump"
    if name == "c.j" or name == "jal" and operands.startswith("zero,"):
        return "jump"
    if name in ("jal", "jalr", "c.jalr"):
        return "call"
    return "end" if re.fullmatch(r"(?:c\.)?(?:ebreak|unimp)|[usm]ret", name) else "next"


SLOW_RISCV64 = re.compile(
    r"(?:c\.)?(?:l[bhwd]u?(?:sp)?|fl[hwdq](?:sp)?)|[ls][rc]\.[wd].*|amo.*|(?:div|rem)u?w?|"
    r"f(?:div|sqrt)\..*|fence.*|ecall|csr.*")
PREFIXES = {"bnd", "notrack", "data16", "cs", "ds", "repz", "rep", "lock", "addr32"}

Machine = collections.namedtuple("Machine", "library objdump options flow")
MACHINES = {
    "x86_64": Machine("/lib/x86_64-linux-gnu/libc.so.6", "objdump", [], flow_x86_64),
    "aarch64": Machine("/usr/aarch64-linux-gnu/lib/libc.so.6", "aarch64-linux-gnu-objdump", [],
                       flow_aarch64),
    "riscv64": Machine("/usr/riscv64-linux-gnu/lib/libc.so.6", "riscv64-linux-gnu-objdump",
                       ["-M", "no-aliases"], flow_riscv64),
}


def read_truth(machine, code, text):
    """One instruction, its bytes CODE, as objdump has it."""
    words = re.sub(r" <.*|\t?//.*| +# .*", "", text).split()
    while len(words) > 1 and words[0] in PREFIXES:
        words.pop(0)
    name, operands = words[0], " ".join(words[1:])
    flow = machine.flow(name, operands)
    match = re.search(r"(?:^|[, ])(?:0x)?([0-9a-f]+)$", operands)
    goes = flow in ("branch", "jump", "call") and name not in ("jalr", "c.jalr", "c.jr")
    target = int(match[1], 16) if match and goes else None
    return Instruction(len(code.replace(" ", "")) // 2, flow, target,
                       bool(SLOW_RISCV64.fullmatch(name)), text)


def listed(machine):
    """{address: Instruction} of the whole text as objdump has it."""
    listing = subprocess.run([machine.objdump, "-dwz", *machine.options, machine.library],
                             stdout=subprocess.PIPE, check=True).stdout.decode()
    lines = re.findall(r"^ *([0-9a-f]+):\t([0-9a-f ]+?) *\t(.*)$", listing, re.MULTILINE)
    return {int(address, 16): read_truth(machine, code, text) for address, code, text in lines}


def ranges(instructions):
    """"START END" of each run without a gap."""
    start = end = None
    for address in sorted(instructions):
        if address != end:
            if end:
                yield f"{start:x} {end:x}\n"
            start = address
        end = address + instructions[address].size
    yield f"{start:x} {end:x}\n"


def taken(machine, instructions):
    """The same by profil."""
    done = subprocess.run([INSTRUCTIONS, machine.library], stdout=subprocess.PIPE, check=True,
                          input="".join(ranges(instructions)).encode())
    found = {}
    for line in done.stdout.decode().splitlines():
        if line.startswith("no: "):
            raise Skip(line[4:])
        address, size, flow, target, slow, text = line.split(" ", 5)
        found[int(address, 16)] = Instruction(
            int(size), flow, None if target == "-" else int(target, 16), slow == "1", text)
    return found


def check_one(address, true, mine, with_slow):
    where = f"{address:#x}: {true} and {mine}"
    expect(true and mine and true.size == mine.size, f"an instruction begins or ends amiss: {where}")
    if mine.text.startswith(".byte"):
        # Whatever Capstone does not know, goes on to the one below.  Data is not run.
        expect(true.flow == "next" or true.text.startswith("udf"), f"unknown: {where}")
        return 0
    expect((true.flow, true.target) == (mine.flow, mine.target), f"where it goes: {where}")
    expect(not with_slow or true.slow == mine.slow, f"whether it is slow: {where}")
    return 1


def check(name):
    machine = MACHINES[name]
    need_program(machine.objdump)
    if not os.path.exists(machine.library):
        raise Skip(f"needs {machine.library}")
    truth = listed(machine)
    mine = taken(machine, truth)
    expect(len(truth) > 200000, f"a C library of {len(truth)} instructions?")
    known = sum(check_one(address, truth.get(address), mine.get(address), name == "riscv64")
                for address in truth.keys() | mine.keys())
    print(f"# {name}: {len(truth)} instructions, {len(truth) - known} of them not known by name")
    expect(known > 0.99 * len(truth), f"only {known} of {len(truth)} are known")


def case_x86_64():
    """x86-64: each instruction begins, ends and goes where objdump says."""
    check("x86_64")


@long
def case_aarch64():
    """aarch64: the same."""
    check("aarch64")


@long
def case_riscv64():
    """riscv64, compressed or not: the same, and those that may be slow are."""
    check("riscv64")


def case_riscv32():
    """RISC-V of 32 bits, where c.addiw's bits are a call, is not taken for that of 64."""
    need_program("riscv64-linux-gnu-as", "riscv64-linux-gnu-ld")
    with open("small.s", "w") as file:
        file.write(".globl _start\n_start: c.jal _start\n")
    subprocess.run(["riscv64-linux-gnu-as", "-march=rv32ic", "-mabi=ilp32", "-o", "small.o",
                    "small.s"], check=True)
    subprocess.run(["riscv64-linux-gnu-ld", "-m", "elf32lriscv", "-o", "small", "small.o"],
                   check=True)
    done = subprocess.run([INSTRUCTIONS, "small"], input=b"", stdout=subprocess.PIPE, check=True)
    expect(done.stdout.startswith(b"no: ") and b"Capstone" in done.stdout, f"{done.stdout}")
