# SPDX-License-Identifier: BSD-2-Clause
"""How often profil diff sees a change among repeats of one program, and how often one that is there."""

import os

from rows import row


def repeats(bench, programs, quick):
    """Pairs of the same runs are drawn anew, so that they are not independent of each other."""
    count, pairs = (8, 100) if quick else (46, 1000)
    files = [bench.path(f"repeat-{number}.pb.gz") for number in range(count)]
    for path in files:
        bench.run(bench.profil_run(programs.all["sqlite3"], os.path.basename(path)))
    for per in ("samples", "run"):
        for size in (each for each in (1, 3, 20) if 2 * each <= count):
            _, out, _ = bench.run([f"{bench.build}/bench/repeats", per, str(size), str(pairs),
                                   *files])
            alarms, found, hottest = out.split(maxsplit=2)
            row(f"pairs of repeats with a change, {size} a side, --per {per}",
                100 * int(alarms) / pairs, "%", 5 if size > 1 else None,
                f"{100 * int(found) / pairs:.0f} % where {hottest.strip()} takes a tenth longer")
