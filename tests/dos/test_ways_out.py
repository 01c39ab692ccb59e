# SPDX-License-Identifier: BSD-2-Clause
"""However a program ends and whatever it does to the timer, the machine is afterwards as before,
and its report is written."""

import struct

from command import expect
from dosbox import Drive

# One BIOS tick, 65,536 counts of the timer, by twos; ten of them are read to within 1,000 counts.
BIOS_TICK, READING = 32768, 50

VECTOR_NAMES = {0: "divide error", 8: "timer", 0x22: "end", 0x23: "Ctrl-C", 0x24: "disk error",
                0x70: "CMOS clock"}


class State:
    """What STATE.COM found of the machine."""

    def __init__(self, data):
        self.vectors = struct.unpack_from("<256L", data)
        self.hardware = data[1024:1030]
        self.period = struct.unpack_from("<H", data, 1030)[0]


def check_same(before, after, what, but=()):
    for number in range(256):
        if number not in but:
            expect(before.vectors[number] == after.vectors[number],
                   f"{what}: vector {number:02x} ({VECTOR_NAMES.get(number, '')}) was "
                   f"{before.vectors[number]:08x}, is {after.vectors[number]:08x}")
    expect(before.hardware == after.hardware,
           f"{what}: masks, mode and CMOS were {before.hardware.hex()}, are {after.hardware.hex()}")
    for state in (before, after):
        expect(abs(state.period - BIOS_TICK) < READING, f"{what}: a BIOS tick is {state.period}")


def run_ways(ways, switches=""):
    """Run WAYS.COM in each of WAYS under PROFIL, and STATE.COM before and after each.
    Returns for each way what PROFIL said, its report and the states around it."""
    drive = Drive()
    drive.assemble("ways")
    drive.assemble("state")
    lines = ["STATE", "ren STATE.BIN 0.BIN"]
    for index, way in enumerate(ways, 1):
        lines += [f"PROFIL {switches} /B:1 /T:997 WAYS.COM {way} > {index}.TXT",
                  f"ren WAYS.PRF {index}.PRF", "STATE", f"ren STATE.BIN {index}.BIN"]
    drive.run(*lines)
    states = [State(drive.get(f"{index}.BIN")) for index in range(len(ways) + 1)]
    for index, way in enumerate(ways, 1):
        yield (way, drive.get(f"{index}.TXT").decode(), drive.report(f"{index}.PRF"),
               states[index - 1], states[index])
    drive.remove()


ABORTED, TERMINATED = "\r\nProgram aborted\r\n", "\r\nProgram terminated normally\r\n"

SAYS = {"B": ABORTED, "D": "\r\nDivide overflow\r\n" + ABORTED}


def check_ways(ways, switches=""):
    for way, said, report, was, now in run_ways(ways, switches):
        expect(said == SAYS.get(way, TERMINATED), f"{way}: said {said!r}")
        # 400,000 cycles of work are 66 ticks, and the ticks' own work.
        expect(report.hits >= 60, f"{way}: {report.hits} hits")
        check_same(was, now, way)


def case_ends_by_itself():
    """INT 20h, INT 21h/00h, INT 21h/4Ch, a return to the PSP, and a jump or an INT to the address
    of INT 22h end a program normally."""
    check_ways("20CRJI")


def case_stays_resident():
    """INT 21h/31h and INT 27h leave a program in memory, and the machine as it was."""
    check_ways("T7")


def case_ctrl_c():
    """INT 23h aborts a program, unless it answers that itself; DOS takes its answers to INT 23h and
    24h back."""
    check_ways("BHV")


def case_disk_error():
    """INT 24h goes to the shell's answer, not to one of PROFIL's."""
    check_ways("E")


def case_divide_error():
    """A divide error aborts a program, as DOS has it; DOSBox's DOS would divide again for ever."""
    check_ways("D")


def case_takes_the_timer():
    """A program that has the timer all its own gets its ticks, and the BIOS gets the timer back."""
    drive = Drive()
    drive.assemble("ways")
    drive.assemble("state")
    drive.run("STATE", "ren STATE.BIN WAS.BIN", "PROFIL /B:1 /T:997 WAYS.COM P > OUT.TXT", "STATE")
    expect(drive.get("OUT.TXT").decode() == TERMINATED, drive.get("OUT.TXT"))
    check_same(State(drive.get("WAS.BIN")), State(drive.get("STATE.BIN")), "P")
    # 1,000,000 cycles are 167 ms, or 16.7 of its own 100 Hz; the first comes with its setting.
    ticks = struct.unpack("<H", drive.get("TICKS.BIN"))[0]
    expect(15 <= ticks <= 18, f"{ticks} of its own ticks")


def case_takes_the_timer_beside_the_cmos_clock():
    """With /R such a program is counted all the same, and has its ticks."""
    drive = Drive()
    drive.assemble("ways")
    drive.run("PROFIL /R /B:1 /T:997 WAYS.COM P")
    # 1,400,000 cycles, 233 ms: 234 ticks, and the ticks' own work.
    report = drive.report("WAYS.PRF")
    expect(230 <= report.total <= 270, f"{report.total} ticks")
    ticks = struct.unpack("<H", drive.get("TICKS.BIN"))[0]
    expect(15 <= ticks <= 18, f"{ticks} of its own ticks")


def case_forgets_the_timer():
    """A program that ends with the timer's vector pointing into it does not keep it."""
    check_ways("F")


def case_resident_with_the_timer():
    """A program that stays resident with the timer's vector keeps it: it ticks on at the BIOS's
    rate, and PROFIL's own part of the way stays in memory with it."""
    drive = Drive()
    drive.assemble("ways")
    drive.assemble("asks")
    drive.run("PROFIL /B:1 /T:997 WAYS.COM Z > OUT.TXT", "ASKS")
    expect(drive.get("OUT.TXT").decode() == TERMINATED, drive.get("OUT.TXT"))
    # ASKS looks at the resident program's count and the BIOS's before and after 2 s.
    mine, bios = struct.unpack("<2H", drive.get("ASKS.BIN"))
    expect(mine == bios and 34 <= bios <= 38, f"{mine} ticks, the BIOS's are {bios}")


def case_with_the_cmos_clock():
    """With /R everything is as before, too, the CMOS clock included."""
    check_ways("2CTBD", switches="/R")


def case_endless_until_ctrl_c():
    """A program that never ends is measured until Ctrl-C is pressed."""
    drive = Drive()
    for name in ("endless", "typist", "state"):
        drive.assemble(name)
    drive.run("TYPIST", "STATE", "ren STATE.BIN WAS.BIN",
              "PROFIL /B:1 /T:997 ENDLESS.COM > OUT.TXT", "STATE")
    expect(drive.get("OUT.TXT").decode() == ABORTED, drive.get("OUT.TXT"))
    check_same(State(drive.get("WAS.BIN")), State(drive.get("STATE.BIN")), "Ctrl-C")
    report = drive.report("ENDLESS.PRF")
    expect(report.hits > 500, f"{report.hits} hits")


def case_programs_of_others():
    """DOSBox's own programs run as without PROFIL: MEM.COM finds the same memory but for PROFIL's
    10 KiB, and COMMAND.COM runs another program, which is counted above it."""
    drive = Drive()
    drive.assemble("shares")
    drive.assemble("state")
    drive.run("copy Z:\\MEM.COM C:", "copy Z:\\COMMAND.COM C:", "MEM > ALONE.TXT", "STATE",
              "ren STATE.BIN WAS.BIN", "PROFIL /B:1 /T:997 MEM.COM > MEM.TXT",
              "PROFIL /B:1 /T:997 COMMAND.COM /C SHARES.COM > OUT.TXT", "STATE")
    alone, under = drive.get("ALONE.TXT").decode(), drive.get("MEM.TXT").decode()
    expect(under.endswith(TERMINATED), f"{under!r}")
    memory = [int(text.split()[0]) for text in (alone, under)]
    expect(5 <= memory[0] - memory[1] <= 11, f"{memory} KiB without and with PROFIL")
    expect(alone.split("\n")[2:-1] == under.split("\n")[2:-3], f"{alone!r}, {under!r}")
    check_same(State(drive.get("WAS.BIN")), State(drive.get("STATE.BIN")), "COMMAND.COM")
    expect(drive.get("OUT.TXT").decode() == TERMINATED, drive.get("OUT.TXT"))
    # 10 million cycles are 1,672 ticks, and those of the ticks' own work.
    report = drive.report("COMMAND.PRF")
    expect(1672 <= report.hit_high <= report.total <= 1750, f"{report.hit_high} high")
