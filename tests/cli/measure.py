# SPDX-License-Identifier: BSD-2-Clause
"""Taking a profile, and holding it against the truth."""

import contextlib
import os
import re
import stat

from command import PROFIL, check_error, expect, need_counting, profil, report, run
from limits import check_between, check_share, repeated, ticks_between
from stolen import stolen_since

# Enough ticks in a second for a sharp limit; no divisor of anything.
FAST = ("-F", "4999")

# Where Linux switches interrupts on after it has changed tasks, or on its way back to the program.
LATE_POINT = re.compile(r"finish_task_switch|irqentry_exit_to_user_mode|_raw_spin_unlock_irq")

TRUTH_LINE = re.compile(r"^(\S+) (\d+\.\d{6}) (\d+)$", re.MULTILINE)


class Truth:
    """What a target says of itself: CPU seconds by name, and in how many runs."""

    def __init__(self, text):
        self.seconds, self.runs = {}, {}
        for name, seconds, runs in TRUTH_LINE.findall(text):
            name = os.path.basename(name)
            self.seconds[name] = self.seconds.get(name, 0) + float(seconds)
            self.runs[name] = self.runs.get(name, 0) + int(runs)


class Measurement:
    """One run of profil on a program: how it ended, the profile, the program's own truth."""

    def __init__(self, done, path):
        self.done = done
        self.path = path
        self.report = report(path)
        # Not what profil says of it, for which it needs /proc in its surroundings.
        self.stolen = stolen_since(done.stolen_before)  # seconds that the host took, at most
        self.truth = Truth(done.stdout.decode(errors="replace"))

    @property
    def facts(self):
        return self.report["facts"]

    @property
    def period(self):
        return self.facts["period_ns"] * 1e-9

    @property
    def fired(self):
        return self.report["identity"]["samples"]

    @property
    def classes(self):
        return self.report["classes"]

    @property
    def in_user_mode(self):
        """Ticks outside the kernel.  What else goes on on the machine interrupts the program, and
        the kernel's part of its time is the one thing that no target can know beforehand."""
        return self.fired - self.classes["kernel"]

    @property
    def stolen_ticks(self):
        """By how many ticks the clocks and CPU time may part, because the host took time."""
        return self.stolen / self.period

    def ticks_between(self, seconds, runs, elsewhere=0):
        """ticks_between(), and what the host took."""
        least, most = ticks_between(seconds, self.period, runs, elsewhere)
        return least - self.stolen_ticks, most + self.stolen_ticks

    def check_between(self, what, ticks, least, most):
        """TICKS are between LEAST and MOST by CPU time, and what the host took."""
        check_between(what, ticks, least - self.stolen_ticks, most + self.stolen_ticks)

    def between(self, seconds, runs):
        """The least and the most ticks that SECONDS of CPU time in RUNS runs may have got."""
        return self.ticks_between(seconds, runs, elsewhere=self.classes["kernel"])

    def sightings(self, ticks):
        """In how many ticks the place was seen that TICKS were charged to."""
        return ticks

    def by(self, what, *options):
        return report(self.path, "--by", what, *options)

    def ticks(self, key, rows=None):
        """Ticks by the KEY of the rows ("name", "object", "class"), added up."""
        total = {}
        for row in self.report["rows"] if rows is None else rows:
            total[row[key]] = total.get(row[key], 0) + row["samples"]
        return total


def check_identity(report_object):
    """Every tick that fired is charged, once: ticks fired = the sum of the classes = the rows."""
    identity, classes = report_object["identity"], report_object["classes"]
    sums = {
        "fired": identity["samples"],
        "charged": identity["counted"],
        "classes": sum(classes.values()),
        "total": report_object["total"],
        "rows": sum(row["samples"] for row in report_object["rows"]),
    }
    expect(len(set(sums.values())) == 1 and identity["holds"] is True,
           f"the accounting identity does not hold: {sums}, {identity}")


STACKS = re.compile(r"^([\d,]+) samples? = ([\d,]+) with the whole call stack(?: \+ ([\d,]+) without one)?"
                    r"(?: \+ ([\d,]+) cut)?(?:: totals are lower bounds)?$", re.MULTILINE)
CUT = re.compile(r"^ +([\d,]+) cut: ", re.MULTILINE)


def check_stacks(measurement):
    """Every sample's call stack is whole, there is none, or it is cut for one reason: by the file and by what the
    tree says."""
    def number(text):
        return int((text or "0").replace(",", ""))

    stacks = measurement.report["stacks"]
    text = profil("tree", measurement.path).text
    total, whole, none, cut = map(number, STACKS.search(text).groups())
    reasons = sum(map(number, CUT.findall(text)))
    expect(sum(stacks.values()) == total == whole + none + cut == measurement.fired and cut == reasons,
           f"{stacks}, {measurement.fired} samples: {text}")


def check_cpu(measurement):
    """Ticks x period = the CPU time the program consumed, by the kernel's own figure.

    The number of separate runs is at most the number of context switches of profil and everything
    below it, which is what rusage says of the waited-for tree, and one.

    A tick that is due while the kernel has interrupts switched off fires where it switches them on
    again.  When it has changed tasks in between, the tick was due in the time of the task before:
    ticks found at such a point may be others'."""
    consumed = (measurement.facts["cpu_ns"] - measurement.facts.get("remainder_ns", 0)) * 1e-9
    least, most = measurement.ticks_between(consumed, 1 + measurement.done.switches)
    late = sum(row["samples"] for row in measurement.report["rows"] if LATE_POINT.match(row["name"]))
    check_between("ticks for the CPU time consumed", measurement.fired, least, most + late)


def take(*command, cpu=True, again=True, **how):
    """Profile COMMAND, quietly, and check what holds for every profile; CPU=False where ticks x
    period need not be the CPU time, which the case then says why, or runs beside others.  AGAIN=False
    where COMMAND can run only once: no CPU time is checked."""
    need_counting()
    return repeated(take_counted, command, how) if cpu and again else take_once(*command, **how)


def highest_rate():
    """As many hertz as leave the program half of its time and more, should the interrupt take three times as long the
    next time, as beside other work it may (11 us, then 28), at most 100,000: it takes 1 us on hardware, and over 20 us in
    some virtual machines."""
    done = profil("--flat", "-q", "--no-report", "-F", "100000", "true")
    if done.status == 0:
        return "100000"
    check_error(done, 125, "-F: 99930 Hz leave the program too little time: an interrupt takes")
    return str(int(re.search(r"take (\d+) Hz at most$", done.words.strip())[1]) * 3 // 10)


def take_counted(command, how):
    measurement = take_once(*command, **how)
    check_cpu(measurement)
    return measurement


def take_once(*command, by=(PROFIL,), kind=Measurement, options=FAST, path="profil.pb.gz",
              status=0, **how):
    """BY is a profil, and whatever starts it; KIND is what becomes of the run.  A profile of a run
    before is taken away: that profil keeps it (test_files.py) would leave a file that none asked for."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        if stat.S_ISREG(os.lstat(path).st_mode):
            os.unlink(path)
    done = run(*by, "-q", "--no-report", *options, "-o", path, "--", *command, **how)
    expect(done.status == status, f"{command}: status {done.status}, not {status}: {done.words}")
    measurement = kind(done, path)
    check_identity(measurement.report)
    return measurement


def check_ticks(measurement, name, ticks):
    """TICKS is what the CPU time that the target told of NAME makes due."""
    truth = measurement.truth
    check_between(f"ticks of {name}", ticks,
                  *measurement.between(truth.seconds[name], truth.runs[name]))


def check_truth(measurement, key="name", rows=None):
    """Each name that the target told got the ticks that are due."""
    expect(measurement.truth.seconds, "the target told no truth")
    ticks = measurement.ticks(key, rows)
    for name in measurement.truth.seconds:
        check_ticks(measurement, name, ticks.get(name, 0))


def check_split(measurement, three="spin_three", one="spin_one", key="name", rows=None):
    """The known truth of the split targets: the ticks due to each, and 3:1 between them."""
    check_truth(measurement, key, rows)
    ticks, seconds = measurement.ticks(key, rows), measurement.truth.seconds
    both = ticks[three] + ticks[one]
    check_share(three, measurement.sightings(ticks[three]), measurement.sightings(both),
                seconds[three] / (seconds[three] + seconds[one]),
                together=measurement.sightings(measurement.stolen_ticks))


def expect_class(measurement, name, least):
    """At least the share LEAST of the ticks outside the kernel is in the class NAME."""
    all_ticks = measurement.in_user_mode
    check_between(f"{name}: ticks", measurement.classes[name], least * all_ticks, all_ticks)
