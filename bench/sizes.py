# SPDX-License-Identifier: BSD-2-Clause
"""How long large profiles take to read, and that twice as much takes about twice as long."""

import os
import statistics
import sys

from rows import leave_out, row

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "tests", "cli"))

import large  # noqa: E402
import pprof  # noqa: E402


def seconds(bench, quick, *arguments):
    """The median CPU time of one command of profil, and its peak memory in MiB."""
    costs = [bench.run([bench.profil, *arguments])[0] for _ in range(1 if quick else 3)]
    return (statistics.median(cost.cpu / 1e9 for cost in costs),
            max(cost.peak_kib for cost in costs) / 1024)


def reports(bench, quick):
    """A million cells: of unknown addresses, with names, and all over a real program's text."""
    took = {}
    for kind, count, functions in (("unknown", 250000, 0), ("unknown", 1000000, 0),
                                   ("named", 250000, 20000), ("named", 1000000, 80000)):
        path = bench.path(f"{kind}-{count}.pb")
        large.write_cells(path, count, functions)
        took[kind, count] = seconds(bench, quick, "report", path)
    for kind in ("unknown", "named"):
        (less, _), (more, peak) = took[kind, 250000], took[kind, 1000000]
        row(f"profil report of 1,000,000 cells, {kind}", more, "s", 3, f"{peak:.0f} MiB")
        row(f"1,000,000 cells / 250,000, {kind}", more / less, "×", 6)
    program = large.large_program()
    if not program:
        leave_out("1,000,000 cells of a real program", "no cc1 here")
        return
    cells, _ = large.write_gmon(bench.path("gmon.out"), program, 1000000)
    bench.run([bench.profil, "merge", "--program", program, bench.path("gmon.out"), "-o",
               bench.path("raw.pb.gz")])
    bench.run([bench.profil, "export", "--to", "pprof", "-o", bench.path("named.pb.gz"),
               bench.path("raw.pb.gz")])
    took, peak = seconds(bench, quick, "report", bench.path("named.pb.gz"))
    row(f"profil report of {cells:,} cells of {os.path.basename(program)}", took, "s", 3,
        f"{peak:.0f} MiB")
    took, peak = seconds(bench, quick, "report", bench.path("raw.pb.gz"))
    row("the same, names found first", took, "s", None, f"{peak:.0f} MiB")


def paths(bench, quick):
    """A million cells, each in a calling context of its own; and the same paths as profil writes them."""
    raw, packed, less = bench.path("paths.pb"), bench.path("paths.pb.gz"), bench.path("fewer-paths.pb")
    large.write_stacks(raw, 1000000)
    large.write_stacks(less, 250000)
    bench.run([bench.profil, "export", "--to", "pprof", "-o", packed, raw])
    picture, page = bench.path("paths.svg"), bench.path("paths.html")
    for limit, *command in ((2, "flame", "-o", picture), (3, "html", "-o", page), (2, "report"), (2, "tree")):
        took, peak = seconds(bench, quick, *command, raw)
        row(f"profil {command[0]} of 1,000,000 paths", took, "s", limit, f"{peak:.0f} MiB")
        if command[0] == "flame":
            row("1,000,000 paths / 250,000, flame", took / seconds(bench, quick, *command, less)[0], "×", 6)
    took, peak = seconds(bench, quick, "flame", "-o", picture, packed)
    row("profil flame of 1,000,000 paths, written by profil", took, "s", 2, f"{peak:.0f} MiB")
    folded = bench.path("paths.folded")
    large.write_folded(folded, 100000)
    took, peak = seconds(bench, quick, "flame", "-o", picture, folded)
    row("profil flame of 100,000 folded stacks of 35 calls", took, "s", None, f"{peak:.0f} MiB")


def merges(bench, quick):
    """10,000 small files, as one command."""
    parts = []
    for number in range(4):
        parts.append(bench.path(f"part-{number}.pb.gz"))
        bench.run(bench.profil_run(["sh", "-c", "ls -R /usr/lib"],
                                   os.path.basename(parts[-1])))
    os.mkdir(bench.path("many"))
    files = [os.path.join(bench.path("many"), f"{number}.pb.gz") for number in range(10000)]
    for number, name in enumerate(files):
        os.link(parts[number % len(parts)], name)
    took, peak = seconds(bench, quick, "merge", *files, "-o", bench.path("sum.pb.gz"))
    row("profil merge of 10,000 files", len(files) / took, "files/s", 2000, least=True,
        beside=f"{os.path.getsize(parts[0])} bytes each")
    row("its peak memory", peak, "MiB", 64)


def views(bench, quick):
    """A text of 100 MB drawn, a function of 20,000 instructions annotated."""
    program = bench.path("large")
    os.chdir(bench.folder)
    start = large.build_text(program, 100000, 1000)
    text, _ = large.text_of(program)
    cells = [(0, start + i * 10007 % 100000000, f"f{i * 10007 % 100000000 // 1000}", "", 0,
              1 + i % 97) for i in range(10000)]
    pprof.write("large.pb", [(program, "01020304", text, text + 100100000, 0x1000)], cells)
    took, peak = seconds(bench, quick, "hist", "large.pb")
    row("profil hist of 100 MB of text", took, "s", 1, f"{peak:.0f} MiB")
    program = bench.path("hot")
    start, addresses = large.build_function(program, 20000)
    text, _ = large.text_of(program)
    pprof.write("hot.pb", [(program, "01020304", text, addresses[-1] + 64, 0x1000)],
                [(0, address, "hot", "hot.s", 0, 1 + number % 7)
                 for number, address in enumerate(addresses)])
    took, peak = seconds(bench, quick, "annotate", "hot.pb", "hot")
    row("profil annotate of 20,000 instructions", took, "s", 1, f"{peak:.0f} MiB")


def sizes(bench, quick):
    reports(bench, quick)
    paths(bench, quick)
    merges(bench, quick)
    views(bench, quick)
