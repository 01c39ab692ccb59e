# SPDX-License-Identifier: BSD-2-Clause
"""PROFIL.COM's two clocks tick at the interval asked for, and DOS's own clock stays right.

All times are DOSBox's, by channel 2 of the timer, which PROFIL does not touch."""

import struct

from command import expect
from dosbox import Drive

HERTZ = 1193182


class Lasted:
    """What LASTS.COM saved."""

    def __init__(self, data):
        counts, self.bios_ticks, *clocks = struct.unpack("<LH8B", data)
        self.seconds = counts / HERTZ
        self.before, self.after = (self.seconds_of(*clocks[:4]), self.seconds_of(*clocks[4:]))

    @staticmethod
    def seconds_of(minute, hour, hundredth, second):
        return hour * 3600 + minute * 60 + second + hundredth / 100


def case_dos_time_after_a_minute():
    """After a minute's run under a clock of 1 kHz, DOS's time is right to a tenth of a second, and
    the BIOS had each of its ticks."""
    drive = Drive()
    drive.assemble("lasts")
    drive.run("PROFIL /B:1 /T:1000 LASTS.COM M")
    lasted = Lasted(drive.get("LASTS.BIN"))
    expect(59.9 < lasted.seconds < 60.1, f"lasted {lasted.seconds} s")
    expect(abs(lasted.bios_ticks - lasted.seconds * HERTZ / 65536) <= 1.1,
           f"{lasted.bios_ticks} BIOS ticks in {lasted.seconds} s")
    # DOS's time moves by 55 ms; it was read up to one such tick before the minute began.
    gone = (lasted.after - lasted.before) % 86400
    expect(abs(gone - lasted.seconds) <= .12, f"{gone} s by DOS, {lasted.seconds} s are right")
    total = drive.report("LASTS.PRF").total
    expect(abs(total - lasted.seconds * 1000) < 100, f"{total} ticks in {lasted.seconds} s")


def check_intervals(switch, periods):
    """PERIODS: what is asked for in microseconds, what is written, and what it is."""
    drive = Drive()
    drive.assemble("lasts")
    lines = []
    for asked, _, _ in periods:
        lines += [f"PROFIL {switch} /B:1 /T:{asked} LASTS.COM", f"ren LASTS.PRF {asked}.PRF",
                  f"ren LASTS.BIN {asked}.BIN"]
    drive.run(*lines, cycles=12000)
    for asked, written, exact in periods:
        report = drive.report(f"{asked}.PRF")
        seconds = Lasted(drive.get(f"{asked}.BIN")).seconds
        expect(report.grain == written, f"{asked}: grain {report.grain}, not {written}")
        due = seconds * 1e6 / exact
        # Up to a BIOS tick of 55 ms and DOS's work come before and after what LASTS measures.
        allowed = .062 * 1e6 / exact + 2
        expect(due - 2 <= report.total <= due + allowed,
               f"{asked}: {report.total} ticks, {due:.0f} and at most {allowed:.0f} more are due")


def case_intervals():
    """The timer ticks at the interval asked for, to half a count of it, from the shortest to the
    longest, which the timer alone could not do."""
    check_intervals("", [(asked, asked, round(asked * HERTZ / 1e6 / parts) * parts / HERTZ * 1e6)
                         for asked, parts in ((60, 1), (997, 1), (54925, 1), (54926, 2),
                                              (65529, 2))])


def case_intervals_of_the_cmos_clock():
    """The CMOS clock ticks at the mean interval asked for, or at the shortest that it can, which is
    then what is written."""
    check_intervals("/R", [(60, 122, 122.0703125), (123, 123, 123), (500, 500, 500),
                           (997, 997, 997), (65529, 65529, 65529)])
