# SPDX-License-Identifier: BSD-2-Clause
"""Processes that run already: all their threads, their later children, and not a trace of it."""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time

from command import (AS_NOBODY, PROFIL, Running, check_error, check_files, cpu_ticks_below,
                     cpu_ticks_of, expect, need_counting, need_program, need_root, profil, report,
                     run, target, wait_until)
from limits import check_between, check_least, check_share, ticks_between
from measure import FAST, check_identity
from stolen import stolen_since

PATH = "profil.pb.gz"

# The kernel brings the CPU time of a task that runs up to date at its own tick, ten milliseconds
# apart at most, and so at either end of a measurement.
STALE = 2 * 0.010

LIBC = ctypes.CDLL(None, use_errno=True)
PIDFD_GETFD = 438  # on every machine


def attach(*options, **how):
    need_counting()
    return Running([PROFIL, "attach", "-q", "--no-report", *FAST, "-o", PATH, *options], **how)


def check_ended(running, threads):
    """What holds for every profile, ticks against the kernel's CPU time among it."""
    done = running.wait()
    expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
    whole = report(PATH)
    check_identity(whole)
    facts = whole["facts"]
    period = facts["period_ns"] * 1e-9
    # A thread runs from one switch of its CPU to the next, of which there are some hundred a
    # second for each that wants to run.
    least, most = ticks_between(facts["cpu_ns"] * 1e-9, period, runs=10000)
    slack = (STALE * threads + stolen_since(done.stolen_before)) / period
    check_between("ticks for the CPU time", whole["identity"]["samples"], least - slack, most + slack)
    return whole


def ticks_by_name(whole):
    return {row["name"]: row["samples"] for row in whole["rows"]}


def expect_split(whole):
    ticks = ticks_by_name(whole)
    three, one = ticks.get("spin_three", 0), ticks.get("spin_one", 0)
    check_least("ticks of both", three + one, 500)
    return three, one


def case_until_it_ends():
    """A process is measured from now until it ends; profil ends with it."""
    worker = Running([target("split"), "1.5"])
    wait_until("work", lambda: cpu_ticks_of(worker.pid) > 5)
    running = attach("-p", str(worker.pid))
    expect(worker.wait().status == 0, "the worker failed")
    whole = check_ended(running, threads=1)
    expect_split(whole)
    expect(whole["facts"]["command"] == f"split ({worker.pid})", whole["facts"]["command"])
    expect(whole["facts"]["tasks"] == 1, whole["facts"]["tasks"])


def case_all_threads():
    """All threads that are there count, not only the first."""
    need_program("python3")
    # Threads of one interpreter take turns; the work is outside of its lock.
    worker = Running(["python3", "-c", """
import hashlib, threading
def work():
    data = bytes(1 << 20)
    while True:
        hashlib.sha256(data).digest()
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
threading.Event().wait()
"""])
    wait_until("two threads at work", lambda: cpu_ticks_of(worker.pid) > 50)
    for tid in os.listdir(f"/proc/{worker.pid}/task"):
        if tid != str(worker.pid):
            check_error(profil("attach", "-p", tid), 125, "a thread of another process")
    whole = check_ended(attach("-p", str(worker.pid), "--by-thread", "--for", "1s"), threads=3)
    worker.process.kill()
    worker.wait()
    expect(whole["facts"]["tasks"] == 3, f"{whole['facts']['tasks']} threads, not 3")
    # Beside others each has its share of the CPUs; the first thread waits.
    threads = [row for row in report(PATH, "--by", "thread")["rows"] if row["samples"] > 20]
    expect(len(threads) == 2, f"{threads}")


def case_later_children():
    """Children made while it is measured count; those made before do not."""
    worker = Running(["sh", "-c", f"""
        {target('split')} 20 & before=$!
        echo ready
        read go
        {target('split')} 0.5 > /dev/null
        kill $before"""], stdin=subprocess.PIPE)
    wait_until("the child before", lambda: b"ready" in worker.so_far()
               and cpu_ticks_below(worker.pid) > 5)
    running = attach("-p", str(worker.pid), "--by-process")
    wait_until("the clock", lambda: counting(running.pid))
    worker.process.stdin.write(b"go\n")
    worker.process.stdin.close()
    worker.wait()
    whole = check_ended(running, threads=2)
    processes = [row for row in report(PATH, "--by", "process")["rows"]
                 if row["name"].startswith("split")]
    expect(len(processes) == 1, f"{processes}")
    three, one = expect_split(whole)
    # The two functions take turns by their own clock, 3:1.
    check_share("spin_three", three, three + one, 0.75)


def ticked(pid, descriptor):
    """For how long, in nanoseconds, the clock that PID has as DESCRIPTOR has ticked, by its own word."""
    pidfd = os.pidfd_open(pid)
    clock = LIBC.syscall(PIDFD_GETFD, pidfd, int(descriptor), 0)
    os.close(pidfd)
    if clock < 0:
        return 0
    try:
        # Behind it a clock may say what it lost, and one that does gives no part of its words.
        return int.from_bytes(os.read(clock, 64)[:8], sys.byteorder)
    finally:
        os.close(clock)


def counting(pid):
    """Whether a clock of PID's ticks already."""
    folder = f"/proc/{pid}/fd"
    try:
        return any(os.readlink(f"{folder}/{name}") == "anon_inode:[perf_event]"
                   and ticked(pid, name) for name in os.listdir(folder))
    except OSError:
        return False


def case_by_name():
    """--comm takes all processes of a name, each once, with -p on top."""
    shutil.copy(target("split"), "named-work")
    workers = [Running(["./named-work", "20"]) for _ in range(2)]
    wait_until("work", lambda: all(cpu_ticks_of(worker.pid) > 2 for worker in workers))
    whole = check_ended(attach("--comm", "named-work", "-p", str(workers[0].pid), "--by-process",
                               "--for", "500ms"), threads=2)
    for worker in workers:
        expect(worker.process.poll() is None, "a worker has ended")
        worker.process.kill()
        worker.wait()
    expect(whole["facts"]["tasks"] == 2, f"{whole['facts']['tasks']} processes, not 2")
    rows = report(PATH, "--by", "process")["rows"]
    expect(len(rows) == 2, f"{rows}")


def case_titles():
    """Two servers of one name are told apart by their command lines, which may say anything."""
    titles = "server: writer", "server: \x1b[31m reader"
    spin = "while :; do :; done"
    servers = [subprocess.Popen([title, "-c", spin], executable="/bin/sh") for title in titles]
    pids = [str(server.pid) for server in servers]
    try:
        done = attach("-p", ",".join(pids), "--by-process", "--for", "500ms").wait()
    finally:
        for server in servers:
            server.kill()
            server.wait()
    expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
    rows = {str(row["pid"]): row for row in report(PATH, "--by", "process")["rows"]}
    expect(list(rows) and set(rows) == set(pids), rows)
    for pid, title in zip(pids, titles):
        expect(rows[pid]["name"] == "sh" and rows[pid]["title"] == f"{title} -c {spin}", rows[pid])
    text = run(PROFIL, "report", "--by", "process", PATH).text
    expect("server: writer -c while" in text and "server: ?[31m reader -c while" in text, text)


def case_at_least():
    """The perf engine does not see all CPU time of processes that end: the report says "at least"; of one
    that does not end it sees all, and the kernel engine sees all of each."""
    script = f"while :; do {target('split')} 0.01 >/dev/null; done"
    for engine, command, at_least in (("perf", ["sh", "-c", script], True),
                                      ("kernel", ["sh", "-c", script], False),
                                      ("perf", [target("split"), "60"], False)):
        worker = Running(command)
        running = attach("-p", str(worker.pid), "--engine", engine)
        wait_until("the clock", lambda: counting(running.pid))
        time.sleep(1)
        os.kill(running.pid, signal.SIGINT)
        done = running.wait()
        worker.process.kill()
        worker.wait()
        expect(done.status == 0, f"{done.status}: {done.words}")
        said = run(PROFIL, "report", PATH).text
        expect("s of CPU consumed" in said, said)
        expect(("\nat least " in said) == at_least, f"{engine}: {said}")
        expect(report(PATH)["facts"]["cpu_at_least"] == at_least, f"{engine}: {said}")
        expect("not waited for" not in said, said)
        os.unlink(PATH)


def case_interrupted():
    """Ctrl-C and its like end the measurement, not the process, and the profile is written."""
    worker = Running([target("split"), "30"])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        running = attach("-p", str(worker.pid))
        wait_until("the clock", lambda: counting(running.pid))
        before = cpu_ticks_of(worker.pid)
        wait_until("CPU time", lambda: cpu_ticks_of(worker.pid) > before + 10)
        os.kill(running.pid, number)
        whole = check_ended(running, threads=1)
        expect(whole["identity"]["samples"] > 0, "no ticks")
        os.unlink(PATH)
    expect(worker.process.poll() is None, "the worker has ended")
    worker.process.kill()
    worker.wait()


def case_no_system_call_is_disturbed():
    """A process that sleeps in system calls sees no EINTR when it is attached to and let go."""
    need_program("python3")
    worker = Running(["python3", "-c", """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
print("ready", flush=True)
interrupted = calls = 0
while not os.path.exists("stop"):
    calls += 1
    if libc.poll(None, 0, 20) < 0:
        interrupted += 1
print("calls", calls, "interrupted", interrupted)
"""])
    wait_until("the worker", lambda: b"ready" in worker.so_far())
    for _ in range(20):
        done = attach("-p", str(worker.pid), "--for", "100ms").wait()
        expect(done.status == 0, done.words)
    open("stop", "w").close()
    words = worker.wait().text
    expect("interrupted 0" in words and int(words.split()[2]) > 20, words)


def case_wrong():
    """What cannot be attached to is one line and 125, and no file."""
    need_counting()
    gone = subprocess.Popen(["true"])
    gone.wait()
    for options, word in (((), "-p or --comm"), (("-p", "x"), "'x'"), (("-p", f"{os.getpid()},,"), "''"),
                          (("-p", "0"), "'0'"), (("-p", str(gone.pid)), str(gone.pid)),
                          (("--comm", "no-such-name"), "no-such-name"),
                          (("-p", str(os.getpid()), "true"), "'true'"),
                          (("-p", str(os.getpid()), "--clock", "task"), "--clock task"),
                          (("-p", str(os.getpid()), "--for", "0s"), "--for")):
        check_error(profil("attach", *options), 125, word)
    check_files()


def lend_profil(capabilities):
    """A profil whose file has CAPABILITIES, in a folder "open" to every user."""
    need_root()
    need_program("setpriv", "setcap")
    os.makedirs("open", exist_ok=True)
    os.chmod("open", 0o777)
    shutil.copy(PROFIL, "open/profil")
    run("setcap", capabilities, "open/profil")


def case_threads_of_the_kernel():
    """They are root's: it measures them, and a profil with file capabilities refuses them to others."""
    lend_profil("cap_bpf,cap_perfmon+ep")
    options = ("attach", "-q", "--no-report", "--for", "100ms")
    for who in (("-p", "2"), ("--comm", "kthreadd")):
        check_error(run(*AS_NOBODY, "./profil", *options, *who, cwd="open"), 125, "kthreadd")
        done = profil(*options, *who)
        expect(done.status == 0 and not done.words, done.words)
        expect(report("profil.pb.gz")["facts"]["command"] == "kthreadd (2)", "not of kthreadd")
    expect(os.listdir("open") == ["profil"], os.listdir("open"))


def case_other_peoples():
    """A profil with file capabilities attaches a user to that user's processes and no other's."""
    lend_profil("cap_bpf,cap_perfmon,cap_syslog+ep")
    shutil.copy(target("split"), "open/split")
    others = Running(["open/split", "30"])
    own = Running([*AS_NOBODY, "./split", "30"], cwd="open")
    wait_until("work", lambda: cpu_ticks_of(own.pid) > 2 and cpu_ticks_of(others.pid) > 2)

    def as_nobody(*options):
        return run(*AS_NOBODY, "./profil", "attach", "-q", "--no-report", "--for", "300ms",
                   *options, cwd="open")

    check_error(as_nobody("-p", str(others.pid)), 125, str(others.pid))
    expect(not os.path.exists("open/profil.pb.gz"), "a profile of another user's process")
    done = as_nobody("--comm", "split")
    expect(done.status == 0, done.words)
    whole = report("open/profil.pb.gz")
    check_identity(whole)
    expect(whole["facts"]["command"] == f"split ({own.pid})", whole["facts"]["command"])
    for worker in (own, others):
        worker.process.kill()
        worker.wait()
