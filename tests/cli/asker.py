#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""asker.py PORT: ask a redis-server without pause, and look at every answer.

Sixteen connections have requests under way at the same time; one after the other is closed and made
anew.  At SIGTERM what is under way is answered, and the number of answers is printed.  An answer
that is not what it must be, or a connection that fails, ends it with status 1 and its reason.
"""

import signal
import socket
import sys

CONNECTIONS = 16
PAIRS = 8


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def batch(number):
    """Requests that write and read back, and all that must be answered to them."""
    asked, due = [], []
    for each in range(PAIRS):
        value = f"value {number * PAIRS + each}"
        asked.append(f"SET key:{each} \"{value}\"\r\nGET key:{each}\r\n")
        due.append(f"+OK\r\n${len(value)}\r\n{value}\r\n")
    return "".join(asked).encode(), "".join(due).encode()


def receive(connection, size):
    answer = b""
    while len(answer) < size:
        part = connection.recv(size - len(answer))
        if not part:
            raise OSError("the server closed a connection")
        answer += part
    return answer


def main():
    port = int(sys.argv[1])
    stop = []
    signal.signal(signal.SIGTERM, lambda number, frame: stop.append(number))
    # Each connection has a database for itself, so that its answers are its own.
    connections = [connect(port) for _ in range(CONNECTIONS)]
    answers = number = 0
    while not stop:
        number += 1
        renewed = number % CONNECTIONS
        connections[renewed].close()
        connections[renewed] = connect(port)
        asked, due = batch(number)
        for database, connection in enumerate(connections):
            connection.sendall(f"SELECT {database}\r\n".encode() + asked)
        for connection in connections:
            answer = receive(connection, len(b"+OK\r\n" + due))
            if answer != b"+OK\r\n" + due:
                raise ValueError(f"answered {answer!r}, due {due!r}")
            answers += 2 * PAIRS + 1
    print(answers)


main()
