# SPDX-License-Identifier: BSD-2-Clause
"""Names are found in a process of their own, which may fail without harm."""

import os
import signal
import socket

from command import PROFIL, Running, expect, need_counting, need_program, report, wait_until
from measure import check_identity

PATH = "profil.pb.gz"
WORK = ("sh", "-c", "head -c 3000000 /dev/zero | xz -9 -T1 | cat > /dev/null")


def naming_process(pid):
    """The child of PID that runs profil while it has others that have ended, or None."""
    with open(f"/proc/{pid}/task/{pid}/children") as children:
        for child in children.read().split():
            try:
                if os.readlink(f"/proc/{child}/exe") == os.path.realpath(PROFIL):
                    return int(child)
            except OSError:  # the program, which has ended and is not yet waited for
                pass
    return None


def case_killed():
    """A process that is killed while it waits for debug information costs the profile its names
    and nothing else, in one line; the report can find them later."""
    need_counting()
    need_program("xz")
    with socket.socket() as server:  # accepts, and never says a word
        server.bind(("127.0.0.1", 0))
        server.listen()
        environment = {**os.environ,
                       "DEBUGINFOD_URLS": f"http://127.0.0.1:{server.getsockname()[1]}"}
        running = Running([PROFIL, "-q", "--no-report", "-o", PATH, *WORK], env=environment)
        server.settimeout(60)
        connection, _ = server.accept()
        naming = naming_process(running.pid)
        expect(naming, "debug information is asked for, and not by a process of its own")
        os.kill(naming, signal.SIGKILL)
        done = running.wait()
        connection.close()
    expect(done.status == 0, f"{done.status}: {done.words}")
    expect(done.words == "profil: names: reading debug information ended with signal 9: 'profil "
           "report' will try again\n", done.words)
    whole = report(PATH)
    check_identity(whole)
    expect(any(row["name"].startswith("liblzma") for row in whole["rows"]), f"{whole['rows']}")


def case_collector_stays_small():
    """The names of a program take memory in another process; the collector's peak is as without."""
    need_counting()
    need_program("xz")
    peaks = []
    for options in (("--raw",), ()):
        running = Running([PROFIL, "-q", "--no-report", *options, "-o", PATH, *WORK])
        peak = 0

        def ended():
            nonlocal peak
            try:
                with open(f"/proc/{running.pid}/status") as status:
                    lines = dict(line.split(":", 1) for line in status)
            except OSError:
                return True
            peak = max(peak, int(lines.get("VmHWM", "0 kB").split()[0]))
            return lines["State"].split()[0] == "Z"

        wait_until("the end", ended)
        done = running.wait()
        expect(done.status == 0, done.words)
        peaks.append(peak)
    expect(peaks[1] <= 1.1 * peaks[0] + 1024, f"KiB without and with names: {peaks}")
