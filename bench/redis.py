# SPDX-License-Identifier: BSD-2-Clause
"""redis-server on loopback, and what loads it."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import time

from rows import leave_out

PATIENCE = 30


class Redis:
    """A server that keeps nothing on disk; it is started by whoever measures it."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        with socket.socket() as probe:  # a port that nobody has
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]

    @classmethod
    def find(cls, folder):
        """redis-server; or the program that Debian's redis-tools has under another name, which is
        the same, and no service comes with it.  None when neither is there."""
        program = shutil.which("redis-server")
        same = shutil.which("redis-check-rdb")
        if not shutil.which("redis-benchmark") or not (program or same):
            leave_out("redis-server", "redis-tools is not installed")
            return None
        if not program:
            program = os.path.join(folder, "redis-server")
            os.symlink(same, program)
        return cls(program, folder)

    def command(self):
        return [self.program, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
                "--appendonly", "no", "--dir", self.folder, "--loglevel", "warning"]

    def ask(self, words):
        """The server's answer to a command in a line, or None."""
        with contextlib.suppress(OSError):
            with socket.create_connection(("127.0.0.1", self.port)) as connection:
                connection.sendall(f"{words}\r\n".encode())
                return connection.recv(65536).decode()
        return None

    def await_answer(self):
        """The pid of the server, once it answers."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = re.search(r"process_id:(\d+)", self.ask("INFO server") or "")
            if found:
                return int(found[1])
            time.sleep(0.01)
        raise SystemExit("bench: redis-server did not start")

    def shut_down(self):
        self.ask("SHUTDOWN NOSAVE")

    def benchmark(self, *options):
        return ["redis-benchmark", "-p", str(self.port), "-t", "set,get", "-r", "10000", "-c", "20",
                "-q", *options]

    def throughput(self, clients, requests, under=()):
        """Answers a second to REQUESTS of CLIENTS at once; UNDER: the words of who runs the load."""
        done = subprocess.run([*under, *self.benchmark("-t", "get", "-c", str(clients), "-n",
                                                       str(requests))],
                              capture_output=True, text=True, check=True)
        return float(re.findall(r"GET: ([\d.]+) requests", done.stdout)[-1])

    def load(self, requests):
        """Seconds that half of REQUESTS to set and half to get took."""
        began = time.monotonic()
        subprocess.run(self.benchmark("-n", str(requests // 2)), stdout=subprocess.DEVNULL,
                       check=True)
        return time.monotonic() - began

    @contextlib.contextmanager
    def under_load(self):
        """Requests without end meanwhile."""
        process = subprocess.Popen(self.benchmark("-l"), stdout=subprocess.DEVNULL)
        try:
            yield
        finally:
            process.terminate()
            process.wait()
