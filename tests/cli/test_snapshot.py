# SPDX-License-Identifier: BSD-2-Clause
"""The profile so far, while the program runs, and the live line."""

import os
import signal
import time

from command import (PROFIL, Running, cpu_ticks_below, expect, need_counting, profil, report,
                     target, wait_until)
from measure import FAST, check_identity, check_split, take
from terminal import Terminal

PATH = "profil.pb.gz"


def identity_of_file():
    """What tells a profile from the one that was there before it, or None."""
    if not os.path.exists(PATH):
        return None
    status = os.stat(PATH)
    return status.st_ino, status.st_mtime_ns


def wait_for_profile(older):
    """Wait for another profile than OLDER, an identity_of_file(); returns its own."""
    wait_until("a profile", lambda: identity_of_file() not in (None, older))
    return identity_of_file()


def check_snapshot():
    """The file is a whole profile, marked partial; returns its ticks."""
    whole = report(PATH)
    check_identity(whole)
    expect(whole["facts"]["partial"] is True, "a snapshot that is not marked partial")
    return whole["identity"]["samples"]


def wait_for_growth(fired):
    """Wait for a snapshot with more ticks than FIRED; where names take long, one is written first
    without and then with them.  Returns its ticks."""
    written, now = None, fired
    while now <= fired:
        written = wait_for_profile(written)
        now = check_snapshot()
    return now


def check_end(running, fired):
    done = running.wait()
    expect(done.status == 0, f"{done.status}: {done.words}")
    whole = report(PATH)
    check_identity(whole)
    expect(whole["facts"]["partial"] is False, "the end is marked partial")
    expect(whole["identity"]["samples"] > fired, "fewer ticks than in the snapshot")
    left = [name for name in os.listdir(".") if name != PATH]
    expect(not left, f"left behind: {left}")


def case_every():
    """--every 200ms writes whole profiles that grow while the program runs."""
    need_counting()
    running = Running([PROFIL, "-q", "--no-report", "--every", "200ms", target("split"), "3"])
    fired = 0
    for _ in range(3):
        fired = wait_for_growth(fired)
    expect(running.process.poll() is None, "the program had ended: these were no snapshots")
    check_end(running, fired)


def case_on_demand():
    """SIGUSR1 to profil writes the profile so far, each time, and the program does not see it."""
    need_counting()
    running = Running([PROFIL, "-q", "--no-report", target("split"), "3"])
    wait_until("some CPU time", lambda: cpu_ticks_below(running.pid) > 10)
    fired = 0
    for _ in range(2):
        os.kill(running.pid, signal.SIGUSR1)
        fired = wait_for_growth(fired)
        time.sleep(0.1)
    check_end(running, fired)


def case_survives_profil():
    """When profil is killed, its last snapshot is there, whole."""
    need_counting()
    running = Running([PROFIL, "-q", "--no-report", "--every", "200ms", target("split"), "1"])
    wait_for_profile(None)
    os.kill(running.pid, signal.SIGKILL)
    expect(running.wait().status == 137, "profil was not killed")
    expect(check_snapshot() > 0, "nothing is in it")


def case_snapshots_on_a_full_disk():
    """Snapshots that cannot be written do not end the program; profil says so and exits 125."""
    need_counting()
    done = profil("-q", "--no-report", "--every", "200ms", "-o", "/dev/full", target("split"))
    expect("spin_one" in done.text, "the program did not come to its end")
    lines = done.words.splitlines()
    expect(done.status == 125 and lines and all(line.startswith("profil: ") for line in lines),
           f"{done.status}: {done.words}")


def case_snapshots_lose_nothing():
    """With snapshots all along there are as many ticks as CPU time was used."""
    check_split(take(target("split"), options=(*FAST, "--every", "100ms")))


def case_live_line():
    """On a terminal a line of counters lives while the program runs; -q leaves it out."""
    need_counting()
    live = Terminal(["--no-report", "sleep", "2.5"])
    expect(live.wait() == 0, live.text)
    expect("\r" in live.text.replace("\r\n", "") and "samples" in live.text, repr(live.text))
    quiet = Terminal(["-q", "--no-report", "sleep", "1.5"])
    expect(quiet.wait() == 0 and quiet.text == "", repr(quiet.text))


def case_no_live_line_in_a_pipe():
    """Where stderr is no terminal there is no live line."""
    need_counting()
    done = profil("--no-report", target("split"), "1.2")
    expect("\r" not in done.words and "\x1b" not in done.words, repr(done.words))
