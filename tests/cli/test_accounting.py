# SPDX-License-Identifier: BSD-2-Clause
"""Every tick is charged, and there are as many as CPU time was used.  take() checks both for every
profile; these cases take it to the ends."""

import gzip
import re

from command import PROFIL, check_error, expect, profil, run, target
from limits import check_between, check_least
from measure import FAST, check_identity, check_split, check_truth, highest_rate, take


def check_rate(hertz, *options, seconds="0.5", within=0.01):
    measurement = take(target("split"), seconds, options=options)
    check_truth(measurement)
    check_between("period", measurement.period * hertz, 1 - within, 1 + within)
    return measurement


def case_default_rate():
    """Without -F there are 997 ticks a second, and the period is no round number."""
    measurement = check_rate(997, seconds="1")
    expect(measurement.facts["period_ns"] % 1000 != 0, f"{measurement.facts['period_ns']} ns")


def case_one_hertz():
    """-F 1: a tick a second; with next to no ticks the identity still holds."""
    check_rate(1, "-F", "1")


def case_ten_kilohertz():
    """-F 10kHz: ten thousand ticks a second are all counted."""
    check_split(check_rate(10000, "-F", "10kHz"))


def case_highest_rate():
    """The identity holds at the highest rate, whatever of it the machine can deliver."""
    rate = highest_rate()
    measurement = take(target("split"), "0.3", options=("--flat", "-F", rate), cpu=False)
    # An interrupt may cost more than such a period; those that did not come cannot be counted.
    check_between("samples", measurement.fired, 1,
                  1.01 * measurement.facts["cpu_ns"] * int(rate) / 1e9 + 100 + measurement.stolen_ticks)
    if int(rate) > 20500:
        check_error(profil("run", "-g", "-F", "20500", "true"), says="-F: above 20000 Hz")
        facts = take(target("split"), "0.1", options=("-F", "20500"), cpu=False).facts
        expect("no_stacks" in facts, "a walk of the stack leaves no time at this rate")


def case_period():
    """--period 2.5ms ticks every 2.5 ms."""
    check_rate(400, "--period", "2.5ms", seconds="1")


def case_dither():
    """--dither draws its periods anew, within 10 %: as many ticks by their mean, and shares stay
    right."""
    check_split(check_rate(4999, *FAST, "--dither", seconds="1", within=0.1))


def case_task_clock():
    """--clock task counts threads by their own clocks, and reports the remainder it cannot see."""
    measurement = take(target("split-threads"), options=(*FAST, "--clock", "task"))
    check_split(measurement)
    expect(measurement.facts["clock"] == "task", measurement.facts["clock"])


def case_task_clock_short_threads():
    """--clock task with 600 threads of 2 ms: what its clocks lost is in the remainder."""
    measurement = take(target("short-threads"), options=("--clock", "task"), cpu=False)
    seen = measurement.fired * measurement.facts["period_ns"]
    lost = measurement.facts["remainder_ns"]
    consumed = measurement.facts["cpu_ns"]
    # The remainder is what is left of the CPU time, by definition; it must be told, not hidden.
    stolen = 1e9 * measurement.stolen
    check_least("remainder", lost, 0.1 * consumed - stolen)
    check_between("ticks and remainder", seen + lost, 0.99 * consumed, 1.01 * consumed + stolen)


def case_full_table():
    """--cells 64 on 16,384 hot instructions: the rest is the file's overflow, and nothing is
    lost."""
    measurement = take(target("many-addresses"), options=(*FAST, "--cells", "64"))
    expect(measurement.facts["cells"] == 64, f"cells: {measurement.facts['cells']}")
    overflow = sum(row["samples"] for row in measurement.report["rows"]
                   if "[overflow]" in row["name"])
    check_least("ticks of overflow", overflow, 0.5 * measurement.fired)
    ticks = measurement.ticks("object")
    least, most = measurement.between(measurement.truth.seconds["spin_wide"],
                                      measurement.truth.runs["spin_wide"])
    check_between("ticks of the file", ticks["many-addresses"], least, 1.01 * most)


def case_full_table_is_said():
    """A report of a full table says so."""
    measurement = take(target("many-addresses"), options=(*FAST, "--cells", "64"))
    words = profil("report", measurement.path).text
    expect("overflow" in words or "full" in words, words)


def case_wide_table():
    """With the default table, thousands of hot addresses are each kept."""
    measurement = take(target("many-addresses"))
    rows = measurement.by("address")["rows"]
    check_least("addresses", len(rows), 500)
    expect(not any("overflow" in row["name"] for row in rows), "overflow in a large table")
    check_truth(measurement)


def case_sleeper():
    """A program that sleeps is not charged for the time it sleeps."""
    measurement = take(target("sleeper"))
    # The truth is told before exit(); what start and end cost beside it is well under 20 ms.
    check_between("samples", measurement.fired, 0,
                  (measurement.truth.seconds["main"] + 0.02 + measurement.stolen) / measurement.period)


def case_nothing_to_count():
    """A program that ends at once gives a whole profile all the same."""
    measurement = take("true", options=("-F", "1"))
    check_between("samples", measurement.fired, 0, 1)


def case_killed():
    """A program that is killed is accounted for to its last tick."""
    measurement = take("sh", "-c", f"{target('split')} 0.3; kill -9 $$", status=137)
    check_split(measurement)


def case_left_behind():
    """Children that outlive the program do not hold profil up, which says how many; the identity holds."""
    sleeps = "sleep 30 >/dev/null 2>&1 & "
    for engine in ("kernel", "perf"):
        for count, words in ((0, ""), (1, "1 process still runs and was not waited for"),
                             (2, "2 processes still run and were not waited for")):
            measurement = take("sh", "-c", f"true; {count * sleeps} exit 3", status=3, again=False,
                               options=(*FAST, "--engine", engine))
            expect(measurement.facts["duration_ns"] < 25e9, "waited for a stranger")
            expect(measurement.facts["left_running"] == count, f"{engine}: {measurement.facts}")
            said = run(PROFIL, "report", measurement.path).text
            expect(words in said and ("still run" in said) == bool(count), f"{engine}: {said}")


def case_by_all():
    """However the rows are cut, they add up to the same ticks."""
    measurement = take(target("split-fork"), options=(*FAST, "--by-thread"))
    for by in ("function", "line", "address", "object", "process", "thread"):
        cut = measurement.by(by)
        check_identity(cut)
        expect(cut["total"] == measurement.fired, f"by {by}: {cut['total']}, {measurement.fired}")


def case_raw():
    """--raw leaves the names out and not one tick."""
    measurement = take(target("split"), "0.3", options=(*FAST, "--raw"))
    check_least("samples", measurement.ticks("object")["split"], 0.9 * measurement.in_user_mode)
    with gzip.open(measurement.path) as file:
        expect(b"spin_three" not in file.read(), "a name in the file")


def case_verbose():
    """-v says what the engine and profil itself took, and what limits a table makes it smaller."""
    def said(engine, *options):
        done = profil("-v", "-q", "--no-report", "--engine", engine, *options, "true")
        match = re.fullmatch(rf"profil: memory: ([\d.]+) MiB of the {engine} engine \((.+)\), "
                             r"([\d.]+) MiB of the collector at most\n", done.words)
        expect(done.status == 0 and match, done.words)
        return float(match[1]), match[2], float(match[3])

    whole, parts, collector = said("kernel")
    expect("contexts" in parts and "table_rows" in parts and 0 < collector < 100, f"{parts}, {collector} MiB")
    expect(said("kernel", "--contexts", "64")[0] < 0.85 * whole, f"of {whole} MiB")
    expect(said("kernel", "--cells", "64")[0] < 0.85 * whole, f"of {whole} MiB")
    expect("rings" in said("perf")[1] and "shared" in said("timer")[1], "no parts")


def case_titles_of_the_ended():
    """Processes of one name that have ended are told apart by their command lines, however long."""
    long = "x" * 300
    script = f"{target('split')} 0.2; {target('split')} 0.3; {target('split')} 0.2 {long}"
    for options in ((), ("--flat",), ("--by-cpu",), ("--by-thread",)):
        measurement = take("sh", "-c", script, options=(*FAST, "--engine", "kernel", "--by-process", *options))
        rows = [row for row in measurement.by("process")["rows"] if row["name"] == "split"]
        whole = f"{target('split')} 0.2 {long}"[:252]
        expect(sorted(row["title"] for row in rows) ==
               sorted((f"{target('split')} 0.2", f"{target('split')} 0.3", whole)), f"{options}: {rows}")
