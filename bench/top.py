# SPDX-License-Identifier: BSD-2-Clause
"""What profil top takes of a CPU beside the sampling: the collector's work for its screens and the
process that draws them, of a program with few addresses and of one with 130,000."""

import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
import time

import tools
from rows import row

SHARE = 1.2  # per cent of a CPU; what a screen will take is known by those before it alone
FILLING = 60  # seconds until all addresses are there and named


def drain(terminal, shown):
    """Read what is drawn, until nobody draws any more; keep the end of it."""
    with contextlib.suppress(OSError):
        while text := os.read(terminal, 65536):
            shown[:] = [(shown[0] + text)[-65536:]]


@contextlib.contextmanager
def drawn(bench, command):
    """(the collector, what is on its terminal) of COMMAND, until the end."""
    mine, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    top = subprocess.Popen([bench.profil, "top", *command], stdin=its, stdout=its, stderr=its, start_new_session=True,
                           preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
                           env={**os.environ, "TERM": "screen-256color"})
    os.close(its)
    shown = [b""]
    reader = threading.Thread(target=drain, args=(mine, shown))
    reader.start()
    try:
        yield top.pid, shown
    finally:
        os.write(mine, b"q")
        top.wait()
        reader.join()
        os.close(mine)


def used_by(collector):
    """Seconds of CPU time of the collector and of the process that draws."""
    used = 0
    for pid in (collector, tools.child_of(collector, "profil")):
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        used += int(fields[11]) + int(fields[12])
    return used / os.sysconf("SC_CLK_TCK")


def top(bench, quick):
    seconds = 30 if quick else 180
    for name, before, command in (
            ("few addresses", 3, [f"{bench.build}/bench/spin", "1", "1000000"]),
            ("130,000 addresses", FILLING, ["-F", "50000", "--flat", "--cells", "262144", f"{bench.build}/tests/targets/wide"])):
        with drawn(bench, command) as (collector, shown):
            time.sleep(before)
            used, began = used_by(collector), time.monotonic()
            time.sleep(seconds)
            share = 100 * (used_by(collector) - used) / (time.monotonic() - began)
            every = re.findall(rb"every (\d+) s", shown[0])
        row(f"profil top, {name}", share, "% of a CPU", SHARE,
            f"a screen each {int(every[-1]) if every else 1} s")
