# SPDX-License-Identifier: BSD-2-Clause
"""A real server under load, and what is to be seen of it from outside."""

import os
import re
import shutil
import signal
import socket
import sys

from command import Running, Skip, descriptors, expect, wait_until

ASKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "asker.py")

# What /proc/PID/status says of state that somebody has set; what is left out goes up and down by
# itself, as memory and the switches between tasks do.
SET = ("Name", "Umask", "Tgid", "Ngid", "Pid", "PPid", "TracerPid", "Uid", "Gid", "FDSize",
       "Groups", "NStgid", "NSpid", "NSpgid", "NSsid", "Kthread", "CoreDumping", "THP_enabled", "Threads",
       "SigPnd", "ShdPnd", "SigBlk", "SigIgn", "SigCgt", "CapInh", "CapPrm", "CapEff",
       "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp", "Seccomp_filters", "Cpus_allowed",
       "Mems_allowed")


def redis_program():
    """redis-server.  Debian has the same program in redis-tools, under a name by which it does
    something else, and without the service that starts with the package of the server."""
    program = shutil.which("redis-server")
    same = shutil.which("redis-check-rdb")
    if program:
        return program
    if not same:
        raise Skip("needs redis-server, or redis-check-rdb of redis-tools, which is the same")
    os.symlink(same, "redis-server")
    return os.path.abspath("redis-server")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """redis-server, with all that it keeps in memory alone."""

    def __init__(self):
        self.port = free_port()
        self.running = Running([redis_program(), "--port", str(self.port), "--bind", "127.0.0.1",
                                "--save", "", "--appendonly", "no", "--databases", "16",
                                "--loglevel", "warning"])
        self.pid = self.running.pid
        wait_until("the server", lambda: self.ask("PING") == "+PONG\r\n")

    def ask(self, words):
        try:
            with socket.create_connection(("127.0.0.1", self.port)) as connection:
                connection.sendall(f"{words}\r\n".encode())
                return connection.recv(65536).decode()
        except OSError:
            return None

    def asked(self):
        """Requests by now."""
        return int(re.search(r"total_commands_processed:(\d+)", self.ask("INFO stats"))[1])

    def start_load(self):
        self.load = Running([sys.executable, ASKER, str(self.port)])

    def end_load(self):
        """The number of requests that were answered, all of them rightly."""
        os.kill(self.load.pid, signal.SIGTERM)
        done = self.load.wait()
        expect(done.status == 0, f"a request failed: {done.words}")
        return int(done.text)

    def is_alone(self):
        """Whether nobody is connected: the one socket is the one it listens at."""
        links = descriptors(self.pid).values()
        return sum(link.startswith("socket:") for link in links) == 1


def read(path):
    with open(path) as file:
        return file.read()


def set_by_somebody(status):
    lines = (line.split(":", 1) for line in status.splitlines())
    return {name: value.strip() for name, value in lines if name in SET}


def state_of(pid):
    """All that profil might have left behind in a process."""
    tasks = sorted(os.listdir(f"/proc/{pid}/task"), key=int)
    return {
        "descriptors": descriptors(pid),
        "maps": read(f"/proc/{pid}/maps").splitlines(),
        "limits": read(f"/proc/{pid}/limits"),
        "timers": read(f"/proc/{pid}/timers"),
        "threads": {tid: set_by_somebody(read(f"/proc/{pid}/task/{tid}/status")) for tid in tasks},
    }


def check_same(before, after):
    for what, seen in before.items():
        expect(after[what] == seen, f"{what} before: {seen}, after: {after[what]}")
