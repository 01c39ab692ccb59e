# SPDX-License-Identifier: BSD-2-Clause
"""PROFIL.COM counts where a program is: in its routines and segments, above it, in DOS and BIOS.

A routine works in a few stretches and the clock is periodic, so that each stretch is counted to
within one tick: counts are far closer to what is due than three standard deviations of as many
independent ticks, and a check of three can only fail for a wrong count.  Where a program goes to
and fro too fast for that, ticks are taken as independent, which a periodic clock's are better than,
and OFTEN standard deviations allowed: 5.3 are passed once in 8.6 million times (the normal law's
both tails), so that the three comparisons made with it raise a false alarm in less than 4e-7 runs.
"""

import math
import struct

from command import expect
from dosbox import CYCLES, Drive, assemble, exe

OFTEN = 5.3


def check_share(what, count, total, share, deviations=3):
    allowed = deviations * math.sqrt(total * share * (1 - share))
    expect(abs(count - total * share) <= allowed,
           f"{what}: {count} of {total}, {total * share:.0f} are due, {allowed:.0f} more or less")


def check_head(report, paragraphs, size, grain):
    expect(report.grain == grain, f"grain {report.grain}")
    expect(report.size == size, f"bucket size {report.size}")
    expect(report.number == paragraphs // size + 1, f"{report.number} buckets")
    expect(report.high == report.low + paragraphs, f"{report.low:x} to {report.high:x}")
    expect(0 < report.dos < report.low, f"DOS at {report.dos:x}, program at {report.low:x}")


def case_shares_of_a_com():
    """A .COM's four routines have their shares, in buckets of one paragraph and of two, and the
    head of the .PRF is that of the program as it was loaded."""
    drive = Drive()
    drive.assemble("shares")
    length = len(drive.get("SHARES.COM"))
    drive.run("PROFIL /B:1 /T:499 SHARES.COM", "ren SHARES.PRF ONE.PRF", "ren PSP.BIN ONE.BIN",
              "PROFIL /t:1999 /b:2 shares.com")
    for name, told, size, grain in (("ONE.PRF", "ONE.BIN", 1, 499),
                                    ("SHARES.PRF", "PSP.BIN", 2, 1999)):
        report = drive.report(name)
        psp = struct.unpack("<H", drive.get(told))[0]
        check_head(report, -(-length // 16), size, grain)
        expect(report.low == psp + 0x10, f"program at {report.low:x}, PSP at {psp:x}")
        for start, share in ((0x80, .5), (0x90, .25), (0xa0, .15), (0xb0, .1)):
            if size == 1:
                check_share(f"{start:x}", report.between(start, start + 16), report.total, share)
        check_share("half and quarter", report.between(0x80, 0xa0), report.total, .75)
        check_share("the others", report.between(0xa0, 0xc0), report.total, .25)
        # 10 million cycles, and the ticks' own.
        due = 1e7 / CYCLES * 1000 / grain
        expect(due <= report.total <= due * 1.1, f"{report.total} ticks, {due:.0f} are due")


def two_segments(gap=0):
    """An .EXE of two code segments and a stack, with GAP bytes between the first two."""
    first = assemble("far1", origin=0).ljust(0x200 + gap, b"\0")
    second = assemble("far2", origin=0).ljust(0x200, b"\0")
    segment = len(first) // 16
    image = bytearray(first + second)
    place = assemble("far1", origin=0).index(b"\x4c\xcd\x21") + 3 + 2
    struct.pack_into("<H", image, place, segment)
    return exe(bytes(image + bytes(0x200)), stack=(segment + 0x20, 0x200),
               relocations=[(0, place)]), segment


def case_shares_of_an_exe():
    """An .EXE's two segments have their shares, its relocations are done, and its size is that of
    its pages, the header's with them."""
    drive = Drive()
    program, segment = two_segments()
    drive.put("FAR.EXE", program)
    drive.run("PROFIL /B:4 /T:499 FAR.EXE")
    report = drive.report("FAR.PRF")
    check_head(report, -(-len(program) // 512) * 32, 4, 499)
    check_share("first", report.between(0, 0x200), report.total, 1 / 3)
    check_share("second", report.between(segment * 16, segment * 16 + 0x200), report.total, 2 / 3)


def case_more_buckets_than_64_kib():
    """34,000 buckets, more than a segment of them, are counted and written."""
    drive = Drive()
    program, segment = two_segments(gap=34000 * 16)
    drive.put("BIG.EXE", program)
    drive.run("PROFIL /B:1 /T:499 BIG.EXE > OUT.TXT")
    expect(b"terminated normally" in drive.get("OUT.TXT"), drive.get("OUT.TXT"))
    report = drive.report("BIG.PRF")
    expect(report.number > 34000, f"{report.number} buckets")
    check_share("first", report.between(0, 0x200), report.total, 1 / 3)
    check_share("second", report.between(segment * 16, segment * 16 + 0x200), report.total, 2 / 3)


def case_above_the_program():
    """A routine copied above the program's image is counted as high."""
    drive = Drive()
    drive.assemble("above")
    drive.run("PROFIL /B:1 /T:499 ABOVE.COM")
    report = drive.report("ABOVE.PRF")
    check_share("high", report.hit_high, report.total, 3 / 4)
    check_share("program", report.hits, report.total, 1 / 4)


def case_waiting_in_the_bios():
    """A wait in the BIOS is counted in the ROM, which lies high, for as long as it took."""
    drive = Drive()
    drive.assemble("wait")
    drive.run("PROFIL /B:1 /T:997 WAIT.COM")
    report = drive.report("WAIT.PRF")
    waited = struct.unpack("<L", drive.get("WAIT.BIN"))[0] / 1.193182
    # 20 stretches, each counted to within a tick; the program's own is longer by the ticks' cycles.
    expect(waited > 800000, f"waited {waited:.0f} us")
    expect(abs(report.hit_high - waited / 997) <= 21, f"{report.hit_high} high in {waited:.0f} us")
    expect(-21 <= report.hits - 1e6 / 997 <= 100, f"{report.hits} in the program")


def case_calls_into_the_rom():
    """Calls of DOSBox's own INT 21h, 10h and 13h are counted where they are made or in the ROM,
    with the share of time that they take by another clock.  (Its INT 10h and 13h keep interrupts
    off, so that a tick comes when they return.)"""
    for letter in "DVK":
        drive = Drive()
        drive.assemble("calls")
        drive.run(f"PROFIL /B:16 /T:211 CALLS.COM {letter} > NUL")
        took, stub, cycles = struct.unpack("<3L", drive.get("CALLS.BIN"))
        report = drive.report("CALLS.PRF")
        share = (took + stub) / (took + stub + cycles)
        counted = report.between(0x100, 0x200) + report.hit_high
        check_share(f"calls {letter}", counted, report.total, share, deviations=OFTEN)
        expect(letter != "D" or report.hit_high > 50, f"{report.hit_high} high")
        expect(report.hit_io < report.total / 100, f"{report.hit_io} hits in I/O")
        drive.remove()


def case_drivers():
    """Calls of INT 21h, 10h and 13h that a driver below the program answers are counted as DOS, or
    as I/O where /D says that DOS begins above it."""
    for letter in "DVK":
        drive = Drive()
        drive.assemble("driver")
        drive.assemble("driven")
        drive.run("DRIVER", f"PROFIL /B:1 /T:499 DRIVEN.COM {letter}", "ren DRIVEN.PRF DOS.PRF",
                  f"PROFIL /B:1 /T:499 /D:300 DRIVEN.COM {letter}")
        dos, io = drive.report("DOS.PRF"), drive.report("DRIVEN.PRF")
        check_share(f"{letter}: DOS", dos.hit_dos, dos.total, 1 / 2)
        check_share(f"{letter}: program", dos.hits, dos.total, 1 / 2)
        expect(dos.hit_io == 0, f"{dos.hit_io} hits in I/O")
        check_share(f"{letter}: I/O", io.hit_io, io.total, 1 / 2)
        drive.remove()


def case_full_counters():
    """A counter stays at 65,534 when it is full, which is said, for PROHST 1.0 never ends at 65,535;
    with /W it starts again."""
    drive = Drive()
    drive.assemble("full")
    drive.run("PROFIL /B:1 /T:60 FULL.COM > STAYS.TXT", "ren FULL.PRF STAYS.PRF",
              "PROFIL /B:1 /T:60 /W FULL.COM > WRAPS.TXT", cycles=12000)
    stays, wraps = drive.report("STAYS.PRF"), drive.report("FULL.PRF")
    expect(max(stays.buckets) == 65534, f"at most {max(stays.buckets)}")
    expect(b"A counter was full" in drive.get("STAYS.TXT"), drive.get("STAYS.TXT"))
    # 48 million cycles are 4.0 s and the ticks' own, 66,667 or more.
    expect(1000 < max(wraps.buckets) < 32768, f"at most {max(wraps.buckets)}")
    expect(b"counter" not in drive.get("WRAPS.TXT"), drive.get("WRAPS.TXT"))


def case_dos_boundary():
    """DOS begins where INT 20h points to, where that is below the program."""
    drive = Drive()
    drive.assemble("olddos")
    drive.assemble("shares")
    drive.run("OLDDOS", "PROFIL /B:1 /T:1999 SHARES.COM")
    segment = struct.unpack("<H", drive.get("SEGMENT.BIN"))[0]
    report = drive.report("SHARES.PRF")
    expect(report.dos == segment, f"DOS at {report.dos:x}, INT 20h at {segment:x}")


def case_high_memory():
    """Code past the first megabyte is DOS where DOS is in high memory, as DOSBox says of its own.
    Elsewhere its paragraph starts at 0 again: FFFF:8000 is 07FF, high of this program."""
    drive = Drive()
    drive.assemble("olddos")
    drive.assemble("high")
    drive.run("PROFIL /B:1 /T:499 HIGH.COM", "ren HIGH.PRF NEW.PRF", "OLDDOS",
              "PROFIL /B:1 /T:499 HIGH.COM")
    new, old = drive.report("NEW.PRF"), drive.report("HIGH.PRF")
    check_share("DOS", new.hit_dos, new.total, 3 / 4)
    expect(old.high <= 0x7ff, f"the program ends at {old.high:x}")
    check_share("high", old.hit_high, old.total, 3 / 4)


def case_dos_given():
    """/D says where DOS begins: below it is I/O, from there on it is DOS."""
    drive = Drive()
    drive.assemble("shares")
    drive.run("PROFIL /B:1 /T:1999 /D:0123 SHARES.COM")
    report = drive.report("SHARES.PRF")
    expect(report.dos == 0x123, f"DOS at {report.dos:x}")
    expect(report.hits > report.total * .9, f"{report.hits} hits of {report.total}")
