# SPDX-License-Identifier: BSD-2-Clause
"""What the account of all time costs where it costs most: two processes that wake each other, on one CPU."""

import statistics
import subprocess

from rows import row

ROUNDS = 100000
LIMIT = 1.20


def wall(bench, quick):
    """Rounds without and with take turns: what else the machine does falls on both."""
    alone = [f"{bench.build}/tests/targets/waits", "ping", str(ROUNDS)]
    ways = {"without profil": alone, "samples": bench.profil_run(alone, "ping.pb.gz", "-g"),
            "--wall": bench.profil_run(alone, "ping.pb.gz", "-g", "--wall"),
            "--wall --flat": bench.profil_run(alone, "ping.pb.gz", "--wall")}
    took = {way: [] for way in ways}
    for _ in range(5 if quick else 25):
        for way, command in ways.items():
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
            took[way].append(int(done.stdout))
    each = {way: statistics.median(figures) for way, figures in took.items()}
    row("a round of ping-pong over pipes", each["without profil"], "ns")
    for way in list(ways)[1:]:
        ratios = sorted(one / other for one, other in zip(took[way], took["without profil"]))
        row(f"{way}, of that", statistics.median(ratios), "x", LIMIT if "wall" in way else None,
            f"{ratios[len(ratios) // 4]:.3f} to {ratios[-1 - len(ratios) // 4]:.3f}")
