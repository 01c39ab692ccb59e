# SPDX-License-Identifier: BSD-2-Clause
"""profil serve, and clients of it that need not be polite."""

import http.client
import re
import socket

from command import PROFIL, Running, expect, wait_until

HTML, TEXT = "text/html; charset=utf-8", "text/plain; charset=utf-8"


class Asked:
    """A server that has printed URL, and what it is asked with the token in it."""

    def __init__(self, url):
        found = re.fullmatch(r"http://(.+):(\d+)/\?token=([0-9a-f]{32})\n", url)
        if not found:
            raise AssertionError(f"no address: {url}")
        self.url = url.rstrip("\n")
        self.host, self.port, self.token = found[1].strip("[]"), int(found[2]), found[3]

    def connect(self):
        return http.client.HTTPConnection(self.host, self.port, timeout=60)

    def ask(self, path, method="GET", connection=None, token=True, **headers):
        """The status, the headers and the body of an answer."""
        connection = connection or self.connect()
        said = {"Authorization": f"Bearer {self.token}"} if token else {}
        said.update({name.replace("_", "-"): value for name, value in headers.items()})
        connection.request(method, path, headers=said)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def get(self, path, kind=None, **headers):
        status, found, body = self.ask(path, **headers)
        expect(status == 200, f"{path}: {status}: {body[:300]}")
        expect(kind is None or found["Content-Type"] == kind, f"{path}: {found['Content-Type']}")
        return body

    def say(self, text, end=True):
        """What the server answers to bytes, until it closes; END: no more come."""
        answer = b""
        with socket.create_connection((self.host, self.port), timeout=60) as connection:
            try:
                connection.sendall(text)
                if end:
                    connection.shutdown(socket.SHUT_WR)
                while some := connection.recv(1 << 16):
                    answer += some
            except OSError:
                pass  # it has heard enough
        return answer


class Served(Asked):
    """One that this has begun."""

    def __init__(self, *arguments, listen="127.0.0.1:0", before=(), **options):
        self.running = Running([*before, PROFIL, "serve", "--listen", listen, *arguments], **options)
        self.pid = self.running.pid
        wait_until("the address", lambda: b"\n" in self.running.so_far()
                   or self.running.process.poll() is not None)
        if not self.running.so_far():
            raise AssertionError(f"no address: {self.running.wait().words}")
        super().__init__(self.running.so_far().decode())

    def memory(self):
        with open(f"/proc/{self.pid}/status") as status:
            return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmRSS"))
