# SPDX-License-Identifier: BSD-2-Clause
"""What the account of all time costs where it costs most: in programs that wait all the time, two
processes that wake each other on one CPU, and a server that answers one client."""

import contextlib
import shutil
import signal
import statistics
import subprocess
import time

from redis import Redis
from rows import leave_out, row

ROUNDS = 100000
LIMIT = 1.20
RATE = 997
CLIENTS = {1: 0.97, 20: 0.98}  # clients at once: the least of the throughput that has to be left


@contextlib.contextmanager
def attached(command):
    """COMMAND measures meanwhile, until it is interrupted."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1)  # perf says nothing when it has begun
    if process.poll() is not None:
        raise SystemExit(f"bench: {' '.join(command)[:200]}: status {process.returncode}")
    try:
        yield
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def observers(bench, pid):
    """Who measures the server PID, by name, and what the load runs under."""
    attach = [bench.profil, "attach", "-q", "--no-report", "-o", bench.path("redis.pb.gz"), "-p", pid]
    yield "nobody", None, []
    yield "the bare interrupt", None, [f"{bench.build}/bench/bare-clock", str(1000000000 // RATE)]
    yield "samples", attach, []
    yield "--wall", [*attach, "--wall"], []
    serve = [bench.profil, "serve", "--listen", "127.0.0.1:0"]
    yield "profil serve -p", [*serve, "-p", pid], []
    yield "profil serve -a -d", [*serve, "-a", "--every", "5s", "-d", bench.path("served")], []
    if bench.perf:
        yield ("perf record -g -e sched:sched_switch",
               [bench.perf, "record", "-q", "-g", "-e", "sched:sched_switch", "-o",
                bench.path("redis.data"), "-p", pid], [])
    offcputime = shutil.which("offcputime-bpfcc")
    if offcputime:
        yield "offcputime", [offcputime, "-p", pid, "-f"], []
    else:
        leave_out("offcputime", "bpfcc-tools is not installed")


def answers(bench, redis, clients, rounds):
    """The answers a second under each observer, of which each has its turn in each round."""
    seen, requests = {}, 25000 * min(clients, 3)  # about as long with many, who wait less
    with subprocess.Popen(redis.command(), stdout=subprocess.DEVNULL):
        ways = list(observers(bench, str(redis.await_answer())))
        for _ in range(rounds):
            for name, command, under in ways:
                with attached(command) if command else contextlib.nullcontext():
                    seen.setdefault(name, []).append(redis.throughput(clients, requests, under))
        redis.shut_down()
    return seen


def ratios(ones, others):
    """ONES over OTHERS, pair by pair, the smallest first."""
    return sorted(one / other for one, other in zip(ones, others))


def ends(values):
    """The middle half of VALUES, which are in order."""
    return f"{values[len(values) // 4]:.3f} to {values[-1 - len(values) // 4]:.3f}"


def server(bench, quick):
    """What is left of a server's throughput.  The clock's interrupts are what sampling costs whoever
    does it: they stand beside."""
    redis = Redis.find(bench.folder)
    if not redis:
        return
    for clients, least in CLIENTS.items():
        seen = answers(bench, redis, clients, 3 if quick else 9)
        nobody, bare = seen["nobody"], seen["the bare interrupt"]
        at_once = f"{clients} client{'s' if clients > 1 else ''}"
        row(f"redis, {at_once}, nobody measures", statistics.median(nobody), "/s")
        of_none = ratios(bare, nobody)
        row(f"the bare interrupt at {RATE} Hz, {at_once}", statistics.median(of_none), "x", None,
            f"of the throughput that is had while nobody measures; {ends(of_none)}")
        for name in list(seen)[2:]:
            of_none, of_bare = ratios(seen[name], nobody), ratios(seen[name], bare)
            row(f"{name}, {at_once}", statistics.median(of_none), "x",
                least if name == "--wall" or "serve" in name else None,
                f"of that while nobody measures, {ends(of_none)}; of that under the bare interrupt"
                f" {statistics.median(of_bare):.3f}, {ends(of_bare)}", least=True)


def ping_pong(bench, quick):
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
        of_none = ratios(took[way], took["without profil"])
        row(f"{way}, of that", statistics.median(of_none), "x", LIMIT if "wall" in way else None,
            ends(of_none))


def wall(bench, quick):
    """What two processes and a server lose."""
    ping_pong(bench, quick)
    server(bench, quick)
