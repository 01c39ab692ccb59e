# SPDX-License-Identifier: BSD-2-Clause
"""Large inputs: exact, and within a bound on memory.  How fast they are is `make bench`'s to say."""

import json
import os
import resource

import large
import pprof
from command import Skip, expect, long, need_counting, need_program, profil, report
from measure import highest_rate
from terminal import Terminal
from test_hist import check_sums

MIB = 1 << 20
VARIED = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "targets", "python-varied.py")


def within(mib, *arguments):
    """What profil prints when its heap may not be larger than so many MiB."""
    def bound():
        resource.setrlimit(resource.RLIMIT_DATA, (mib * MIB, mib * MIB))

    done = profil(*arguments, preexec_fn=bound)
    expect(done.status == 0 and not done.words, f"{arguments[:2]}: {done.status}: {done.words}")
    return done.text


def report_within(mib, *arguments):
    shown = json.loads(within(mib, "report", "--json", "-n", "10", *arguments))
    expect(shown["identity"]["holds"] is True and shown["identity"]["samples"] == shown["total"]
           == sum(shown["classes"].values()), f"{shown['identity']}")
    return shown


@long
def case_million_unknown_addresses():
    """A million addresses of a file that is not here, each a row: 768 MiB are enough, and no tick is
    lost."""
    total = large.write_cells("many.pb", 1000000)
    for by, rows in (("function", 1000000), ("address", 1000000), ("object", 1)):
        shown = report_within(768, "--by", by, "many.pb")
        expect(shown["total"] == total and shown["row_count"] == rows, f"{by}: {shown['row_count']}")


@long
def case_million_named_cells():
    """A million cells in 50,000 functions: 512 MiB are enough, whatever a row is."""
    total = large.write_cells("many.pb", 1000000, functions=50000)
    for by, rows in (("function", 50000), ("object", 1)):
        shown = report_within(512, "--by", by, "many.pb")
        expect(shown["total"] == total and shown["row_count"] == rows, f"{by}: {shown['row_count']}")
    shown = report_within(512, "--by", "line", "many.pb")
    expect(shown["total"] == total and shown["row_count"] > 50000, f"{shown['row_count']}")


@long
def case_hundred_thousand_waits():
    """100,000 waits, each in a calling context of its own: 64 MiB are enough to show them and 128 MiB to add them up, and
    no nanosecond is lost."""
    blocked, queued = large.write_waits("waits.pb", 100000)
    shown = json.loads(within(64, "report", "--json", "-n", "10", "waits.pb"))
    expect((shown["wall"]["blocked_ns"], shown["wall"]["runqueue_ns"], shown["total_ns"])
           == (blocked, queued, blocked + queued), f"{shown['wall']}")
    shown = json.loads(within(64, "report", "--json", "--by", "reason", "--value", "blocked", "waits.pb"))
    expect(sum(row["self"] for row in shown["rows"]) == blocked and len(shown["rows"]) == 3, f"{shown['rows']}")
    expect(json.loads(within(64, "tree", "--json", "--value", "runqueue", "waits.pb"))["total"] == queued, "the tree")
    within(128, "merge", "waits.pb", "waits.pb", "-o", "sum.pb.gz")
    shown = json.loads(within(64, "report", "--json", "-n", "1", "sum.pb.gz"))
    expect(shown["total_ns"] == 2 * (blocked + queued) and shown["wall"]["threads"] == 2, f"{shown['wall']}")


@long
def case_million_cells_of_a_real_program():
    """A million cells all over the compiler's own text get their names within 1 GiB; those of each
    function add up."""
    need_program("readelf")
    program = large.large_program()
    if not program:
        raise Skip("needs cc1")
    cells, total = large.write_gmon("gmon.out", program, 1000000)
    within(512, "merge", "--program", program, "gmon.out", "-o", "many.pb.gz")
    shown = report_within(1024, "many.pb.gz")
    expect(shown["total"] == total and cells >= 900000, f"{shown['total']} of {total}, {cells} cells")
    expect(shown["row_count"] < cells, f"{shown['row_count']} rows")


@long
def case_merge_of_large_ones():
    """The sum of five profiles of 200,000 cells each is made within the 160 MiB that the sum of two is:
    memory is bounded by the sum, not by how many there are."""
    total = large.write_cells("part.pb", 200000, functions=1000)
    for number in range(5):
        os.link("part.pb", f"{number}.pb")
    within(160, "merge", "0.pb", "1.pb", "-o", "two.pb.gz")
    within(160, "merge", *(f"{number}.pb" for number in range(5)), "-o", "five.pb.gz")
    expect(report_within(160, "five.pb.gz")["total"] == 5 * total, "total")


@long
def case_diff_of_large_ones():
    """Two profiles of 200,000 rows are compared within 512 MiB, and all ticks are counted."""
    total = large.write_cells("old.pb", 200000)
    said = json.loads(within(512, "diff", "--json", "-n", "10", "old.pb", "old.pb"))
    expect(said["before"]["samples"] == said["after"]["samples"] == total, "samples")
    expect(said["row_count"] == 200000 and not any(row["significant"] for row in said["rows"]), "rows")


@long
def case_large_texts_say_how_far():
    """On a terminal the reading of 100 MB of folded stacks, and of perf script's text, says how far it is."""
    large.write_folded("folded.txt", 200000)
    with open("script.txt", "w") as out:
        for number in range(1500000):
            out.write(f"work 7/7 1.000000: 1 cpu-clock:\n\t{4096 + number * 8:x} function_{number % 977} (/nowhere/work)\n\n")
    for path in ("folded.txt", "script.txt"):
        size = os.path.getsize(path) // 1000
        shown = Terminal(["report", path])
        shown.read_until(f" of {size} kB")
        shown.type(b"\x03")
        expect(shown.wait() == 130 and "profil: reading: " in shown.text, f"{path}: {shown.text!r}")


def case_long_function():
    """A function of 20,000 instructions is annotated within 256 MiB, with every tick in a row and a
    line."""
    need_program("cc", "nm", "objdump")
    start, addresses = large.build_function("hot", 20000)
    cells = [(0, address, "hot", "hot.s", 0, 1 + number % 7)
             for number, address in enumerate(addresses)]
    size = addresses[-1] + 64 - start
    text, _ = large.text_of("hot")
    pprof.write("hot.pb", [("hot", "01020304", text, start + size, 0x1000)], cells)
    view = json.loads(within(256, "annotate", "--json", "hot.pb", "hot"))
    function, = view["functions"]
    if function["no_code"] and "Capstone" in function["no_code"]:
        raise Skip(function["no_code"])
    expect(len(function["instructions"]) == 20000, f"{len(function['instructions'])} instructions")
    ticks = sum(cell[5] for cell in cells)
    expect(sum(row["samples"] for row in function["instructions"]) == ticks
           == sum(row["samples"] for row in function["lines"]) == view["total"], f"not {ticks}")
    for options in ((), ("--asm",), ("--all",), ("--markdown",)):
        within(256, "annotate", *options, "hot.pb", "hot")


@long
def case_long_text():
    """A text of 100 MB with 100,000 functions is drawn within 256 MiB."""
    need_program("cc", "nm", "readelf")
    start = large.build_text("large", 100000, 1000)
    text, _ = large.text_of("large")
    cells = [(0, start + i * 10007 % 100000000, f"f{i * 10007 % 100000000 // 1000}", "", 0,
              1 + i % 97) for i in range(10000)]
    pprof.write("large.pb", [("large", "01020304", text, text + 100100000, 0x1000)], cells)
    for options in ((), ("--bucket=64",), ("--strip",)):
        view = json.loads(within(256, "hist", "--json", *options, "large.pb"))
        expect(view["objects"][0]["bytes"] >= 100000000, f"{view['objects'][0]['bytes']} bytes")
        check_sums(view)
        expect(view["identity"]["samples"] == sum(cell[5] for cell in cells), f"{view['identity']}")


@long
def case_call_stacks():
    """A profile of 120 s of Python at 997 Hz, which does something else all the time, takes 1 MiB at most.  It is the
    number of samples that counts, each of which may have a call stack of its own: as many are taken in a tenth of
    the time, at ten times the rate.  (Of 120 s at 997 Hz it is 0.74 MiB: 66,000 places in contexts of 26 calls.)"""
    need_counting()
    need_program("/usr/bin/python3")
    hertz, samples = min(9973, int(highest_rate())), 120 * 997
    done = profil("-g", "-q", "--no-report", "--engine", "kernel", "-F", str(hertz), "/usr/bin/python3", "-I", "-S", VARIED,
                  str(samples / hertz))
    expect(done.status == 0, done.words)
    whole = report("profil.pb.gz")
    size = os.path.getsize("profil.pb.gz")
    expect(whole["total"] > 0.9 * samples and whole["stacks"]["whole"] > 0.99 * whole["total"], f"{whole['stacks']}")
    expect(size <= MIB, f"{size} bytes for {whole['total']} samples")
