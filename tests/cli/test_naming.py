# SPDX-License-Identifier: BSD-2-Clause
"""Names are found in a process of their own, which may fail without harm."""

import contextlib
import fcntl
import gzip
import os
import shutil
import signal
import socket
import time

from command import (PROFIL, Running, check_files, expect, need_counting, need_program, report, run,
                     target, wait_until)
from limits import check_between
from measure import check_identity
from terminal import Terminal

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


def case_out_of_memory():
    """Where libdw is out of memory it ends the process, with 1: that is what is said, not what error 1 is called."""
    need_counting()
    need_program("gcc")
    with open("ends.c", "w", encoding="ascii") as file:
        file.write("#include <stdlib.h>\nvoid *dwarf_begin_elf(void) { exit(EXIT_FAILURE); }\n")
    expect(run("gcc", "-shared", "-fPIC", "-o", "ends.so", "ends.c").status == 0, "gcc")
    done = run(PROFIL, "-q", "--no-report", "-o", PATH, target("split"), "0.2",
               env={**os.environ, "LD_PRELOAD": os.path.abspath("ends.so")})
    expect(done.status == 0 and done.words == "profil: names: Cannot allocate memory: 'profil report' will try again\n",
           f"{done.status}: {done.words}")
    check_identity(report(PATH))


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
        running = Running([PROFIL, "-q", "--no-report", *options, "-o", PATH, *WORK],
                          env={**os.environ, "LD_PRELOAD": target("libstops-at-its-end.so")})

        def stopped():
            with open(f"/proc/{running.pid}/status") as status:
                lines = dict(line.split(":", 1) for line in status)
            if not lines["State"].split()[0] == "T":
                return False
            peaks.append(int(lines["VmHWM"].split()[0]))
            return True

        wait_until("the end", stopped)
        os.kill(running.pid, signal.SIGCONT)
        done = running.wait()
        expect(done.status == 0, done.words)
    check_between(f"KiB with names, {peaks[0]} without", peaks[1], 0, 1.1 * peaks[0] + 1024)


class Silent:
    """A server that takes every connection and never says a word, and a program whose names it is
    asked for."""

    def __init__(self):
        need_counting()
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen()
        self.environment = {"DEBUGINFOD_URLS": f"http://127.0.0.1:{self.socket.getsockname()[1]}",
                            "DEBUGINFOD_CACHE_PATH": os.path.abspath("cache")}
        shutil.copy(target("split"), "bare")
        run("strip", "bare")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def start(self, *arguments):
        return Running([PROFIL, "-q", "--no-report", "-o", PATH, *arguments],
                       env={**os.environ, **self.environment})

    def is_asked(self):
        """Wait until it is asked; the connection lives as long as what is returned."""
        self.socket.settimeout(60)
        return self.socket.accept()[0]

    def check_cache(self):
        """Nothing unfinished is left, and no word that there were no such file."""
        for folder, _, names in os.walk("cache"):
            expect(folder == "cache" or not names, f"in {folder}: {names}")


def check_profile(partial=False):
    """The file has all that was counted."""
    whole = report(PATH)
    check_identity(whole)
    expect(whole["identity"]["samples"] > 0, "nothing is in it")
    expect(whole["facts"]["partial"] is partial, f"partial: {whole['facts']['partial']}")


def case_first_signal():
    """The counts are in the file before a name is sought; a signal ends the search, not the rest."""
    with Silent() as server:
        for number in (signal.SIGTERM, signal.SIGHUP):
            running = server.start("--names-timeout", "1h", "./bare", "0.3")
            connection = server.is_asked()
            check_profile()
            os.kill(running.pid, number)
            done = running.wait()
            connection.close()
            expect(done.status == 0 and done.words == "profil: names: the search was ended by a "
                   "signal: 'profil report' will go on with it\n", f"{done.status}: {done.words}")
            check_profile()
        server.check_cache()
        check_files("bare", "cache", PATH, "profil.old.pb.gz")


def case_second_signal():
    """A second signal ends everything, whatever hangs; what was counted is in the file."""
    with Silent() as server:
        running = server.start("--names-timeout", "1h", "./bare", "0.3")
        connection = server.is_asked()
        os.kill(naming_process(running.pid), signal.SIGSTOP)
        for number in (signal.SIGHUP, signal.SIGTERM):
            os.kill(running.pid, number)
        done = running.wait()
        connection.close()
        expect(done.status == 143 and not done.words, f"{done.status}: {done.words}")
        check_profile()


def has_names():
    """Whether the profile is there, and a function of the program has its name."""
    with contextlib.suppress(FileNotFoundError), gzip.open(PATH) as file:
        return b"spin_one" in file.read()
    return False


def case_signal_at_the_report():
    """Who has found the names writes and reports.  What ends it then, and a signal to profil does,
    ends profil; the profile with its names is there, whole, and nothing is left beside it."""
    need_counting()
    for number, status in ((signal.SIGTERM, 143), (signal.SIGKILL, 137)):
        inside, outside = os.pipe()
        fcntl.fcntl(outside, fcntl.F_SETPIPE_SZ, 4096)
        os.set_blocking(outside, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(outside, b" ")
        os.set_blocking(outside, True)
        running = Running([PROFIL, "-q", "-o", PATH, target("split"), "0.3"], stderr=outside)
        os.close(outside)
        wait_until("names", has_names)
        # What comes before the file is in its place is forgotten.
        while naming := naming_process(running.pid):
            os.kill(running.pid if number == signal.SIGTERM else naming, number)
            time.sleep(0.05)
        with open(inside, "rb") as words:
            said = words.read().decode().strip()
        expect(running.process.wait() == status, f"{running.process.returncode}: {said}")
        expect(said == f"profil: ended with signal {number} before all was written and reported",
               said)
        check_profile()
        check_files(PATH)
        os.unlink(PATH)


def case_time_is_over():
    """A server that does not answer is not waited for longer than --names-timeout, in all."""
    with Silent() as server:
        done = server.start("--names-timeout", "0.2", "./bare", "0.3").wait()
        expect(done.status == 0 and done.words == "profil: names: debuginfod has not answered in "
               "0.2 s: files stay without their debug information: --names-timeout waits longer\n",
               f"{done.status}: {done.words}")
        check_profile()
        server.check_cache()
        server.is_asked().close()
        done = server.start("--names-timeout", "0", "./bare", "0.3").wait()
        expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
        server.socket.settimeout(0)
        with contextlib.suppress(BlockingIOError):
            server.socket.accept()
            raise AssertionError("asked though it may take no time")


def case_snapshot_is_not_waited_for():
    """While a snapshot's names are sought the counts are written, and signals reach the program."""
    with Silent() as server:
        running = server.start("--names-timeout", "1h", "--every", "100ms", "sh", "-c",
                               "trap 'trap \"\" TERM; echo got; exit 7' TERM; "
                               "while :; do ./bare 0.05; done")
        connection = server.is_asked()
        wait_until("a profile", lambda: os.path.exists(PATH))
        check_profile(partial=True)
        os.kill(running.pid, signal.SIGTERM)
        wait_until("the program's word", lambda: b"got" in running.so_far())
        # One that comes too early is the program's; then they end the search, and profil itself.
        while os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            os.kill(running.pid, signal.SIGTERM)
            time.sleep(0.05)
        done = running.wait()
        connection.close()
        expect(done.status in (7, 143), f"{done.status}: {done.words}")
        check_profile()


@contextlib.contextmanager
def searching():
    """A terminal on which it is seen that a server is waited for, until what is done there has ended the search."""
    with Silent() as server:
        shown = Terminal(["--names-timeout", "1h", "--no-report", "./bare", "0.3"],
                         environment=server.environment)
        connection = server.is_asked()
        shown.read_until(" files: debuginfod")
        yield shown
        expect(shown.wait() == 0, shown.text)
        connection.close()


def case_progress():
    """On a terminal it is seen that a server is waited for, and Ctrl-C ends it."""
    with searching() as shown:
        shown.type(b"\x03")
    check_profile()
    expect("profil: names: " in shown.text, shown.text)
    expect(shown.left.split("\n")[-2:] == [
        "profil: names: the search was ended by a signal: 'profil report' will go on with it", ""],
        f"{shown.text!r}")


def case_no_progress():
    """With -q, and where stderr is no terminal, nothing is shown of a search that takes two seconds."""
    said = ("profil: names: debuginfod has not answered in 2 s: files stay without their debug "
            "information: --names-timeout waits longer\n")
    with Silent() as server:
        options = ("--names-timeout", "2", "--no-report", "./bare", "0.3")
        shown = Terminal(["-q", *options], environment=server.environment)
        expect(shown.wait() == 0, shown.text)
        expect("\x1b" not in shown.text and shown.left.endswith(f"\n{said}"), f"{shown.text!r}")
        done = run(PROFIL, *options, env={**os.environ, **server.environment})
        expect(done.status == 0 and "\x1b" not in done.words and done.words.endswith(said),
               f"{done.status}: {done.words!r}")


def case_progress_of_a_killed_search():
    """How far a search was that was killed stands on the terminal no more."""
    with searching() as shown:
        os.kill(naming_process(shown.pid), signal.SIGKILL)
    expect(shown.left.split("\n")[-2:] == [
        "profil: names: reading debug information ended with signal 9: 'profil report' will try again",
        ""], f"{shown.text!r}")
