# SPDX-License-Identifier: BSD-2-Clause
"""profil as the foreground job of a terminal of its own."""

import fcntl
import os
import pty
import re
import select
import struct
import termios

from command import PATIENCE, PROFIL, Running, expect


class Terminal:
    def __init__(self, arguments, columns=80, environment=None):
        """A terminal COLUMNS wide with colour and UTF-8, unless ENVIRONMENT says otherwise."""
        plain = {name: value for name, value in os.environ.items()
                 if name not in ("COLUMNS", "LINES", "NO_COLOR")}
        plain.update({"TERM": "xterm", "LC_ALL": "C.UTF-8"}, **(environment or {}))
        self.seen = b""
        go, ready = os.pipe()
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.read(go, 1)  # the terminal has its size
            os.execve(PROFIL, [PROFIL, *arguments], plain)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.write(ready, b".")
        os.close(go)
        os.close(ready)

    @property
    def text(self):
        return self.seen.decode()

    @property
    def left(self):
        """The text without what was erased."""
        return re.sub(r"[^\n]*\r\x1b\[K", "", self.text).replace("\r\n", "\n")

    def read_until(self, text):
        while text not in self.text:
            ready, _, _ = select.select([self.master], [], [], PATIENCE)
            expect(ready, f"waited in vain for {text!r}: {self.text!r}")
            self.seen += os.read(self.master, 65536)

    def type(self, keys):
        os.write(self.master, keys)

    def wait(self):
        """The status as a shell says it; everything that was shown is in text."""
        try:
            while chunk := os.read(self.master, 65536):
                self.seen += chunk
        except OSError:  # EIO: the last one has closed the terminal
            pass
        os.close(self.master)
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return code if code >= 0 else 128 - code


def on_any_terminal(*arguments):
    """All bytes that profil ARGUMENTS prints on a terminal, which is not its own: with that, what
    was not read yet would be lost at its end, by the hangup."""
    master, slave = pty.openpty()
    running = Running([PROFIL, *arguments], stdout=slave)
    os.close(slave)
    seen = b""
    try:
        while chunk := os.read(master, 65536):
            seen += chunk
    except OSError:  # EIO: it was closed by profil's end
        pass
    os.close(master)
    done = running.wait()
    expect(done.status == 0, f"{arguments}: {done.status}: {done.words}")
    return seen
