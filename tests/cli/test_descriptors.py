# SPDX-License-Identifier: BSD-2-Clause
"""How many descriptors profil has open: one for each CPU and a few, whatever the threads."""

import os
import re
import resource
import signal

from command import (PROFIL, Running, check_error, descriptors, expect, need_counting, need_program,
                     report, run, wait_until)
from measure import check_identity
from test_attach import counting

# Of the perf engine's, for each thread and CPU: the clock, and what tells of mappings and tasks.
PERF_EVENTS = 2

THREADS = 1000

# Standard input, output and error, BPF programs and maps, three links, signals, the process: for the
# engine that has the most of them, and not one for each CPU.
FEW = 32

# Without call stacks, and with them: for unwind tables, contexts with their index and Python's functions the kernel engine
# has more maps.
HOW = (("--flat",), 0), ((), 16)

MANY_THREADS = f"""
import sys, threading
threading.stack_size(65536)
end = threading.Event()
count = int(sys.argv[1])
for _ in range(count - 1):
    threading.Thread(target=end.wait, daemon=True).start()
print("ready", flush=True)
while True:
    sum(range(100000))
"""


def with_threads(count):
    need_program("python3")
    return ["python3", "-c", MANY_THREADS, str(count)]


def start_threads(count):
    worker = Running(with_threads(count))
    wait_until("the threads", lambda: b"ready" in worker.so_far())
    return worker


def kinds(pid):
    """How many descriptors of each kind PID has."""
    found = {}
    for link in descriptors(pid).values():
        kind = "file" if link.startswith("/") else re.sub(r"\[\d+\]$", "", link)
        found[kind] = found.get(kind, 0) + 1
    return found


def check_few(seen, events_a_cpu=1, more=0):
    events, links = seen.get("anon_inode:[perf_event]", 0), seen.get("anon_inode:bpf_link", 0)
    expect(events == events_a_cpu * os.cpu_count(), f"{events} events for {os.cpu_count()} CPUs: {seen}")
    expect(links <= 4 + bool(more), f"{links} links: {seen}")
    files = max(0, seen.get("file", 0) - 3)  # whose unwind tables are made at this moment
    expect(files <= (4 if more else 0), f"{files} files: {seen}")
    expect(sum(seen.values()) - files <= events + FEW + more,
           f"{sum(seen.values())} descriptors: {seen}")


def end(worker):
    worker.process.kill()
    worker.wait()


def attached(pid, engine, *options):
    """What profil has open while it is attached to PID; it then ends well."""
    running = Running([PROFIL, "attach", "-q", "--no-report", "--engine", engine, *options, "-p",
                       str(pid)])
    wait_until("the clock", lambda: counting(running.pid))
    seen = kinds(running.pid)
    wait_until("work", lambda: ticks_of(pid) > 20)
    os.kill(running.pid, signal.SIGINT)
    done = running.wait()
    expect(done.status == 0 and not done.words, f"{done.status}: {done.words}")
    return seen


def ticks_of(pid):
    with open(f"/proc/{pid}/stat") as stat:
        return int(stat.read().rsplit(")", 1)[1].split()[11])


def case_attach():
    """Attached to 1,000 threads, the kernel engine has a clock a CPU open and a few more, as many
    as with one thread."""
    need_counting()
    for options, more in HOW:
        seen = {}
        for count in (1, THREADS):
            worker = start_threads(count)
            seen[count] = attached(worker.pid, "kernel", *options)
            end(worker)
            check_few(seen[count], more=more)
            if not options:  # files that are met are open while their tables are made
                del seen[count]["file"]
            expect(report("profil.pb.gz")["facts"]["tasks"] == count, f"not {count} threads")
        expect(seen[1] == seen[THREADS], f"{seen}")


def case_run():
    """A program of 1,000 threads that profil starts costs the same, by either engine."""
    need_counting()
    for engine, events, (options, more) in (("kernel", 1, HOW[0]), ("kernel", 1, HOW[1]),
                                            ("perf", PERF_EVENTS, HOW[0]),
                                            ("perf", PERF_EVENTS, ((), 0))):
        running = Running([PROFIL, "run", "-q", "--no-report", "--engine", engine, *options, "--",
                           *with_threads(THREADS)])
        wait_until("the threads", lambda: b"ready" in running.so_far())
        check_few(kinds(running.pid), events, more)
        os.kill(running.pid, signal.SIGTERM)
        running.wait()
        whole = report("profil.pb.gz")
        check_identity(whole)
        expect(whole["facts"]["tasks"] == THREADS, f"{whole['facts']['tasks']} tasks")


def case_perf_attach():
    """The perf engine must open a clock for each thread that is there and CPU, and what tells of
    mappings and tasks.  It takes the room
    that the hard limit leaves for them, and where that is too little it says how much it needs."""
    need_counting()
    worker = start_threads(THREADS)
    seen = attached(worker.pid, "perf")
    expect(seen["anon_inode:[perf_event]"] == PERF_EVENTS * THREADS * os.cpu_count(), f"{seen}")
    check_identity(report("profil.pb.gz"))

    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

    done = Running([PROFIL, "attach", "-q", "--engine", "perf", "-p", str(worker.pid)],
                   preexec_fn=few).wait()
    expect(done.status == 125 and "ulimit -n" in done.words, f"{done.status}: {done.words}")
    end(worker)


def with_few(count, *arguments):
    """profil that may have COUNT descriptors."""
    return run(PROFIL, "--no-report", "-o", "p.pb.gz", *arguments, "true",
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count)))


def case_too_few_for_stacks():
    """Unwind tables take descriptors of their own.  Where they lack, it is counted without, and the
    reports say why; unless it is call stacks that were asked for."""
    need_counting()
    enough = next(count for count in range(20, 1000) if not with_few(count, "-q", "--engine", "kernel", "--flat").status)
    check_error(with_few(enough, "-q", "--engine", "kernel", "-g"), 125, "too few file descriptors")
    done = with_few(enough)
    why = "kernel engine: too few file descriptors: raise their limit with 'ulimit -n'"
    expect(done.status == 0 and f"profil: no call stacks: {why}\n" in done.words, f"{done.status}: {done.words}")
    facts = report("p.pb.gz")["facts"]
    expect(facts["engine"] == "kernel" and facts["no_stacks"] == why, f"{facts}")
    shown = run(PROFIL, "report", "p.pb.gz").text.split("\n\n")[0]
    expect(f"\nno call stacks: {why}" in shown, shown)
    shown = run(PROFIL, "report", "--markdown", "p.pb.gz").text
    expect(f"\nno call stacks: {why}\n" in shown, shown)
    expect("no_stacks" not in report_of_flat(), "--flat is no failure")


def report_of_flat():
    with_few(1000, "-q", "--flat")
    return report("p.pb.gz")["facts"]


def case_too_few():
    """With too few descriptors an engine says that it is they, and auto takes one that needs fewer,
    also where the one before finds out only when it starts."""
    need_counting()
    check_error(with_few(16, "-q", "--engine", "kernel"), 125, "too few file descriptors")
    if os.cpu_count() > 1:
        check_error(with_few(10, "-q", "--engine", "perf"), 125, "ulimit -n")
    # How many perf needs depends on the CPUs.
    either = ("perf", "timer")
    for count, engines in ((16, either), (10, ("timer",) if os.cpu_count() > 1 else either)):
        done = with_few(count)
        expect(done.status == 0, f"{count}: {done.status}: {done.words}")
        expect("kernel engine: too few file descriptors: raise their limit" in done.words,
               done.words)
        whole = report("p.pb.gz")
        check_identity(whole)
        expect(whole["facts"]["engine"] in engines, f"{count}: {whole['facts']}")
